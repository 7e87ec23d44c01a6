/** The list of steps: only those in view exist, so that a million are as quick as ten. */
import { computed, signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { regionWord } from "./call_stack.js";
import { goTo, stepBack, stepInto } from "../actions.js";
import { familyClass, isIterated, shortName } from "../run/families.js";
import { MissingChunk, NONE } from "../run/outline.js";
import { fetchChunk } from "../run/recording.js";
import * as store from "../store.js";

/** Browsers cannot scroll further than this many pixels; beyond it a pixel stands for several. */
const MOST_PIXELS = 8_000_000;
const DEEPEST_INDENT = 12;

const scrolled = signal({ top: 0, height: 400, row: 22 });
const rows = computed(() => store.steps.value + (store.outlineVersion.value >= 0 && store.outline.value.done ? 1 : 0));
const stretch = computed(() => Math.max(1, (rows.value * scrolled.value.row) / MOST_PIXELS));
const first = computed(() => Math.floor((scrolled.value.top * stretch.value) / scrolled.value.row));
const breakpointOps = computed(() => store.program.value?.opsAt(store.runBreakpoints.value) ?? new Set());

export function StepsPanel() {
  const list = useRef(/** @type {HTMLDivElement|null} */ (null));
  useEffect(() => observe(list.current), []);
  useEffect(() => keepInView(list.current), [store.position.value]);
  const { height, row } = scrolled.value;
  const count = Math.min(rows.value - first.value, Math.ceil(height / row) + 2);
  if (rows.value === 0) return html`<p class="empty">Each op that ran is a step. Run the program to see them.</p>`;
  return html`<div class="step-list" ref=${list} tabindex="0" role="listbox" aria-label="Steps" onKeyDown=${onKey}
    aria-activedescendant=${`step-${store.position.value}`} onScroll=${() => measure(list.current)}>
    <div class="all" style=${{ height: `${Math.min(rows.value * row, MOST_PIXELS)}px` }}>
      ${Array.from({ length: Math.max(0, count) }, (_, i) => html`<${Step} key=${first.value + i} step=${first.value + i}
        top=${stretch.value === 1 ? (first.value + i) * row : scrolled.value.top + i * row} />`)}
    </div></div>`;
}

/** @param {HTMLDivElement|null} list */
function observe(list) {
  if (!list) return undefined;
  const observer = new ResizeObserver(() => measure(list));
  observer.observe(list);
  measure(list);
  keepInView(list);
  return () => observer.disconnect();
}

/** @param {HTMLDivElement|null} list */
function measure(list) {
  if (!list) return;
  const row = parseFloat(getComputedStyle(list).getPropertyValue("--row")) || 22;
  scrolled.value = { top: list.scrollTop, height: list.clientHeight, row };
}

/** @param {HTMLDivElement|null} list */
function keepInView(list) {
  if (!list) return;
  const { height, row } = scrolled.value;
  const at = store.position.value;
  const inView = Math.floor(height / row);
  if (at >= first.value + 1 && at < first.value + inView - 1) return;
  list.scrollTop = (Math.max(0, at - Math.floor(inView / 2)) * row) / stretch.value;
  measure(list);
}

/** In the focused list, arrows walk the steps. @param {KeyboardEvent} event */
function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const page = Math.floor(scrolled.value.height / scrolled.value.row);
  const at = store.position.value;
  const acts = /** @type {Record<string, () => void>} */ ({
    ArrowDown: stepInto, ArrowUp: stepBack, ".": stepInto, ",": stepBack,
    PageDown: () => goTo(at + page), PageUp: () => goTo(at - page), Home: () => goTo(0), End: () => goTo(store.outline.value.last),
  });
  const act = acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

/** @param {{step: number, top: number}} props */
function Step({ step, top }) {
  const current = step === store.position.value;
  const told = describe(step);
  const style = { transform: `translateY(${top}px)` };
  return html`<div class=${`step ${told.family}${current ? " current" : ""}`} id=${`step-${step}`} role="option" aria-selected=${current} style=${style} onClick=${() => goTo(step)}>
    <span class="number">${step.toLocaleString("en")}</span>
    <span style=${{ width: `${Math.min(told.depth, DEEPEST_INDENT) * 12}px`, flex: "none" }}></span>
    ${told.stops ? html`<span class="stops"></span>` : html`<span class="tick"></span>`}
    <span class="op">${told.op}${told.iteration && html`<span class="iteration"> ${told.iteration}</span>`}</span>
    <span class="line">${told.line}</span></div>`;
}

/** @param {number} step */
function describe(step) {
  const nothing = { op: "…", family: "", depth: 0, line: "", iteration: "", stops: false };
  store.outlineVersion.value;
  const [outline, program] = [store.outline.value, store.program.value];
  if (program === null) return nothing;
  if (step >= outline.steps) return { ...nothing, op: "end" };
  try {
    const op = program.op(outline.op(step));
    const depth = outline.depth(step) - outline.depth(0);
    return { op: shortName(op), family: familyClass(op), depth, line: String(store.draftLine(op.line)), iteration: iterationAt(program, step), stops: breakpointOps.value.has(op.id) };
  } catch (error) {
    if (!(error instanceof MissingChunk)) throw error;
    fetchChunk(error.column, error.chunk, error.process).catch(() => undefined);
    return nothing;
  }
}

/** The iteration, where a frame begins. @param {import("../run/program.js").Program} program @param {number} step @returns {string} */
function iterationAt(program, step) {
  const outline = store.outline.value;
  const frame = outline.frame(step);
  if (step === 0 || outline.frame(step - 1) === frame || outline.opener(frame) === NONE) return "";
  const iteration = outline.iteration(frame);
  const begins = outline.depth(step) > outline.depth(step - 1) || outline.parent(outline.frame(step - 1)) === outline.parent(frame);
  return begins && isIterated(outline, program, frame) ? `${regionWord(program.op(outline.op(outline.opener(frame))), outline.block(frame))} · iteration ${iteration.toLocaleString("en")}` : "";
}
