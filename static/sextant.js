// Small comforts on top of pages that work without them. No dependency but htmx, no request of its own.
(function () {
  "use strict";

  var store = {
    get: function (key) { try { return localStorage.getItem(key); } catch (error) { return null; } },
    set: function (key, value) { try { localStorage.setItem(key, value); } catch (error) { /* full or forbidden */ } },
    drop: function (key) { try { localStorage.removeItem(key); } catch (error) { /* forbidden */ } }
  };

  // --- Light and dark --------------------------------------------------------------------------------------

  function isDark() {
    var chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  function startTheme() {
    var button = document.querySelector("[data-theme-toggle]");
    if (!button) return;
    button.hidden = false;
    button.addEventListener("click", function () {
      var next = isDark() ? "light" : "dark";
      document.documentElement.dataset.theme = next;
      store.set("sextant-theme", next);
    });
  }

  // --- What is typed is kept until it is sent --------------------------------------------------------------

  function controls(form) {
    return Array.prototype.filter.call(form.elements, function (item) {
      return item.name && item.type !== "hidden" && item.type !== "submit";
    });
  }

  function isPick(item) { return item.type === "checkbox" && item.value !== "true"; }

  function snapshot(form) {
    var found = {};
    controls(form).forEach(function (item) {
      // Boxes of a picker share a name: each is kept by its value.
      if (isPick(item)) (found[item.name] = found[item.name] || []).push(item.checked ? item.value : "");
      else found[item.name] = item.type === "checkbox" ? item.checked : item.value;
    });
    return JSON.stringify(found);
  }

  function restore(form, text) {
    var kept = JSON.parse(text);
    controls(form).forEach(function (item) {
      if (!(item.name in kept)) return;
      if (isPick(item)) item.checked = kept[item.name].indexOf(item.value) >= 0;
      else if (item.type === "checkbox") item.checked = kept[item.name] === true;
      else item.value = kept[item.name];
    });
  }

  function startKeeping() {
    var form = document.querySelector("form[data-keep]");
    if (!form) return;
    var key = "sextant-draft-" + form.dataset.keep;
    var fresh = snapshot(form);
    var kept = store.get(key);
    // Shown, never put back unasked: whoever opens an empty form may want an empty one.
    if (kept && kept !== fresh && !("faulty" in form.dataset)) {
      try { offer(form, JSON.parse(kept), kept, key); } catch (error) { store.drop(key); }
    }
    var timer;
    form.addEventListener("input", function () {
      clearTimeout(timer);
      timer = setTimeout(function () { store.set(key, snapshot(form)); }, 150);
    });
    // Sent means that the server has it: the next page of another address proves that it was taken.
    form.addEventListener("submit", function () { store.set(key, snapshot(form)); store.set("sextant-sent", key); });
  }

  function offer(form, held, kept, key) {
    var note = document.querySelector("[data-local]");
    if (!note) return;
    var work = held["training.tokens"] || held["training.samples"] || held["serving.requests_per_s"];
    note.querySelector("[data-local-what]").textContent = [held.name || held.model, work].filter(Boolean).join(", ");
    note.hidden = false;
    note.querySelector("[data-take]").addEventListener("click", function () {
      restore(form, kept);
      note.hidden = true;
      form.querySelectorAll("[data-kept]").forEach(function (item) { item.hidden = false; });
      form.dispatchEvent(new CustomEvent("sextant:restored"));
    });
    note.querySelector("[data-drop]").addEventListener("click", function () {
      store.drop(key);
      note.hidden = true;
    });
  }

  // A comment or a reason: kept for this window while it is typed, and back in its field unless the page shows it by now.
  function startWords() {
    document.querySelectorAll("form:not([data-keep]) textarea[name][id]").forEach(function (field) {
      var key = "sextant-words-" + location.pathname + "#" + field.id;
      var kept = recall(key);
      if (kept && !field.value) {
        if (document.getElementById("main").textContent.replace(/\s+/g, " ").indexOf(kept.trim().replace(/\s+/g, " ")) < 0) {
          field.value = kept;
          openFold(field.id);
        }
        else recall(key, "");
      }
      field.addEventListener("input", function () { recall(key, field.value); });
    });
  }

  // Lines and choices that a form sent come back into it when the next page says that they were not taken, also by way of
  // the page that asks who one is. Passwords are never kept.
  var SENT = "sextant-sent-form";

  function twins(form) {
    return Array.prototype.filter.call(document.forms, function (other) { return other.getAttribute("action") === form.getAttribute("action"); });
  }

  function lines(form) {
    return Array.prototype.filter.call(form.elements, function (item) {
      return item.name && item.matches('input:not([type="hidden"], [type="password"], [type="file"]), select');
    });
  }

  function valueOf(item) { return item.matches('[type="checkbox"], [type="radio"]') ? item.checked : item.value; }

  function startSent() {
    var proving = document.querySelector("form[data-proof]");
    var kept = recall(SENT);
    if (kept && proving) recall(SENT, JSON.stringify(Object.assign(JSON.parse(kept), { proved: true })));
    else if (kept) {
      recall(SENT, "");
      kept = JSON.parse(kept);
      var form = Array.prototype.filter.call(document.forms, function (one) { return one.getAttribute("action") === kept.action; })[kept.at];
      if (form && (kept.proved || document.querySelector(".message--error"))) {
        var into = lines(form);
        if (into.length === kept.values.length) into.forEach(function (item, at) {
          if (typeof kept.values[at] === "boolean") item.checked = kept.values[at];
          else item.value = kept.values[at];
        });
      }
    }
    document.querySelectorAll('form[method="post"]:not([data-keep], [data-proof], [data-passkey], [hx-post])').forEach(function (form) {
      form.addEventListener("submit", function () {
        recall(SENT, JSON.stringify({ action: form.getAttribute("action"), at: twins(form).indexOf(form), values: lines(form).map(valueOf) }));
      });
    });
  }

  function recall(key, text) {
    try {
      if (text === undefined) return sessionStorage.getItem(key);
      if (text) sessionStorage.setItem(key, text);
      else sessionStorage.removeItem(key);
    } catch (error) { /* full or forbidden */ }
    return null;
  }

  function forgetSent() {
    var key = store.get("sextant-sent");
    if (key && !document.querySelector("form[data-keep]") && document.querySelector("[data-taken]")) {
      store.drop(key);
      store.drop("sextant-sent");
    }
  }

  // --- Faults found while typing stand at their field --------------------------------------------------------

  function showFaults(panel) {
    var found = {};
    panel.querySelectorAll("[data-faults] [data-for]").forEach(function (item) {
      if (item.dataset.code.split(".")[0] !== "missing" && item.dataset.for) found[item.dataset.for] = item.dataset.message;
    });
    document.querySelectorAll("[data-field]").forEach(function (field) {
      var message = found[field.dataset.field] || "";
      var place = document.getElementById(field.dataset.field + "-e");
      var control = document.getElementById(field.dataset.field);
      if (!place || !control) return;
      place.textContent = message;
      place.hidden = !message;
      field.classList.toggle("field--bad", Boolean(message));
      if (message) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
    });
  }

  function openFold(ident) {
    var target = ident && document.getElementById(ident);
    for (var fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    return target;
  }

  // The parts of an answer are closed: the decision stands first, each other part is one press away.
  function startFolds() {
    var target = openFold(location.hash.slice(1));
    if (target && target.closest("details")) target.scrollIntoView();
  }

  // --- Live estimate -----------------------------------------------------------------------------------------

  var asked = null;
  var saying;

  // A change event follows the last input event with nothing new in it: it must not break off the request under way.
  function isNews(form) {
    var now = snapshot(form);
    if (now === asked) return false;
    asked = now;
    return true;
  }

  // Said once the typing rests and the number is settled, from a region that stays: what is swapped in is often not read.
  function announce(panel) {
    var place = document.querySelector("[data-said]");
    var headline = panel.querySelector(".live__headline");
    clearTimeout(saying);
    if (!place || !headline || panel.querySelector("[data-unsettled]")) return;
    saying = setTimeout(function () {
      if (place.textContent !== headline.textContent) place.textContent = headline.textContent;
    }, 700);
  }

  // --- Chart and table as one control ------------------------------------------------------------------------

  function startLinking() {
    document.querySelectorAll("tr[data-option]").forEach(function (row) {
      var points = document.querySelectorAll('.chart__svg a[href="#' + CSS.escape(row.dataset.option) + '"] .point');
      ["mouseenter", "focusin", "mouseleave", "focusout"].forEach(function (name, index) {
        row.addEventListener(name, function () {
          points.forEach(function (point) { point.classList.toggle("lit", index < 2); });
        });
      });
      document.querySelectorAll('.chart__svg a[href="#' + CSS.escape(row.dataset.option) + '"]').forEach(function (link) {
        ["mouseenter", "focus", "mouseleave", "blur"].forEach(function (name, index) {
          link.addEventListener(name, function () { row.classList.toggle("lit", index < 2); });
        });
      });
    });
  }

  function startSorting() {
    document.querySelectorAll("table[data-sortable] th[data-sort]").forEach(function (head) {
      var button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.textContent = head.textContent;
      head.textContent = "";
      head.appendChild(button);
      button.addEventListener("click", function () { sortBy(head); });
    });
  }

  function sortBy(head) {
    var body = head.closest("table").tBodies[0];
    var up = head.getAttribute("aria-sort") !== "ascending";
    head.closest("tr").querySelectorAll("[aria-sort]").forEach(function (other) { other.removeAttribute("aria-sort"); });
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    Array.prototype.slice.call(body.rows)
      .sort(function (a, b) { return (Number(a.dataset[head.dataset.sort]) - Number(b.dataset[head.dataset.sort])) * (up ? 1 : -1); })
      .forEach(function (row) { body.appendChild(row); });
  }

  function namePicked(fold) {
    var place = fold.querySelector("[data-picked]");
    var names = Array.prototype.map.call(fold.querySelectorAll("input:checked"), function (box) { return box.parentElement.textContent.trim(); });
    place.textContent = names.length ? names.slice(0, 4).join(", ") + (names.length > 4 ? " and " + (names.length - 4) + " more" : "") : place.dataset.picked;
  }

  // An amount without a currency is in the one that the plan is shown in: the unit behind the field says so.
  function startCurrency() {
    var choice = document.getElementById("f-currency");
    if (!choice) return;
    choice.addEventListener("change", function () {
      document.querySelectorAll("[data-money]").forEach(function (unit) {
        unit.textContent = unit.textContent.replace(/^[A-Z]{3}/, choice.value);
      });
    });
  }

  function startPicking() {
    document.querySelectorAll(".pick__fold").forEach(function (fold) {
      namePicked(fold);
      fold.addEventListener("change", function () { namePicked(fold); });
    });
  }

  function startPinning() {
    var form = document.querySelector("form[data-options]");
    if (!form) return;
    form.addEventListener("change", function () {
      var boxes = Array.prototype.slice.call(form.querySelectorAll('input[name="pin"]'));
      var full = boxes.filter(function (box) { return box.checked; }).length >= 4;
      boxes.forEach(function (box) { box.disabled = full && !box.checked; });
    });
  }

  // --- What if: each field has a slider ------------------------------------------------------------------------

  var SCALES = { k: 1e3, M: 1e6, B: 1e9, T: 1e12 };

  function numberIn(text) {
    var found = /^\s*([\d.,]+(?:e[+-]?\d+)?)\s*([kMBT])?/i.exec(text);
    return found ? Number(found[1].replace(/,/g, "")) * (SCALES[found[2]] || 1) : NaN;
  }

  function written(value) {
    var letter = ["T", "B", "M"].find(function (name) { return value >= SCALES[name]; });
    return String(Number((letter ? value / SCALES[letter] : value).toPrecision(4))) + (letter ? " " + letter : "");
  }

  function startWhatIf() {
    var form = document.querySelector("form[data-what-if]");
    if (!form) return;
    form.querySelectorAll("[data-plain]").forEach(function (item) { item.hidden = true; });
    var sliders = Array.prototype.slice.call(form.querySelectorAll("[data-slides]"));
    function follow() {
      sliders.forEach(function (slider) {
        var value = numberIn(document.getElementById(slider.dataset.slides).value);
        if (!isNaN(value)) slider.value = value;
      });
    }
    sliders.forEach(function (slider) {
      var field = document.getElementById(slider.dataset.slides);
      slider.hidden = false;
      slider.addEventListener("input", function () { field.value = written(Number(slider.value)); });
      field.addEventListener("input", follow);
    });
    follow();
    form.querySelector("[data-reset]").addEventListener("click", function (event) {
      event.preventDefault();
      form.querySelectorAll("[data-planned]").forEach(function (field) { field.value = field.dataset.planned; });
      follow();
      form.dispatchEvent(new CustomEvent("sextant:reset"));
    });
  }

  // --- How sure: a slider beside the list, and what stands under that degree -------------------------------------

  function startDials() {
    document.querySelectorAll("select[data-dial]:not([data-dialled])").forEach(function (list) {
      list.dataset.dialled = "";
      var shown = document.getElementById(list.dataset.dial);
      var slider = document.createElement("input");
      var label = document.querySelector('label[for="' + list.id + '"]');
      if (list.form) list.form.querySelectorAll("[data-plain]").forEach(function (item) { item.hidden = !!shown; });
      slider.type = "range"; slider.className = "slider"; slider.min = 0; slider.step = 1;
      slider.max = list.options.length - 1;
      if (label) slider.setAttribute("aria-label", label.textContent);
      if (shown) slider.setAttribute("aria-controls", shown.id);
      function follow() {
        slider.value = list.selectedIndex;
        slider.setAttribute("aria-valuetext", list.options[list.selectedIndex].text);
        if (shown) shown.querySelectorAll("[data-sure]").forEach(function (item) { item.hidden = item.dataset.sure !== list.value; });
      }
      slider.addEventListener("input", function () {
        list.selectedIndex = Number(slider.value);
        follow();
        list.dispatchEvent(new Event("change", { bubbles: true }));
      });
      list.addEventListener("change", follow);
      list.insertAdjacentElement("afterend", slider);
      follow();
    });
  }

  // --- Start -------------------------------------------------------------------------------------------------

  document.addEventListener("DOMContentLoaded", function () {
    startTheme();
    startKeeping();
    forgetSent();
    startWords();
    startSent();
    startLinking();
    startSorting();
    startPinning();
    startPicking();
    startCurrency();
    startWhatIf();
    startDials();
    var first = document.querySelector("[data-focus]");
    if (first) first.focus();
    startFolds();
    addEventListener("hashchange", startFolds);
    var again = document.querySelector("a[data-again]");
    if (again) again.href = document.referrer.indexOf(location.origin + "/") === 0 ? document.referrer : again.dataset.again;
  });
  document.addEventListener("click", function (event) {
    var link = event.target.closest && event.target.closest('a[href^="#"]');
    var target = link && openFold(link.getAttribute("href").slice(1));
    if (target && link.matches('[href^="#f-"]')) { event.preventDefault(); target.focus(); target.scrollIntoView({ block: "center" }); }
  });
  document.addEventListener("click", function (event) {
    var pin = event.target.closest && event.target.closest("a[data-about]");
    var about = pin && document.getElementById("about");
    if (!about) return;
    event.preventDefault();
    about.value = pin.dataset.about;
    openFold("comment");
    document.getElementById("comment-text").focus();
    document.getElementById("comment").scrollIntoView({ block: "center" });
  });
  document.addEventListener("htmx:afterSettle", startDials);
  document.addEventListener("htmx:afterSwap", function (event) {
    if (!event.detail.target || event.detail.target.id !== "live") return;
    showFaults(event.detail.target);
    announce(event.detail.target);
  });
  document.addEventListener("htmx:confirm", function (event) {
    if (event.target.id === "workload" && event.detail.path && !isNews(event.target)) event.preventDefault();
  });
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details[data-folds]").forEach(function (fold) { fold.open = true; });
  });
  window.addEventListener("online", function () {
    var form = document.getElementById("workload");
    if (form && document.querySelector(".live__lost")) form.dispatchEvent(new Event("change", { bubbles: true }));
  });
  ["htmx:sendError", "htmx:responseError", "htmx:timeout"].forEach(function (name) {
    document.addEventListener(name, function () {
      var panel = document.getElementById("live");
      asked = null;
      if (!panel || panel.querySelector(".live__lost")) return;
      var note = document.createElement("p");
      note.className = "callout callout--warn live__lost";
      note.setAttribute("role", "status");
      note.textContent = "The estimate could not be refreshed. What you typed is kept in this browser; it tries again at your next change.";
      panel.appendChild(note);
    });
  });
})();
