/**
 * The search over values, as in engine/debugger/value_search.py, for the complete values of the page. Position 0 is
 * the arguments of a process, position n + 1 is step n.
 */
import { argumentAddress, elementAddress, resultAddress } from "../addresses.js";
import { CHUNK } from "../run/outline.js";
import { Program } from "../run/program.js";
import { fetchTable } from "../run/program_table.js";
import { hasShape, parseShape, spelledInMlir } from "../search/query.js";
import { elementOf } from "../tensor/axes.js";
import { elementAt, elementText } from "../tensor/elements.js";
import { parsePredicate } from "./predicates.js";
import { Refusal, wholeValue } from "./values.js";
/** @import {SearchResult} from "../types.js" */
/** @import {Whole} from "./values.js" */

/** Limits of one response; the page shows its hits and continues the search. */
const MOST_HITS = 200;
const MS = 100;

/** @param {import("./file_source.js").Table} table @param {URLSearchParams} query @returns {Promise<SearchResult>} */
export async function search(table, query) {
  const program = new Program(await fetchTable((path) => table.json(path), ""));
  const wanted = { shape: shapePredicate(query.get("shape") ?? ""), holds: parsePredicate(query) };
  const process = Number(query.get("process") ?? 0);
  const start = Number(query.get("from") ?? 0);
  const [steps, block] = await Promise.all([opsOf(table, process), blockOf(table, process)]);
  const until = performance.now() + MS;
  /** @type {SearchResult["hits"]} */
  const hits = [];
  let position = start;
  for (; position <= steps.length && hits.length < MOST_HITS && performance.now() < until; position++) {
    const op = position === 0 ? null : (steps[position - 1] ?? null);
    for (const made of madeAt(program, { process, block }, position, op)) {
      const value = await wholeValue(table, made.address);
      const found = value && wanted.shape(value.summary) ? wanted.holds(value) : null;
      if (value && found) hits.push(hitOf(position, made, value, found));
    }
  }
  return { hits, next: position <= steps.length ? position : null, looked: position - start };
}

/** The op of each step of a process. @param {import("./file_source.js").Table} table @param {number} process @returns {Promise<number[]>} */
async function opsOf(table, process) {
  const steps = [];
  for (let chunk = 0; ; chunk++) {
    const bytes = await table.bytes(`outline?chunk=${chunk}${process === 0 ? "" : `&process=${process}`}`);
    if (!bytes) return steps;
    const count = bytes.byteLength / 10;
    steps.push(...new Uint32Array(bytes, 0, count));
    if (count < CHUNK) return steps;
  }
}

/** The first block of a process. @param {import("./file_source.js").Table} table @param {number} process @returns {Promise<number>} */
async function blockOf(table, process) {
  const bytes = await table.bytes(`frames?chunk=0${process === 0 ? "" : `&process=${process}`}`);
  return bytes && bytes.byteLength > 0 ? (new Uint32Array(bytes, 0, 1)[0] ?? 0) : 0;
}

/** @typedef {{address: string, value: number, name: string, line: number}} Made */

/** The tensors produced at a position, including those in tuples. @param {Program} program @param {{process: number, block: number}} of the block is that of the arguments @param {number} position @param {number|null} op @returns {Made[]} */
function madeAt(program, { process, block }, position, op) {
  if (op !== null) {
    const { results, line } = program.op(op);
    return results.flatMap((value, index) =>
      leaves(program, value, resultAddress(process, position - 1, index)).map((leaf) => ({ ...leaf, value, line })),
    );
  }
  const entry = program.functions.find((candidate) => candidate.block === block);
  const { arguments: values } = program.block(block);
  return values.flatMap((value, index) => {
    const line = program.parameters[String(value)] ?? entry?.line ?? 1;
    return leaves(program, value, argumentAddress(process, 0, index)).map((leaf) => ({ ...leaf, value, line }));
  });
}

/** @param {Program} program @param {number} value @param {string} address @returns {{address: string, name: string}[]} */
function leaves(program, value, address) {
  const { elements, name } = program.value(value);
  if (elements === null) return [{ address, name }];
  return pathsIn(elements).map((path) => ({
    address: elementAddress(address, path),
    name: `${name}{${path.join(",")}}`,
  }));
}

/** @param {import("../types.js").TupleElement[]} elements @returns {number[][]} */
const pathsIn = (elements) =>
  elements.flatMap(({ isTensor, elements: inner }, number) =>
    inner ? pathsIn(inner).map((path) => [number, ...path]) : isTensor ? [[number]] : [],
  );

/** @param {number} position @param {Made} made @param {Whole} value @param {{count: number, first: number}} found @returns {SearchResult["hits"][number]} */
function hitOf(position, made, { summary, plane }, { count, first }) {
  const { type, shape, wire, elementType } = summary;
  return {
    ...made,
    step: position === 0 ? null : position - 1,
    type,
    count,
    size: summary.count,
    shape,
    index: elementOf(shape, first),
    element: summary.count > 0 ? elementText(elementAt(plane, wire, first), elementType, wire) : "",
  };
}

/** @param {string} text @returns {(summary: import("../types.js").ValueSummary) => boolean} */
function shapePredicate(text) {
  if (!text.trim()) return () => true;
  const shape = parseShape(text, true);
  if (shape === null)
    throw new Refusal(`${text} is not a shape; one looks like f32[64,768], [64,?] or tensor<64x768xf32>.`);
  return ({ shape: sizes, elementType }) => hasShape(shape, { shape: sizes, elementType: spelledInMlir(elementType) });
}
