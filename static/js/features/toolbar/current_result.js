/** The result of the current op in one sentence, or what went wrong in it. */
import { computed } from "@preact/signals";
import { resultAddress } from "../../core/addresses.js";
import { isHidden } from "../../core/hidden_values.js";
import { findingsAt } from "../../core/run/findings.js";
import { shortName } from "../../core/run/op_names.js";
import { previousInFrame } from "../../core/run/values.js";
import * as store from "../../core/store.js";
import { summary, thumbnail, withoutMean } from "../../ui/thumbnails.js";

/** The step of the current op; at the end of the run, its last step in the outermost frame. */
const shownStep = computed(() =>
  store.atPosition((outline, at) => (at < outline.steps ? at : previousInFrame(outline, at, outline.frame(0)))),
);

/** @typedef {{sentence: string, whole: string, isWrong: boolean}} Result whole: with the line and the op */

/** @type {import("@preact/signals").ReadonlySignal<Result|null>} */
export const currentResult = computed(() => {
  const step = shownStep.value;
  const op = step === null ? null : store.atPosition((outline, _at, program) => program.op(outline.op(step)));
  if (step === null || op === null) return null;
  if (isHidden(store.recordingKey.value ?? "", resultAddress(store.process.value, step, 0))) return null;
  const [worst] = findingsAt(store.process.value, step);
  const isWrong = worst?.finding.grade === "harmful";
  const [value] = op.results;
  const range = value === undefined ? "" : rangeOf(step);
  const said = worst && worst.finding.grade !== "neutral" ? worst.mark.words : range;
  if (said === "") return null;
  const name = value === undefined ? shortName(op) : store.program.value?.value(value).name;
  const whole = `Line ${store.draftLine(op.line)}, ${shortName(op)}: ${value === undefined ? "" : `${name}: `}${said}`;
  return { sentence: `${name}: ${said}`, whole, isWrong };
});

/** The range of the first result, as the film strip shows it; empty until it is recorded and loaded. @param {number} step @returns {string} */
function rangeOf(step) {
  const key = store.recordingKey.value;
  if (key === null || step >= store.outline.value.steps) return "";
  const info = thumbnail(key, resultAddress(store.process.value, step, 0));
  return info ? withoutMean(summary(info).range) : "";
}
