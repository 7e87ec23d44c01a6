/** What the last step did, in one sentence: the op, its result, and what went wrong in it. */
import { computed } from "@preact/signals";
import { resultAddress } from "../../core/addresses.js";
import { isHidden } from "../../core/hidden_values.js";
import { findingsAt } from "../../core/run/findings.js";
import { shortName } from "../../core/run/op_names.js";
import { previousInFrame } from "../../core/run/values.js";
import * as store from "../../core/store.js";
import { summary, thumbnail, withoutMean } from "../../ui/thumbnails.js";

/** The step that the current frame ran last; null where it has run none. */
const lastStep = computed(() =>
  store.atPosition((outline, at) => {
    const frame = at < outline.steps ? outline.frame(at) : outline.frame(0);
    return previousInFrame(outline, at, frame);
  }),
);

/** @typedef {{sentence: string, whole: string, isWrong: boolean}} Happened `whole` says of which op, too */

/** @type {import("@preact/signals").ReadonlySignal<Happened|null>} */
export const whatHappened = computed(() => {
  const step = lastStep.value;
  const op = step === null ? null : store.atPosition((outline, _at, program) => program.op(outline.op(step)));
  if (step === null || op === null) return null;
  if (isHidden(store.recordingKey.value ?? "", resultAddress(store.process.value, step, 0))) return null;
  const [worst] = findingsAt(store.process.value, step);
  const isWrong = worst?.finding.grade === "harmful";
  const said = worst && worst.finding.grade !== "neutral" ? worst.mark.words : rangeOf(step);
  const [value] = op.results;
  if (said === "") return null;
  const name = value === undefined ? shortName(op) : store.program.value?.value(value).name;
  const whole = `Line ${store.draftLine(op.line)}, ${shortName(op)}: ${value === undefined ? "" : `${name}: `}${said}`;
  return { sentence: `${name}: ${said}`, whole, isWrong };
});

/** The values of the first result, as the strip has them; nothing until they are here. @param {number} step @returns {string} */
function rangeOf(step) {
  const key = store.recordingKey.value;
  if (key === null) return "";
  const info = thumbnail(key, resultAddress(store.process.value, step, 0));
  return info ? withoutMean(summary(info).range) : "";
}
