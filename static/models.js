// A model is found by typing: words of its name, family or size. The select stays what is sent, and all there is without scripts.
(function () {
  "use strict";

  var KEY = "sextant-models", RECENT = 5;

  function recent() {
    try { return JSON.parse(localStorage.getItem(KEY) || "[]"); } catch (error) { return []; }
  }

  function remember(value) {
    if (!value || value === "config") return;
    try {
      localStorage.setItem(KEY, JSON.stringify([value].concat(recent().filter(function (one) { return one !== value; })).slice(0, RECENT)));
    } catch (error) { /* full or forbidden */ }
  }

  function made(tag, given, parent) {
    var item = document.createElement(tag);
    Object.keys(given).forEach(function (name) { item.setAttribute(name, given[name]); });
    parent.appendChild(item);
    return item;
  }

  function start() {
    var select = document.querySelector("select#f-model");
    if (!select) return;
    var words = select.closest("[data-field]").dataset;
    var every = Array.prototype.map.call(select.options, function (option) {
      var family = option.parentElement.label || "";
      return { value: option.value, label: option.textContent, family: family, text: (option.textContent + " " + option.value + " " + family).toLowerCase() };
    }).filter(function (one) { return one.value; });
    var box = select.parentElement, field = document.createElement("input");
    // The field takes the place of the select: its name for readers, its faults and its address.
    select.id = "f-model-choice";
    select.hidden = true;
    select.tabIndex = -1;
    box.insertBefore(field, select);
    field.type = "text";
    field.id = "f-model";
    field.autocomplete = "off";
    field.spellcheck = false;
    field.placeholder = words.find || "";
    ["aria-describedby", "aria-invalid"].forEach(function (name) { if (select.hasAttribute(name)) field.setAttribute(name, select.getAttribute(name)); });
    field.setAttribute("role", "combobox");
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-expanded", "false");
    field.setAttribute("aria-controls", "f-model-list");
    var list = made("ul", { id: "f-model-list", role: "listbox", "class": "models", "aria-label": words.found || "" }, box);
    list.hidden = true;
    var shown = [], at = -1;

    function sync() {
      var option = select.options[select.selectedIndex];
      field.value = option && option.value ? option.textContent : "";
    }

    function close() {
      list.hidden = true;
      at = -1;
      field.setAttribute("aria-expanded", "false");
      field.removeAttribute("aria-activedescendant");
    }

    function pick(value) {
      close();
      if (select.value === value) { sync(); return; }
      select.value = value;
      remember(value);
      sync();
      select.dispatchEvent(new Event("change", { bubbles: true }));
    }

    function mark(next) {
      at = shown.length ? (next + shown.length) % shown.length : -1;
      shown.forEach(function (row, index) {
        row.item.setAttribute("aria-selected", String(index === at));
        if (index === at) { row.item.scrollIntoView({ block: "nearest" }); field.setAttribute("aria-activedescendant", row.item.id); }
      });
    }

    function rows(text) {
      var asked = text.toLowerCase().split(/\s+/).filter(Boolean);
      var found = every.filter(function (one) { return asked.every(function (word) { return one.text.indexOf(word) >= 0; }); });
      // What begins as typed stands first: “llama 3” means Llama 3 before Code Llama 13B.
      var start = asked.join(" ");
      function begins(one) { return one.label.toLowerCase().indexOf(start) === 0; }
      if (asked.length) return found.filter(begins).concat(found.filter(function (one) { return !begins(one); }));
      var known = recent().map(function (value) { return every.find(function (one) { return one.value === value; }); }).filter(Boolean);
      return known.map(function (one) { return Object.assign({}, one, { family: words.recent || "" }); }).concat(found);
    }

    function open(text) {
      list.textContent = "";
      var family = null;
      shown = rows(text).map(function (one, index) {
        if (one.family !== family) { family = one.family; if (family) made("li", { role: "presentation", "class": "models__family" }, list).textContent = family; }
        var item = made("li", { role: "option", id: "f-model-" + index, "aria-selected": "false" }, list);
        item.textContent = one.label;
        // Before the field loses its focus, which would close the list.
        item.addEventListener("mousedown", function (event) { event.preventDefault(); pick(one.value); });
        return { item: item, value: one.value };
      });
      if (!shown.length) made("li", { role: "presentation", "class": "models__none" }, list).textContent = words.none || "";
      list.hidden = false;
      field.setAttribute("aria-expanded", "true");
      if (text && shown.length) mark(0);
    }

    field.addEventListener("focus", function () { field.select(); });
    field.addEventListener("click", function () { if (list.hidden) open(""); });
    // What is typed here is no part of the request until it is picked.
    field.addEventListener("input", function (event) { event.stopPropagation(); open(field.value); });
    field.addEventListener("change", function (event) { event.stopPropagation(); });
    field.addEventListener("blur", function () { close(); sync(); });
    field.addEventListener("keydown", function (event) {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        if (list.hidden) open("");
        mark(at < 0 ? (event.key === "ArrowDown" ? 0 : -1) : at + (event.key === "ArrowDown" ? 1 : -1));
      } else if (event.key === "Enter" && !list.hidden) {
        event.preventDefault();
        if (shown[at]) pick(shown[at].value);
      } else if (event.key === "Escape" && !list.hidden) {
        event.preventDefault();
        close();
        sync();
      }
    });
    select.form.addEventListener("sextant:restored", sync);
    select.form.addEventListener("submit", function () { remember(select.value); });
    sync();
  }

  // --- What a model's work is counted in decides which fields mean something -----------------------------------------

  function startCounts() {
    var form = document.getElementById("workload");
    if (!form) return;
    // How many samples, and how often, stands in a fold beside tokens; in their place where the model knows none.
    var tokensField = form.querySelector('[data-field="f-training-tokens"]');
    var folded = tokensField ? ["epochs", "samples"].map(function (name) {
      var field = form.querySelector('[data-field="f-training-' + name + '"]');
      if (!field || !field.closest(".fold")) return null;
      var home = document.createComment(name);
      field.parentElement.insertBefore(home, field);
      return { field: field, home: home };
    }).filter(Boolean) : [];
    function follow() {
      var read = document.getElementById("model-read");
      form.dataset.counts = read ? read.dataset.counts : "";
      var samples = form.dataset.counts && form.dataset.counts !== "token";
      folded.forEach(function (one) {
        var after = samples ? tokensField : one.home;
        if (one.moved !== Boolean(samples)) after.after(one.field);
        one.moved = Boolean(samples);
      });
      form.querySelectorAll("label[data-of-samples]").forEach(function (label) {
        var tokens = !form.dataset.counts || form.dataset.counts === "token";
        label.textContent = tokens ? label.dataset.ofTokens : label.dataset.ofSamples;
      });
    }
    follow();
    document.addEventListener("htmx:afterSettle", follow);
    document.addEventListener("htmx:oobAfterSwap", follow);
  }

  // --- When in the day: a shape, shares that are typed, or a file that was counted ----------------------------------------

  function startLoad() {
    var box = document.querySelector("[data-load]");
    var curve = document.getElementById("f-serving-load-curve");
    if (!box || !curve) return;
    var line = box.querySelector("[data-own]"), own = box.querySelector('input[value="own"]'), file = box.querySelector("[data-csv]");
    function shares() { return curve.value.split(/[\s,;]+/).map(Number).filter(function (one) { return one >= 0; }); }
    function draw() {
      var all = shares(), most = Math.max.apply(null, all.concat([0]));
      line.setAttribute("points", own.checked && most ? all.map(function (one, hour) { return hour * 24 / all.length + "," + (1 - one / most) * 10; }).join(" ") : "");
    }
    box.addEventListener("change", function (event) {
      if (event.target.name !== "load.shape") return;
      // A shape that is chosen takes the place of the shares of another one; those that were typed come back by hand alone.
      if (event.target !== own) curve.value = event.target.dataset.curve;
      draw();
    });
    curve.addEventListener("input", function () { own.checked = true; draw(); });
    file.hidden = false;
    file.querySelector("input").addEventListener("change", function (event) {
      var field = event.target;
      event.stopPropagation();
      if (!field.files.length) return;
      field.files[0].text().then(function (text) {
        var numbers = text.split(/\r?\n/).map(function (row) { return row.split(/[;,\t]/).pop().trim(); }).filter(Boolean).map(Number).filter(isFinite);
        var whole = numbers.length && numbers.length % 24 === 0;
        field.setCustomValidity(whole ? "" : field.dataset.wrong);
        field.reportValidity();
        if (!whole) return;
        var size = numbers.length === 168 ? 168 : 24, sums = new Array(size).fill(0);
        numbers.forEach(function (one, at) { sums[at % size] += one; });
        var most = Math.max.apply(null, sums);
        curve.value = sums.map(function (one) { return String(Math.round(one / most * 1000) / 1000); }).join(", ");
        curve.dispatchEvent(new Event("input", { bubbles: true }));
      });
    });
    draw();
  }

  document.addEventListener("DOMContentLoaded", function () { start(); startCounts(); startLoad(); });
})();
