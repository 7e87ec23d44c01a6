/**
 * Keys of presenter remotes, and some letters, in presenter mode. A remote sends Page Down and Page Up, or arrows; its
 * button for a dark screen sends a full stop or B. They work wherever the focus is, except in fields and dialogs.
 */
import { effect } from "@preact/signals";
import * as actions from "../../core/actions.js";
import { forAudience, presenter } from "../../core/preferences.js";
import { hasPointer, isDark, leave, switchView } from "./state.js";

/** Minimum duration of a key that is held: releasing it hides what it showed. */
const HELD = 350;

/** @type {Record<string, () => void>} */
const ANYWHERE = {
  PageDown: actions.stepOver,
  PageUp: actions.stepBackOver,
  ".": () => (isDark.value = true),
  B: () => (isDark.value = true),
  S: switchView,
};

/** Elements in which arrow keys have no other meaning. @type {Record<string, () => void>} */
const ARROWS = {
  ArrowRight: actions.stepOver,
  ArrowDown: actions.stepOver,
  ArrowLeft: actions.stepBackOver,
  ArrowUp: actions.stepBackOver,
};

const FIELDS = "input, select, textarea, [role=menu], dialog, [role=listbox]";
const OWN_ARROWS =
  "[role=application], [role=grid], [role=tree], [role=slider], [role=toolbar], [role=separator], [role=radiogroup]";
/** Keys that insert text. */
const WRITES = /^(?:.|Enter|Backspace|Delete)$/u;

/** Listen while presenter mode is on. @returns {() => void} */
export function listenWhilePresenting() {
  const aim = pointerKey();
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (!presenter.peek() || forAudience.peek() || event.ctrlKey || event.altKey || event.metaKey) return;
    if (isDark.peek()) return stop(event, () => (isDark.value = false));
    const target = /** @type {Element|undefined} */ (event.composedPath()[0]);
    if (document.querySelector("dialog[open], [role=menu]") || target?.closest?.(FIELDS)) return;
    const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
    if (key === "L") return stop(event, () => aim.down(event));
    if (key === "Escape") return stop(event, hasPointer.peek() ? () => (hasPointer.value = false) : leave);
    const run = event.shiftKey ? undefined : (ANYWHERE[key] ?? arrow(key, target));
    if (run) return stop(event, run);
    // The text is not edited: the full stop of a remote must not be inserted.
    if (target?.closest?.(".cm-content") && WRITES.test(event.key)) stop(event, () => {});
  };
  const onKeyUp = (/** @type {KeyboardEvent} */ event) => event.key.toUpperCase() === "L" && aim.up(event);
  window.addEventListener("keydown", onKey, { capture: true });
  window.addEventListener("keyup", onKeyUp, { capture: true });
  return effect(() => {
    if (!presenter.value) isDark.value = hasPointer.value = false;
  });
}

/** @param {string} key @param {Element|undefined} target */
const arrow = (key, target) => (target?.closest?.(OWN_ARROWS) ? undefined : ARROWS[key]);

/** @param {KeyboardEvent} event @param {() => void} run */
function stop(event, run) {
  event.preventDefault();
  event.stopPropagation();
  run();
}

/** L shows the pointer while it is held; a short press keeps it until L or Escape. */
function pointerKey() {
  let since = 0;
  let wasOn = false;
  return {
    down: (/** @type {KeyboardEvent} */ event) => {
      if (event.repeat) return;
      since = event.timeStamp;
      wasOn = hasPointer.peek();
      hasPointer.value = true;
    },
    up: (/** @type {KeyboardEvent} */ event) => {
      if (wasOn || event.timeStamp - since > HELD) hasPointer.value = false;
    },
  };
}
