/* Runs before the first paint, so that a page does not flash in the wrong colours. */
(() => {
  const root = document.documentElement;
  try {
    const theme = localStorage.getItem("hloscope.theme");
    if (theme) root.dataset.theme = theme;
    const density = localStorage.getItem("hloscope.density");
    if (density) root.dataset.density = density;
    if (localStorage.getItem("hloscope.presenter") === "on") root.dataset.presenter = "on";
  } catch {
    // Storage may be forbidden; the system's own colours do.
  }
})();
