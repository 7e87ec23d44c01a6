/**
 * The distribution of an argument over the processes of a grid: the same value, parts of a whole, or separate values.
 * Plain data.
 *
 * @typedef {"one"|"same"|"each"|"apart"} Way
 */
/** @import {GridSize, InputSpec, ValueSpec} from "../../core/types.js" */

/** @param {InputSpec} input @returns {Way} */
export const wayOf = (input) =>
  input.kind === "same" || input.kind === "each" || input.kind === "apart" ? input.kind : "one";

/** The single source of a value; of separate ones, that of the first process. @param {InputSpec} input @returns {ValueSpec} */
export function baseOf(input) {
  if (input.kind === "same" || input.kind === "apart") return input.base;
  return input.kind === "each" ? (input.specs[0] ?? NORMAL) : input;
}

/** @type {Extract<ValueSpec, {seed: number}>} */
const NORMAL = { kind: "normal", seed: 0 };

/** @param {ValueSpec} spec @returns {spec is Extract<ValueSpec, {seed: number}>} */
export const isGenerated = (spec) => "seed" in spec;

/** The same values in another distribution. @param {Way} way @param {InputSpec} input @param {number} processes @returns {InputSpec} */
export function inWay(way, input, processes) {
  const base = baseOf(input);
  if (way === "same") return { kind: "same", base };
  if (way === "apart") return { kind: "apart", base: isGenerated(base) ? base : NORMAL };
  return way === "each" ? { kind: "each", specs: Array.from({ length: processes }, () => base) } : base;
}

/** Another value in the same distribution. @param {InputSpec} input @param {ValueSpec} base @returns {InputSpec} */
export function withBase(input, base) {
  if (input.kind === "same") return { ...input, base };
  if (input.kind === "apart") return isGenerated(base) ? { ...input, base } : input;
  return base;
}

/** Another value for one process. @param {Extract<InputSpec, {kind: "each"}>} input @param {number} process @param {ValueSpec} spec @returns {InputSpec} */
export const withSpec = (input, process, spec) => ({
  ...input,
  specs: input.specs.map((other, at) => (at === process ? spec : other)),
});

/** A value for each process: new processes get that of the last. @param {InputSpec} input @param {number} processes @returns {InputSpec} */
export function forProcesses(input, processes) {
  if (input.kind !== "each") return input;
  const last = input.specs.at(-1) ?? NORMAL;
  return { kind: "each", specs: Array.from({ length: processes }, (_, at) => input.specs[at] ?? last) };
}

/** The choices with their labels. @param {boolean} isCut whether the argument is a part of a whole @returns {[Way, string][]} */
export const waysFor = (isCut) => [
  ...(isCut
    ? /** @type {[Way, string][]} */ ([
        ["one", "whole, split into parts"],
        ["same", "the same part for all"],
      ])
    : /** @type {[Way, string][]} */ ([["one", "the same for all"]])),
  ["apart", "random, different in each process"],
  ["each", "one for each process"],
];

/** The next random numbers. @param {InputSpec} input @returns {InputSpec} */
export function nextSeed(input) {
  if (input.kind === "each")
    return { ...input, specs: input.specs.map((spec) => /** @type {ValueSpec} */ (nextSeed(spec))) };
  if (input.kind === "same") return { ...input, base: /** @type {ValueSpec} */ (nextSeed(input.base)) };
  if (input.kind === "apart") return { ...input, base: { ...input.base, seed: input.base.seed + 1 } };
  return input.kind === "normal" || input.kind === "uniform" ? { ...input, seed: (input.seed ?? 0) + 1 } : input;
}

/** @param {GridSize} grid @returns {number} */
export const processesOf = ({ replicas, partitions }) => replicas * partitions;

/** `(0, 1)`: the coordinates of a process. @param {number} process @param {GridSize} grid @returns {string} */
export const placeName = (process, { partitions }) => `(${Math.floor(process / partitions)}, ${process % partitions})`;

/** @param {GridSize} one @param {GridSize} other */
export const isSameGrid = (one, other) => one.replicas === other.replicas && one.partitions === other.partitions;

/** The grid in a request; undefined if it is that of the program. @param {GridSize} grid @param {GridSize} needed @returns {GridSize|null} */
export const chosenGrid = (grid, needed) => (isSameGrid(grid, needed) ? null : grid);
