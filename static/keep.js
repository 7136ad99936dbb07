// Keeps what is typed on the server, beside the browser's own copy: at most once in six seconds, and when the window is left.
(function () {
  "use strict";

  var EVERY = 6000;

  function named() {
    var known;
    try { known = sessionStorage.getItem("sextant-tab"); } catch (error) { known = null; }
    return known || renamed();
  }

  function renamed() {
    var name = Array.prototype.map.call(crypto.getRandomValues(new Uint8Array(10)), function (byte) {
      return ("0" + byte.toString(16)).slice(-2);
    }).join("");
    try { sessionStorage.setItem("sextant-tab", name); } catch (error) { /* forbidden: a name for this page only */ }
    return name;
  }

  // A window that was duplicated carries its twin's name: the twin answers, and this one takes another.
  function meetTwins(state, form) {
    if (!("BroadcastChannel" in window)) return;
    var channel = new BroadcastChannel("sextant-forms");
    channel.onmessage = function (event) {
      if (event.data.form !== form) return;
      if (event.data.hello) channel.postMessage({ form: form, tab: state.tab, to: event.data.hello });
      if (event.data.to === state.page) {
        if (event.data.tab === state.tab) state.tab = renamed();
        state.put();
      }
      state.twin();
    };
    channel.postMessage({ form: form, hello: state.page });
  }

  function start() {
    var form = document.querySelector("form[data-autosave]");
    if (!form) return;
    var note = form.querySelector("[data-autosave-note]");
    var field = form.querySelector("input[name=tab]");
    var words = note.dataset;
    var dirty = false, busy = false, last = 0, timer = null, twins = false, sent = false, out = false;
    var state = {
      tab: named(),
      page: Math.random().toString(36).slice(2),
      put: function () { field.value = state.tab; },
      twin: function () { if (!twins) { twins = true; say(words.twin); } }
    };

    function say(text) { if (note.textContent !== text) { note.textContent = text; note.hidden = !text; } }

    // After a login in another window this page's key is an old one: take the new one, so that what is typed can be sent.
    function comeBack() {
      if (!out) return;
      fetch(location.href, { redirect: "manual" }).then(function (answer) { return answer.ok ? answer.text() : ""; }).then(function (text) {
        var fresh = text && new DOMParser().parseFromString(text, "text/html").querySelector("form[data-autosave] input[name=csrfmiddlewaretoken]");
        if (!fresh) return;
        out = false;
        document.querySelectorAll("input[name=csrfmiddlewaretoken]").forEach(function (item) { item.value = fresh.value; });
        document.body.setAttribute("hx-headers", JSON.stringify({ "X-CSRFToken": fresh.value }));
        save(false);
      }).catch(function () { /* the next look at this window tries again */ });
    }

    function plan() {
      if (timer || busy) return;
      timer = setTimeout(function () { timer = null; save(false); }, Math.max(EVERY - (Date.now() - last), 1500));
    }

    function save(leaving) {
      if (!dirty || sent || (busy && !leaving)) return;
      dirty = false; busy = true; last = Date.now();
      fetch(form.dataset.autosave, { method: "POST", body: new URLSearchParams(new FormData(form)), keepalive: leaving, redirect: "manual", headers: { Accept: "application/json" } })
        .then(function (answer) {
          if (answer.type === "opaqueredirect" || answer.status === 403) { dirty = true; out = true; say(words.out); return; }
          return answer.json().then(function (found) {
            if (found.state !== "kept") { say(found.message || words.lost); return; }
            say(words.kept.replace("{at}", found.at) + (found.others || twins ? " " + words.twin : ""));
          });
        })
        .catch(function () { dirty = true; say(words.lost); })
        .then(function () { busy = false; if (dirty && !leaving) plan(); });
    }

    state.put();
    meetTwins(state, form.dataset.autosave);
    form.addEventListener("input", function () { dirty = true; plan(); });
    form.addEventListener("change", function () { dirty = true; plan(); });
    form.addEventListener("submit", function () { state.put(); sent = true; });
    document.addEventListener("visibilitychange", function () { if (document.visibilityState === "hidden") save(true); else comeBack(); });
    window.addEventListener("focus", comeBack);
    window.addEventListener("online", function () { if (dirty) save(false); });
    window.addEventListener("pageshow", function () { sent = false; });
    // What this window itself had kept is offered by the browser's own copy already.
    var local = document.querySelector("[data-local]:not([hidden])");
    document.querySelectorAll("[data-kept-tab]").forEach(function (item) {
      if (local && item.dataset.keptTab === state.tab) item.hidden = true;
    });
  }

  document.addEventListener("DOMContentLoaded", start);
})();
