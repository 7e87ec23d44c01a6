/** Dragging integers of the form in the picture, by pointer and by keys. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { effect, untracked } from "@preact/signals";
import { MOVERS } from "./dragging.js";
import * as play from "./state.js";
/** @import {PictureState} from "../../ui/tensor_grid/state.js" */
/** @import {Drag, Mover} from "./dragging.js" */

/** Rows and columns of each arrow key. @type {Readonly<Record<string, [number, number]>>} */
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** The button that makes a drag move integers, and the handlers of the picture; none for ops without such integers. @param {PictureState} state */
export function useDragging(state) {
  const [isOn, setOn] = useState(false);
  const mover = MOVERS[play.form.value?.op ?? ""];
  if (!mover || !play.isAnswered.value) return { isOn: false, tools: null, note: null, handlers: {} };
  const title = `Drag in the picture to move ${mover.says}. Alt with the arrow keys does the same.`;
  return {
    isOn,
    tools: html`<button type="button" aria-pressed=${isOn} title=${title} onClick=${() => setOn(!isOn)}>Drag to move</button>`,
    note: isOn && html`<p class="quiet drag-note">${title}</p>`,
    handlers: {
      onPointerDownCapture: (/** @type {PointerEvent} */ event) => isOn && press(event, state, mover),
      onKeyDownCapture: (/** @type {KeyboardEvent} */ event) => key(event, state, mover),
    },
  };
}

/** From the state at the press on, so that going back undoes the drag. @param {PointerEvent} event @param {PictureState} state @param {Mover} mover */
function press(event, state, mover) {
  const from = state.hovered.peek();
  if (event.button !== 0 || !from || from.number !== 0 || !mover.over.includes(from.side)) return;
  event.preventDefault();
  event.stopPropagation();
  const grid = event.target instanceof Element ? event.target.closest("[role=grid], [tabindex]") : null;
  if (grid instanceof HTMLElement) grid.focus({ preventScroll: true });
  const first = play.state.peek();
  const [at, wasPinned] = [chosenResult(state), state.pinned.peek()];
  // The window of the chosen element stays in view.
  state.pinned.value = state.selected.peek() !== null;
  let last = "";
  const stop = effect(() => {
    const now = state.hovered.value;
    if (now?.side !== from.side || now.number !== 0 || now.at.length !== from.at.length) return;
    const by = now.at.map((place, d) => place - (from.at[d] ?? 0));
    if (by.join() === last || (last === "" && !by.some(Boolean))) return;
    last = by.join();
    untracked(() => apply(mover, first, { by, at, sizes: event.shiftKey }));
  });
  const end = () => {
    stop();
    state.pinned.value = wasPinned;
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
  };
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}

/** @param {KeyboardEvent} event @param {PictureState} state @param {Mover} mover */
function key(event, state, mover) {
  const arrow = ARROWS[event.key];
  if (!arrow || !event.altKey || event.ctrlKey || event.metaKey) return;
  const picture = play.good.peek()?.picture;
  const shape = picture?.operands[0]?.shape;
  if (!shape || shape.length === 0) return;
  event.preventDefault();
  event.stopPropagation();
  const tensor = { side: /** @type {const} */ ("operand"), number: 0 };
  const { rows, columns } = state.layoutOf(tensor, shape, null, picture.roles?.operands[0]).slice;
  const by = shape.map((_, d) => (d === rows ? arrow[0] : d === columns ? arrow[1] : 0));
  if (by.some(Boolean)) apply(mover, play.state.peek(), { by, at: chosenResult(state), sizes: event.shiftKey });
}

/** @param {Mover} mover @param {import("../../core/types.js").FormState} first @param {Omit<Drag, "starts">} drag */
function apply(mover, first, drag) {
  const form = play.form.peek();
  if (!form) return;
  const starts = first.operands.start_indices?.length === 1 ? play.shownValue(form, "start_indices", 0) : null;
  const moved = mover.move(form, first, { ...drag, starts });
  if (moved) play.change(moved.next, moved.place);
}

/** @param {PictureState} state @returns {number[]} */
function chosenResult(state) {
  const chosen = state.selected.peek();
  return chosen?.side === "result" ? chosen.at : [];
}
