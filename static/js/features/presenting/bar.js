/** The bar of presenter mode, always in one row: step back and forward, the step and its op, the shown panel. */
import { countText } from "../../core/tensor/elements.js";
import { html } from "htm/preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import * as actions from "../../core/actions.js";
import { presenter } from "../../core/preferences.js";
import { shortName } from "../../core/run/op_names.js";
import * as store from "../../core/store.js";
import { Icon } from "../../ui/icons.js";
import { Menu } from "../../ui/menu.js";
import { present, stageFront } from "../layout/state.js";
import { choices, hasPointer, isDark, leave, onProgram, presentedId } from "./state.js";

export function PresenterBar() {
  const shown = choices.value.find(({ id }) => id === presentedId.value);
  return html`<header class="presenter-bar" role="toolbar" aria-label="Presenting">
    <span class="group">
      <button onClick=${actions.stepBackOver} aria-label="Step back over" title="Step back over (Page Up)" aria-disabled=${store.position.value === 0}><${Icon} name="previous" /></button>
      <button onClick=${actions.stepOver} aria-label="Step over" title="Step over (Page Down)"><${Icon} name="next" /></button>
    </span>
    <span class="presenter-where"><strong class="count">${stepWords()}</strong> <span class="op" title=${opWords()}>${opWords()}</span></span>
    <span class="group views" role="group" aria-label="View">
      <button aria-pressed=${onProgram.value} title="The program (S switches)" onClick=${() => present("program")}>Program</button>
      <button aria-pressed=${!onProgram.value} title="The stage (S switches)" onClick=${() => present(stageFront())}>Stage</button>
      <${Menu} label="Choose the panel that is shown" content=${html`<span class="panel-name">${onProgram.value ? "" : shown?.title}</span><span class="arrow" aria-hidden="true">▾</span>`} items=${panelItems} />
    </span>
    <span class="group screen">
      <button class="quiet-button" aria-pressed=${hasPointer.value} title="Pointer: press L, or hold it" aria-label="Pointer" onClick=${() => (hasPointer.value = !hasPointer.value)}><${Icon} name="pointer" /></button>
      <button class="quiet-button" title="Dark screen (B, or a full stop)" aria-label="Dark screen" onClick=${() => (isDark.value = true)}><${Icon} name="dark" /></button>
      <button class="quiet-button" title="Leave presenter mode (Escape)" aria-label="Leave presenter mode" onClick=${leave}><${Icon} name="close" /></button>
    </span>
    <span class="hidden" role="status">${`${stepWords()}, ${opWords()}`}</span>
  </header>`;
}

/** @returns {import("../../ui/menu.js").MenuItem[]} */
const panelItems = () => [
  { text: "Show" },
  ...choices
    .peek()
    .map(({ id, title }) => ({ text: title, checked: id === presentedId.peek(), isOne: true, run: () => present(id) })),
];

function stepWords() {
  if (store.run.value === null) return "no run";
  store.outlineVersion.value;
  const more = store.outline.value.complete ? "" : "+";
  return `step ${countText(store.position.value)} of ${countText(store.steps.value)}${more}`;
}

/** The current op with the names of its results. @returns {string} */
function opWords() {
  const number = store.currentOp.value;
  const program = store.program.value;
  if (number === null || program === null) return store.run.value === null ? "" : "end of the run";
  const op = program.op(number);
  const names = op.results.map((value) => program.value(value).name).join(", ");
  return `at ${names ? `${names} = ` : ""}${shortName(op)}`;
}

/** A laser pointer that follows the mouse, whose arrow is hidden. */
export function Pointer() {
  const dot = useRef(/** @type {HTMLDivElement|null} */ (null));
  const isOn = presenter.value && hasPointer.value;
  useLayoutEffect(() => {
    document.body.classList.toggle("has-pointer", isOn);
  }, [isOn]);
  useEffect(() => {
    const follow = (/** @type {PointerEvent} */ { clientX, clientY }) => {
      lastAt.x = clientX;
      lastAt.y = clientY;
      place(dot.current);
    };
    place(dot.current);
    window.addEventListener("pointermove", follow);
    return () => window.removeEventListener("pointermove", follow);
  }, []);
  return html`<div class="laser" ref=${dot} hidden=${!isOn} aria-hidden="true"></div>`;
}

/** The last position of the mouse; initially the middle. */
const lastAt = { x: window.innerWidth / 2, y: window.innerHeight / 2 };

/** @param {HTMLElement|null} dot */
function place(dot) {
  if (dot) dot.style.translate = `${lastAt.x}px ${lastAt.y}px`;
}

/** The dark screen; a click or any key ends it. */
export function DarkScreen() {
  const button = useRef(/** @type {HTMLButtonElement|null} */ (null));
  const isOn = presenter.value && isDark.value;
  useLayoutEffect(() => {
    if (isOn) button.current?.focus();
  }, [isOn]);
  return (
    isOn &&
    html`<button class="dark-screen" ref=${button} aria-label="The screen is dark: show the page again" onClick=${() => (isDark.value = false)}></button>`
  );
}
