/** A roving tab stop: Tab enters once, arrows move between the controls. */

/** The reachable controls, in order. @param {HTMLElement} bar @returns {HTMLElement[]} */
const controlsIn = (bar) =>
  [.../** @type {NodeListOf<HTMLElement>} */ (bar.querySelectorAll("[data-rove]"))].filter(
    (control) => control.offsetParent !== null,
  );

const KEYS = { horizontal: { ArrowRight: 1, ArrowLeft: -1 }, vertical: { ArrowDown: 1, ArrowUp: -1 } };

/** @param {KeyboardEvent} event of the bar, whose controls have `data-rove` @param {"horizontal"|"vertical"} [along] */
export function rove(event, along = "horizontal") {
  const bar = /** @type {HTMLElement} */ (event.currentTarget);
  const controls = controlsIn(bar);
  const at = controls.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
  const by = /** @type {Record<string, number>} */ (KEYS[along])[event.key];
  const to = by ? (at + by + controls.length) % controls.length : { Home: 0, End: controls.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  controls[to]?.focus();
}

/** Tab returns to the last focused control. @param {FocusEvent} event of the bar */
export function keepStop(event) {
  const bar = /** @type {HTMLElement} */ (event.currentTarget);
  const target = /** @type {HTMLElement} */ (event.target).closest("[data-rove]");
  if (target) setStop(bar, /** @type {HTMLElement} */ (target));
}

/** @param {HTMLElement} bar @param {HTMLElement} stop */
function setStop(bar, stop) {
  for (const control of /** @type {NodeListOf<HTMLElement>} */ (bar.querySelectorAll("[data-rove]")))
    control.tabIndex = control === stop ? 0 : -1;
}

/** Without one, the first visible control is the tab stop. @param {HTMLElement|null} bar */
export function giveStop(bar) {
  if (!bar) return;
  const controls = controlsIn(bar);
  if (controls.some((control) => control.tabIndex === 0)) return;
  const [first] = controls;
  if (first) setStop(bar, first);
}
