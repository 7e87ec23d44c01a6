/** One stop for Tab: inside, arrows move from one control to the next. */

/** What can be reached, in order. @param {HTMLElement} bar @returns {HTMLElement[]} */
const controlsIn = (bar) =>
  [.../** @type {NodeListOf<HTMLElement>} */ (bar.querySelectorAll("[data-rove]"))].filter(
    (control) => control.offsetParent !== null,
  );

const KEYS = {
  horizontal: { ArrowRight: 1, ArrowLeft: -1 },
  vertical: { ArrowDown: 1, ArrowUp: -1 },
};

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

/** Who has the focus is where Tab comes back to. @param {FocusEvent} event of the bar */
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

/** The first control that is seen is the stop, while none is. @param {HTMLElement|null} bar */
export function giveStop(bar) {
  if (!bar) return;
  const controls = controlsIn(bar);
  if (controls.some((control) => control.tabIndex === 0)) return;
  const [first] = controls;
  if (first) setStop(bar, first);
}
