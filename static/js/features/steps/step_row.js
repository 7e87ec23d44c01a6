/** A step as a row: its number, how deep it is, its op, its line, and what went wrong in it. */
import { computed } from "@preact/signals";
import { html } from "htm/preact";
import { findingsAt } from "../../core/run/findings.js";
import { iterationText } from "../../core/run/iterations.js";
import { familyClass, shortName } from "../../core/run/op_names.js";
import { MissingChunk, NONE } from "../../core/run/outline.js";
import { fetchChunk } from "../../core/run/recording.js";
import * as store from "../../core/store.js";
import { regionWord } from "../../core/run/frame_titles.js";

const DEEPEST_INDENT = 12;

const breakpointOps = computed(() => store.program.value?.opsAt(store.runBreakpoints.value) ?? new Set());

/** @param {number} step @returns {import("../../ui/virtual_list.js").Row} */
export function stepRow(step) {
  const current = step === store.calmPosition.value;
  const told = describe(step);
  return {
    ...{ class: `step ${told.family}${current ? " current" : ""}`, selected: current },
    content: html`<span class="number">${step.toLocaleString("en")}</span>
    <span style=${{ width: `${Math.min(told.depth, DEEPEST_INDENT) * 12}px`, flex: "none" }}></span>
    ${told.stops ? html`<span class="stops"></span>` : html`<span class="tick"></span>`}
    <span class="op">${told.op}${told.iteration && html`<span class="iteration"> ${told.iteration}</span>`}</span>
    <${Wrong} step=${step} /><span class="line">${told.line}</span>`,
  };
}

/** A cross where something went wrong in the step. @param {{step: number}} props */
function Wrong({ step }) {
  const [worst] = findingsAt(store.process.value, step);
  if (!worst || worst.finding.grade === "neutral") return null;
  const words = worst.mark.words;
  return html`<span class=${`wrong grade-${worst.finding.grade}`} role="img" aria-label=${words} title=${words}>✖</span>`;
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
    return {
      op: shortName(op),
      family: familyClass(op),
      depth,
      line: String(store.draftLine(op.line)),
      iteration: iterationAt(program, step),
      stops: breakpointOps.value.has(op.id),
    };
  } catch (error) {
    if (!(error instanceof MissingChunk)) throw error;
    fetchChunk(error.column, error.chunk, error.process).catch(() => undefined);
    return nothing;
  }
}

/** The iteration, where a frame begins. @param {import("../../core/run/program.js").Program} program @param {number} step @returns {string} */
function iterationAt(program, step) {
  const outline = store.outline.value;
  const frame = outline.frame(step);
  if (step === 0 || outline.frame(step - 1) === frame || outline.opener(frame) === NONE) return "";
  const begins =
    outline.depth(step) > outline.depth(step - 1) || outline.parent(outline.frame(step - 1)) === outline.parent(frame);
  const iteration = begins && iterationText(outline, program, frame);
  return iteration
    ? `${regionWord(program.op(outline.op(outline.opener(frame))), outline.block(frame))} · ${iteration}`
    : "";
}
