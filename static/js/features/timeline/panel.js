/** The timeline: all steps from left to right, frames as segments by depth, breakpoints, and the position. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import * as actions from "../../core/actions.js";
import { findingsAt, markedSteps } from "../../core/run/findings.js";
import { memoryInFront } from "../../core/run/memory.js";
import { shortName } from "../../core/run/op_names.js";
import { shownStops } from "../../core/run/stops.js";
import * as store from "../../core/store.js";
import { countText } from "../../core/tensor/elements.js";
import { actOnKey, shareAt, STEPPING } from "../../ui/acts.js";
import { keepDrawn } from "../../ui/canvas.js";
import { drawTimeline } from "./draw.js";
import { GridTimeline } from "./process_rows.js";
import { capturePointer, PAGE, tipAt } from "./track.js";
import { addPanel, focusFirst } from "../layout/panels.js";
import { presenter } from "../../core/preferences.js";

addPanel({
  id: "timeline",
  title: "Timeline",
  dock: "timeline",
  order: 1,
  help: "timeline",
  Panel: TimelinePanel,
  keeps: true,
  isBare: true,
  height: heightOfTimeline,
  focus: focusFirst('[role="slider"]'),
});

const hovered = signal(/** @type {number|null} */ (null));

export function TimelinePanel() {
  return store.grid.value ? html`<${GridTimeline} />` : html`<${OneTimeline} />`;
}

/** The timeline of a run of one process. */
function OneTimeline() {
  const track = useRef(/** @type {HTMLDivElement|null} */ (null));
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  useEffect(() => keepDrawn(canvas.current, look), []);
  const last = Math.max(0, store.outlineVersion.value >= 0 ? store.outline.value.last : 0);
  const at = store.calmPosition.value;
  // The sentence changes with the position, which follows once the step is painted.
  const { sentence } = store.stop.peek();
  return html`<div class="timeline alone">
    <div class="track" ref=${track} role="slider" tabindex="0" aria-label="Timeline" aria-orientation="horizontal" aria-valuemin="0" aria-valuemax=${last}
      aria-valuenow=${Math.min(at, last)} aria-valuetext=${`step ${countText(at)} of ${countText(store.steps.value)}. ${sentence}`}
      onKeyDown=${onKey} onPointerDown=${onPointer} onPointerMove=${onHover} onPointerLeave=${() => (hovered.value = null)}>
      <canvas ref=${canvas}></canvas>
      ${store.steps.value > 0 && html`<${PositionMark} share=${at / Math.max(1, last)} />`}
      <${Tip} track=${track} />
    </div></div>`;
}

/** The position, outside the canvas, which does not change during stepping. @param {{share: number}} props */
function PositionMark({ share }) {
  const failed = share >= 1 && store.recordingState.value.kind === "failed";
  const left = `clamp(1px, ${100 * share}%, 100% - 1px)`;
  return html`<span class=${`position ${failed ? "failed" : ""}`} style=${{ left }} aria-hidden="true"></span>`;
}

/** @param {{track: {current: HTMLDivElement|null}}} props */
function Tip({ track }) {
  const step = hovered.value;
  if (step === null || store.steps.value === 0) return null;
  return tipAt(track, step / Math.max(1, store.outline.value.last), 160, `step ${countText(step)} ${lineOf(step)}`);
}

/** @param {number} step @returns {string} */
function lineOf(step) {
  const op = store.atPosition((outline, _at, program) => (step < outline.steps ? program.op(outline.op(step)) : null));
  const [worst] = findingsAt(0, step);
  const wrong = worst ? ` · ${worst.mark.words}` : "";
  return op ? `· line ${store.draftLine(op.line)} · ${shortName(op)}${wrong}` : "";
}

/** @param {HTMLCanvasElement} canvas @returns {() => void} */
function look(canvas) {
  store.outlineVersion.value;
  const picture = {
    outline: store.outline.value,
    program: store.program.value,
    stops: shownStops.value,
    findings: markedSteps(0),
    memory: memoryInFront(),
  };
  return () => drawTimeline(canvas, picture);
}

/** In the focused timeline, arrow keys, comma and full stop step through the run. @param {KeyboardEvent} event */
function onKey(event) {
  const at = store.position.value;
  actOnKey(event, {
    ...STEPPING,
    ".": actions.stepInto,
    ",": actions.stepBack,
    PageUp: () => actions.goTo(at + PAGE),
    PageDown: () => actions.goTo(at - PAGE),
    Home: () => actions.goTo(0),
    End: () => actions.goTo(store.outline.value.last),
  });
}

/** @param {PointerEvent} event @returns {number} */
const stepAt = (event) => Math.round(shareAt(event) * store.outline.value.last);

/** @param {PointerEvent} event */
function onPointer(event) {
  capturePointer(event);
  actions.goTo(stepAt(event));
}

/** @param {PointerEvent} event */
function onHover(event) {
  hovered.value = stepAt(event);
  if (event.buttons === 1 && hovered.value !== store.position.value) actions.browseTo(hovered.value);
}

/** The height of one process's row, or of several rows, larger in presenter mode. */
function heightOfTimeline() {
  const rows = store.grid.value === null ? 60 : 128;
  return presenter.value ? Math.round(rows * 1.3) : rows;
}
