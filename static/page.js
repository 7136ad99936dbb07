// Comforts of every page: charts as PNG, single-key shortcuts that can be turned off, and filters for long lists.
(function () {
  "use strict";

  // --- A chart as PNG: the downloadable SVG drawn on a canvas, twice its size --------------------------------

  function saveAsPng(link) {
    fetch(link.href).then(function (answer) {
      if (!answer.ok) throw new Error("no chart");
      return answer.text();
    }).then(function (svg) {
      var size = /viewBox="0 0 (\d+) (\d+)"/.exec(svg);
      var image = new Image();
      image.onload = function () {
        var canvas = document.createElement("canvas");
        canvas.width = 2 * size[1];
        canvas.height = 2 * size[2];
        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        canvas.toBlob(function (blob) {
          var save = document.createElement("a");
          save.href = URL.createObjectURL(blob);
          save.download = link.dataset.png;
          save.click();
          setTimeout(function () { URL.revokeObjectURL(save.href); }, 10000);
        }, "image/png");
      };
      image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
    }).catch(function () { location.href = link.href; });
  }

  function showPngLinks(root) {
    root.querySelectorAll("a[data-png][hidden]").forEach(function (link) { link.hidden = false; });
  }

  // --- Single-key shortcuts ----------------------------------------------------------------------------------

  function isOff() {
    try { return localStorage.getItem("sextant-keys") === "off"; } catch (error) { return false; }
  }

  function isTyping(item) {
    if (!item || !item.closest) return false;
    if (item.matches("input[type=checkbox], input[type=radio]")) return false;
    return Boolean(item.closest("input, textarea, select, [contenteditable], dialog"));
  }

  function follow(key) {
    var quoted = CSS.escape(key);
    var target = document.querySelector('input[data-key="' + quoted + '"]') || document.querySelector('[data-key="' + quoted + '"]');
    if (!target) return false;
    if (target.matches("input")) {
      target.focus();
      target.scrollIntoView({ block: "center" });
    } else target.click();
    return true;
  }

  function startKeys() {
    var dialog = document.getElementById("keys");
    var open = document.querySelector("[data-keys-open]");
    if (!dialog || !open || !dialog.showModal) return;
    var box = dialog.querySelector("input");
    open.hidden = false;
    box.checked = !isOff();
    open.addEventListener("click", function () { dialog.showModal(); });
    box.addEventListener("change", function () {
      try { localStorage.setItem("sextant-keys", box.checked ? "on" : "off"); } catch (error) { /* forbidden */ }
    });
    document.addEventListener("keydown", function (event) {
      if (isOff() || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === "?") { event.preventDefault(); dialog.showModal(); } else if (/^[/ce]$/.test(event.key) && follow(event.key)) event.preventDefault();
    });
  }

  // --- Long lists: what does not hold the words is left out ---------------------------------------------------

  function startFilters() {
    document.querySelectorAll("input[data-filters]").forEach(function (field) {
      var list = document.getElementById(field.dataset.filters);
      var count = document.getElementById(field.dataset.filters + "-count");
      if (!list) return;
      field.closest("[data-filter-box]").hidden = false;
      // It may stand inside a form, which it is no part of.
      field.addEventListener("input", function (event) { event.stopPropagation(); filter(list, field.value, count); });
      field.addEventListener("change", function (event) { event.stopPropagation(); });
      field.addEventListener("keydown", function (event) { if (event.key === "Enter") event.preventDefault(); });
    });
  }

  function filter(list, text, count) {
    var words = text.toLowerCase().split(/\s+/).filter(Boolean);
    var shown = 0;
    list.querySelectorAll("[data-item]").forEach(function (item) {
      var holds = words.every(function (word) { return item.textContent.toLowerCase().indexOf(word) >= 0; });
      item.hidden = !holds;
      if (holds) shown += 1;
    });
    list.querySelectorAll("[data-group]").forEach(function (group) {
      group.hidden = !group.querySelector("[data-item]:not([hidden])");
      if (group.matches("details") && words.length) group.open = !group.hidden;
    });
    if (count) count.textContent = words.length ? count.dataset.words.replace("{n}", shown) : "";
  }

  // --- Columns that are left out: gone at once, and remembered by this browser where the address says nothing -----

  function startColumns() {
    var form = document.querySelector("form[data-options]");
    var boxes = form ? form.querySelectorAll('input[name="without"]') : [];
    if (!boxes.length) return;
    form.querySelector("[data-columns]").hidden = true;
    var kept = null;
    try { kept = localStorage.getItem("sextant-columns"); } catch (error) { /* forbidden */ }
    if (kept !== null && !/[?&]without=/.test(location.search)) boxes.forEach(function (box) { box.checked = kept.split(" ").indexOf(box.value) >= 0; });
    function show() {
      boxes.forEach(function (box) {
        form.querySelectorAll('[data-column="' + CSS.escape(box.value) + '"]').forEach(function (cell) { cell.hidden = box.checked; });
      });
    }
    boxes.forEach(function (box) {
      box.addEventListener("change", function () {
        show();
        var out = Array.prototype.filter.call(boxes, function (one) { return one.checked; });
        try { localStorage.setItem("sextant-columns", out.map(function (one) { return one.value; }).join(" ")); } catch (error) { /* forbidden */ }
      });
    });
    show();
  }

  // --- On a phone a wide table becomes a list: each cell under the name of its column ---------------------------

  var LONGEST = 60; // rows; a longer table stays one and scrolls in its frame

  function stackTables(root) {
    root.querySelectorAll(".scroll > table.ledger").forEach(function (table) {
      var heads = table.tHead && table.tHead.rows[0].cells;
      if (!heads || heads.length < 3 || (table.rows.length > LONGEST && !table.classList.contains("ledger--brief"))) return;
      var names = Array.prototype.map.call(heads, function (head) { return head.querySelector(".sr") ? "" : head.dataset.short || head.textContent.trim(); });
      Array.prototype.forEach.call(table.querySelectorAll("tbody tr"), function (row) {
        Array.prototype.forEach.call(row.cells, function (cell) {
          if (cell.colSpan === 1 && cell.tagName === "TD") cell.dataset.label = names[cell.cellIndex];
        });
      });
      table.classList.add("ledger--stack");
    });
  }

  // --- Escape closes what was opened beside a number, a field or a row, and gives the place back -----------------

  var BESIDE = ".how, .pick__fold, .columns, .rowsteps, .chart__data";

  function closeOne(event) {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    var told = document.querySelector(".term:hover, .term:focus");
    if (told && !told.classList.contains("put-away")) {
      told.classList.add("put-away");
      ["blur", "mouseleave"].forEach(function (name) { told.addEventListener(name, function () { told.classList.remove("put-away"); }, { once: true }); });
      return;
    }
    var open = document.activeElement && document.activeElement.closest(BESIDE);
    if (!open || !open.open) open = Array.prototype.slice.call(document.querySelectorAll(".how[open]")).pop();
    if (!open) return;
    event.preventDefault();
    open.open = false;
    open.querySelector("summary").focus();
  }

  // --- The contents of a long answer say where one is -------------------------------------------------------------

  function startContents() {
    var links = Array.prototype.slice.call(document.querySelectorAll(".contents a"));
    var heads = links.map(function (link) { return document.getElementById(link.hash.slice(1)); });
    if (!links.length) return;
    function mark() {
      var least = 0, line = innerHeight * 0.35, end = scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
      var named = end ? links.findIndex(function (link) { return link.hash === location.hash; }) : -1;
      heads.forEach(function (head, at) { if (head && head.getBoundingClientRect().top < line) least = Math.max(least, at); });
      links.forEach(function (link, at) {
        var here = at === (named > least ? named : least);
        link.classList.toggle("here", here);
        if (here) link.setAttribute("aria-current", "location");
        else link.removeAttribute("aria-current");
      });
    }
    var asked = false;
    function soon() { if (!asked) { asked = true; requestAnimationFrame(function () { asked = false; mark(); }); } }
    addEventListener("scroll", soon, { passive: true });
    addEventListener("hashchange", soon);
    mark();
  }

  document.addEventListener("keydown", closeOne);
  document.addEventListener("DOMContentLoaded", function () {
    startContents();
    showPngLinks(document);
    stackTables(document);
    startKeys();
    startFilters();
    startColumns();
  });
  document.addEventListener("htmx:afterSwap", function (event) { showPngLinks(event.target); stackTables(event.target); });
  document.addEventListener("click", function (event) {
    var link = event.target.closest && event.target.closest("a[data-png]");
    if (!link) return;
    event.preventDefault();
    saveAsPng(link);
  });
})();
