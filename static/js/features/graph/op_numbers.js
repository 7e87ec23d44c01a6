/** Numbers of ops that a server computes over all steps: the time of the profile, and the error of the run in more digits. */
import { useMemo } from "preact/hooks";
import { short } from "../../core/tensor/elements.js";
import { precisionHere, runInMoreDigits } from "../precision/answer.js";
import { useProfile } from "../profile/answer.js";
import { secondsText, shareText } from "../profile/model.js";
/** @import {Node} from "./nest.js" */
/** @import {Parts} from "./parts.js" */
/** @import {Colouring} from "./state.js" */

/**
 * `all`: of the ops that a node stands for, none if it is open; `isSum`: a folded group has the sum of its ops, else their largest number. `about`: what the numbers are, after a range of them.
 *
 * @typedef {{all: (node: Node) => number[], isSum: boolean, text: (number: number) => string, words: (number: number) => string, about: string, title: string}} OpNumbers
 * @typedef {{numbers: OpNumbers|null, told: string, ask: (() => void)|null}} Asked  told: why there are none; ask: computes them
 */

/** @param {Parts} parts @param {readonly number[]} ops @param {readonly (number|null)[]} column null: infinite @returns {OpNumbers["all"]} */
export function ofOps({ program }, ops, column) {
  const numbers = new Map(ops.map((op, at) => [op, column[at] ?? Infinity]));
  return (node) => {
    if (node.isOpen) return [];
    const own =
      node.op === null ? [...node.ops, ...node.bodies.flatMap((block) => program.block(block).ops)] : [node.op];
    return own.map((op) => numbers.get(op) ?? NaN);
  };
}

/** @param {Colouring} colouring @param {Parts} parts @returns {Asked|null} */
export function useOpNumbers(colouring, parts) {
  const profile = useProfile(colouring === "time");
  const precision = precisionHere();
  const times = useMemo(() => profile.value && timesOf(parts, profile.value), [parts, profile.value]);
  const errors = useMemo(() => precision.value && errorsOf(parts, precision.value), [parts, precision.value]);
  if (colouring === "time") {
    const told = profile.version === null ? "The times are known when the program has run." : "Computing the profile…";
    return { numbers: profile.error ? null : (times ?? null), told: profile.error?.message ?? told, ask: null };
  }
  if (colouring !== "error") return null;
  const { value, error, isLoading, refusal } = precision;
  const why = refusal || value?.problem || (isLoading ? "Running in more digits…" : "");
  if (why || errors) return { numbers: why ? null : (errors ?? null), told: why, ask: null };
  return { numbers: null, told: error?.message ?? "", ask: () => runInMoreDigits() };
}

/** @param {Parts} parts @param {import("../../core/types.js").ProfileInfo} profile @returns {OpNumbers} */
function timesOf(parts, { ops, totals, seconds, measured }) {
  const all = seconds.reduce((sum, each) => sum + each, 0);
  return {
    all: ofOps(parts, ops, totals),
    isSum: true,
    text: secondsText,
    words: (number) => `${secondsText(number)}, ${shareText(number, all)} of the time`,
    about: "in all executions",
    title: measured,
  };
}

/** @param {Parts} parts @param {import("../../core/types.js").PrecisionInfo} precision @returns {OpNumbers} */
function errorsOf(parts, { ops, errors, wide }) {
  return {
    all: ofOps(parts, ops, errors),
    isSum: false,
    text: (number) => short(number, 2),
    words: (number) =>
      number === Infinity ? `finite in only one of this run and the run in ${wide}` : `error ${short(number, 2)}`,
    about: `largest error of a value, relative to its size in ${wide}`,
    title: "Of all steps of an op, the one that is furthest from the run in more digits",
  };
}
