// Applies the chosen theme before the first paint; without a choice the system's preference holds.
(function () {
  "use strict";
  try {
    var chosen = localStorage.getItem("sextant-theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch (error) {
    // Storage may be forbidden; the system's preference is fine then.
  }
})();
