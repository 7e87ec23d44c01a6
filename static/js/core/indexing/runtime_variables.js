/**
 * Runtime variables: numbers that a run reads from operands.
 *
 * @typedef {{value: number, raw: number|undefined, known: boolean, index: number[]}} Reading  value: as it is used, raw: as it
 *   was read; known: false where it leaves the domain; index: the element of the operand
 */
import { compile, variablesIn } from "./expressions.js";
import { keptFor } from "../kept.js";
/** @import {Values} from "./maps.js" */
/** @import {MapInfo as IndexMap, RuntimeInfo as RuntimeVariable} from "../types.js" */

/** @typedef {{results: import("./expressions.js").Evaluator[], constraints: {value: import("./expressions.js").Evaluator, low: number, high: number}[]}} Compiled */

/** @type {(map: IndexMap) => Compiled} */
const compiledMap = keptFor(({ results, constraints }) => ({
  results: results.map(compile),
  constraints: constraints.map(([expression, [low, high]]) => ({ value: compile(expression), low, high })),
}));

/** The runtime variables of a map over these values. @param {IndexMap} map @param {Values} values */
export const runtimesOf = (map, values) => new Runtimes(map, values);

export class Runtimes {
  /** @param {IndexMap} map @param {Values} values */
  constructor(map, values) {
    this.map = map;
    this.values = values;
    /** Whether a number was requested that is still loading. */
    this.waiting = false;
    this.inner = map.runtimes.map((variable) => new Runtimes(variable.map, values));
    /** The dimension and range variables that each depends on. @type {string[][]} */
    this.variables = map.runtimes.map((variable, number) => this.dependsOn(variable, number));
  }

  /** @param {RuntimeVariable} variable @param {number} number @returns {string[]} */
  dependsOn({ map, clamped }, number) {
    const found = new Set();
    const own = [...map.results, ...(clamped ? [] : map.constraints.map(([expression]) => expression))];
    for (const expression of own) variablesIn(expression, found);
    const inner = /** @type {Runtimes} */ (this.inner[number]);
    return [...found].flatMap((name) =>
      name.startsWith("rt") ? (inner.variables[Number(name.slice(2))] ?? []) : [name],
    );
  }

  /** The value of a variable for these dimension and range variables. @param {number} number @param {number[]} d @param {number[]} s @returns {Reading} */
  read(number, d, s) {
    const variable = /** @type {RuntimeVariable} */ (this.map.runtimes[number]);
    const inner = /** @type {Runtimes} */ (this.inner[number]);
    const shape = this.values.shapeOf(variable.operand);
    const { index, ...found } = inner.indexOf(d, variable.map.ranges.length > 0 ? s : []);
    const readable = found.readable && index.every((at, axis) => at >= 0 && at < (shape[axis] ?? 1));
    // An empty operand has no element to read; a clamped variable then takes the value nearest to 0.
    const raw = shape.includes(0)
      ? 0
      : this.values.at(
          variable.operand,
          index.map((at, axis) => Math.min(Math.max(at, 0), (shape[axis] ?? 1) - 1)),
        );
    if (inner.waiting || raw === undefined) this.waiting = true;
    const [low, high] = variable.interval;
    const value = Math.min(Math.max(raw ?? low, low), high);
    const known = raw !== undefined && (variable.clamped || (readable && raw >= low && raw <= high));
    return { value, raw, known, index };
  }

  /** The element of the operand that the map of a variable selects. @param {number[]} d @param {number[]} s */
  indexOf(d, s) {
    const { results, constraints } = compiledMap(this.map);
    const readings = this.map.runtimes.map((_, number) => this.read(number, d, s));
    const rt = readings.map(({ value }) => value);
    const inside = (/** @type {import("./expressions.js").Interval[]} */ bounds, /** @type {number[]} */ at) =>
      bounds.every(([low, high], k) => (at[k] ?? 0) >= low && (at[k] ?? 0) <= high);
    const readable =
      readings.every(({ known }) => known) &&
      inside(this.map.dimensions, d) &&
      inside(this.map.ranges, s) &&
      constraints.every(({ value, low, high }) => value(d, s, rt) >= low && value(d, s, rt) <= high);
    return { index: results.map((result) => result(d, s, rt)), readable };
  }
}

/**
 * The values of runtime variables, loaded in blocks around the requested elements.
 *
 * `at` starts loading a missing block and returns undefined until it has arrived; `arrived` is called then.
 *
 * @typedef {{key: string, load: () => Promise<(index: number[]) => number>}} Block  the numbers around an element
 * @typedef {{shape: number[]|null, block: (index: number[]) => Block|null}} Readable
 */

/** Maximum number of cached blocks. */
const KEPT = 256;

export class RunValues {
  /** @param {(operand: number) => Readable|null} sourceOf @param {() => void} arrived */
  constructor(sourceOf, arrived) {
    this.sourceOf = sourceOf;
    this.arrived = arrived;
    /** @type {Map<string, ((index: number[]) => number)|null>} null: on its way */
    this.blocks = new Map();
    /** @type {unknown} */
    this.error = null;
    this.closed = false;
  }

  /** @param {number} operand @returns {number[]} */
  shapeOf(operand) {
    return this.sourceOf(operand)?.shape ?? [];
  }

  /** @param {number} operand @param {number[]} index @returns {number|undefined} */
  at(operand, index) {
    const block = this.sourceOf(operand)?.block(index);
    if (!block) return undefined;
    const key = `${operand} ${block.key}`;
    const read = this.blocks.get(key);
    if (read === undefined) this.fetch(key, block);
    return read ? read(index) : undefined;
  }

  /** @param {string} key @param {Block} block */
  async fetch(key, block) {
    this.blocks.set(key, null);
    try {
      this.blocks.set(key, await block.load());
    } catch (error) {
      this.error = error;
    }
    for (const old of this.blocks.keys()) {
      if (this.blocks.size <= KEPT) break;
      if (old !== key) this.blocks.delete(old);
    }
    if (!this.closed) this.arrived();
  }

  close() {
    this.closed = true;
  }
}
