/**
 * The elements that an index map relates to a box of elements. Exact; enumerates elements only where the map couples
 * its variables.
 *
 * What runtime variables are read from; undefined: not here yet.
 * @typedef {{shapeOf: (operand: number) => number[], at: (operand: number, index: number[]) => number|undefined}} Values
 */
import { compile, substitute, intervalOf, linear, variablesIn } from "./expressions.js";
import { boxesOf, emptyRegion } from "./regions.js";
import { runtimesOf } from "./runtime_variables.js";
/** @import {Interval} from "./expressions.js" */
/** @import {Box, Region} from "./regions.js" */
/** @import {RuntimeInfo as RuntimeVariable, MapInfo as IndexMap, OperandMapInfo as OperandMap, ExpressionJson as Expression} from "../types.js" */

/** Maximum number of combinations of coupled variables per answer, so that it takes less than a frame. */
export const BUDGET = 1 << 16;

/** @typedef {{start: number, size: number, stride: number}} Domain  the values that a variable takes */
/** @typedef {{variables: string[], results: number[], constraints: number[], runtimes: number[]}} Group */

/** Thrown internally when an answer exceeds the budget. */
export class TooMany extends Error {}

/**
 * The elements of a tensor of `shape` that the map relates to `box`; null for an undefined map.
 *
 * With `place`, the region has one more axis, the last: the index of the process.
 *
 * @param {IndexMap} map @param {Expression|null} place @param {Box} box @param {number[]} shape @param {Values} values @param {number} [budget]
 * @returns {Region|null}
 */
export function imageOf(map, place, box, shape, values, budget = BUDGET) {
  if (map.kind === "undefined") return null;
  const results = place === null ? map.results : [...map.results, place];
  const sizes = place === null ? shape : [...shape, placeCount(map, place)];
  if (map.kind === "empty" || sizes.includes(0)) return emptyRegion(sizes);
  const domains = domainsOf(map, box);
  if (domains === null) return emptyRegion(sizes);
  const work = new Image(map, results, sizes, domains, values, budget);
  try {
    return work.region();
  } catch (error) {
    if (error instanceof TooMany) return { ...emptyRegion(sizes), complete: false };
    throw error;
  }
}

/** The number of processes that `place` can refer to. @param {IndexMap} map @param {Expression} place @returns {number} */
export const placeCount = (map, place) => intervalOf(place, (name) => boundsIn(map, name))[1] + 1;

/** @param {IndexMap} map @param {string} name @returns {Interval} */
function boundsIn(map, name) {
  if (name.startsWith("rt")) return map.runtimes[Number(name.slice(2))]?.interval ?? [0, 0];
  return (name.startsWith("d") ? map.dimensions : map.ranges)[Number(name.slice(1))] ?? [0, 0];
}

/** The domain of each variable; null if one is empty. @param {IndexMap} map @param {Box} box @returns {Map<string, Domain>|null} */
function domainsOf(map, { start, sizes, strides }) {
  const found = new Map();
  for (const [number, [low, high]] of map.dimensions.entries()) {
    const stride = strides[number] ?? 1;
    const begin = start[number] ?? 0;
    const first = Math.max(0, Math.ceil((low - begin) / stride));
    const last = Math.min((sizes[number] ?? 1) - 1, Math.floor((high - begin) / stride));
    if (last < first) return null;
    found.set(`d${number}`, { start: begin + first * stride, size: last - first + 1, stride });
  }
  for (const [number, [low, high]] of map.ranges.entries()) {
    if (high < low) return null;
    found.set(`s${number}`, { start: low, size: high - low + 1, stride: 1 });
  }
  return found;
}

class Image {
  /** @param {IndexMap} map @param {Expression[]} results @param {number[]} sizes @param {Map<string, Domain>} domains @param {Values} values @param {number} budget */
  constructor(map, results, sizes, domains, values, budget) {
    this.map = map;
    this.results = results;
    this.sizes = sizes;
    this.domains = domains;
    this.budget = budget;
    this.runtimes = runtimesOf(map, values);
    this.d = map.dimensions.map((_, number) => domains.get(`d${number}`)?.start ?? 0);
    this.s = map.ranges.map((_, number) => domains.get(`s${number}`)?.start ?? 0);
    this.rt = map.runtimes.map(() => 0);
  }

  /** @returns {Region} */
  region() {
    const groups = this.groups();
    const empty = emptyRegion(this.sizes);
    const factors = [];
    for (const group of groups) {
      const factor = this.factor(group);
      if (factor === null) return { ...empty, waiting: this.runtimes.waiting };
      if (factor.axes.length > 0) factors.push(factor);
    }
    return { shape: this.sizes, parts: [factors], complete: true, waiting: this.runtimes.waiting };
  }

  /** Variables with several values that an expression depends on, directly or through its runtime variables. @param {Iterable<string>} names @returns {string[]} */
  free(names) {
    const found = new Set();
    for (const name of names) {
      const own = name.startsWith("rt") ? (this.runtimes.variables[Number(name.slice(2))] ?? []) : [name];
      for (const variable of own) if ((this.domains.get(variable)?.size ?? 1) > 1) found.add(variable);
    }
    return [...found];
  }

  /** Groups of variables that occur together, with the results and constraints that depend on them. @returns {Group[]} */
  groups() {
    const uses = [
      ...this.results.map((result, number) => ({ kind: "results", number, variables: this.free(variablesIn(result)) })),
      ...this.map.constraints.map(([expression], number) => ({
        kind: "constraints",
        number,
        variables: this.free(variablesIn(expression)),
      })),
      ...this.map.runtimes.flatMap(({ clamped }, number) =>
        clamped ? [] : [{ kind: "runtimes", number, variables: this.free([`rt${number}`]) }],
      ),
    ];
    /** @type {Group[]} */
    let groups = [];
    for (const { kind, number, variables } of uses) {
      const touched = groups.filter((group) => group.variables.some((variable) => variables.includes(variable)));
      const merged = touched.reduce(join, { variables, results: [], constraints: [], runtimes: [] });
      merged[/** @type {"results"|"constraints"|"runtimes"} */ (kind)].push(number);
      groups = [...groups.filter((group) => !touched.includes(group)), merged];
    }
    return groups;
  }

  /** The boxes of a group along its axes; null if they are empty. @param {Group} group @returns {import("./regions.js").Factor|null} */
  factor(group) {
    return this.straight(group) ?? this.enumerated(group);
  }

  /** The boxes of a group with one axis that needs no enumeration: an unconstrained sum of variables. @param {Group} group @returns {import("./regions.js").Factor|null} */
  straight({ variables, results, constraints, runtimes }) {
    const [axis] = results;
    if (results.length !== 1 || axis === undefined || runtimes.length > 0 || variables.length === 0) return null;
    const form = this.linearForm(this.results[axis] ?? 0, variables);
    const span = form && spanOfForm(form, this.boundedDomains(form, variables, constraints));
    if (!span || span.start < 0 || span.start + (span.size - 1) * span.stride >= (this.sizes[axis] ?? 0)) return null;
    return { axes: [axis], boxes: [{ start: [span.start], sizes: [span.size], strides: [span.stride] }] };
  }

  /** An expression as a linear form of these variables; all others have a single value. @param {Expression} expression @param {string[]} variables */
  linearForm(expression, variables) {
    const filled = substitute(expression, (name) => {
      if (variables.includes(name)) return null;
      if (!name.startsWith("rt")) return this.domains.get(name)?.start ?? 0;
      const number = Number(name.slice(2));
      return this.free([name]).length > 0 ? null : this.runtimes.read(number, this.d, this.s).value;
    });
    const form = linear(filled);
    return form && [...form.terms.keys()].every((name) => this.domains.has(name)) ? form : null;
  }

  /** The domains of the form's variables within linear constraints on its only variable; null for other constraints. @param {import("./expressions.js").Linear} form @param {string[]} variables @param {number[]} constraints @returns {Map<string, Domain>|null} */
  boundedDomains(form, variables, constraints) {
    if (constraints.length === 0) return this.domains;
    const [name] = variables;
    const domain = name === undefined ? undefined : this.domains.get(name);
    if (variables.length !== 1 || !domain || name === undefined) return null;
    let [first, last] = [0, domain.size - 1];
    for (const number of constraints) {
      const [expression, [low, high]] = /** @type {[Expression, Interval]} */ (this.map.constraints[number]);
      const own = this.linearForm(expression, variables);
      const coefficient = own?.terms.get(name);
      if (!own || !coefficient) return null;
      const ends = [low, high]
        .map((end) => ((end - own.constant) / coefficient - domain.start) / domain.stride)
        .sort((a, b) => a - b);
      first = Math.max(first, Math.ceil(ends[0] ?? 0));
      last = Math.min(last, Math.floor(ends[1] ?? 0));
    }
    if (last < first) return null;
    return new Map(this.domains).set(name, {
      start: domain.start + first * domain.stride,
      size: last - first + 1,
      stride: domain.stride,
    });
  }

  /** The boxes of a group, by enumeration of all combinations of its variables. @param {Group} group @returns {import("./regions.js").Factor|null} */
  enumerated(group) {
    const domains = group.variables.map((name) => ({
      name,
      ...(this.domains.get(name) ?? { start: 0, size: 1, stride: 1 }),
    }));
    const total = domains.reduce((all, { size }) => all * size, 1);
    if (total > this.budget) throw new TooMany();
    const axes = [...group.results].sort((a, b) => a - b);
    const sizes = axes.map((axis) => this.sizes[axis] ?? 1);
    const places = new Float64Array(total);
    let found = 0;
    const place = this.placer(group, axes, sizes);
    for (let number = 0; number < total; number++) {
      this.set(domains, number);
      const at = place();
      if (at >= 0) places[found++] = at;
    }
    if (found === 0) return null;
    return { axes, boxes: boxesOf(distinct(places.subarray(0, found)), sizes) };
  }

  /** Set the variables of a group to the combination with this number. @param {({name: string} & Domain)[]} domains @param {number} number */
  set(domains, number) {
    let rest = number;
    for (let at = domains.length - 1; at >= 0; at--) {
      const { name, start, size, stride } = /** @type {{name: string} & Domain} */ (domains[at]);
      const value = start + (rest % size) * stride;
      rest = Math.floor(rest / size);
      if (name.startsWith("d")) this.d[Number(name.slice(1))] = value;
      else this.s[Number(name.slice(1))] = value;
    }
  }

  /** A function that returns the row-major index of the current combination along the group's axes; -1 for none. @param {Group} group @param {number[]} axes @param {number[]} sizes @returns {() => number} */
  placer(group, axes, sizes) {
    const expressions = axes.map((axis) => this.results[axis] ?? 0);
    const checks = group.constraints.map((number) => {
      const [expression, [low, high]] = /** @type {[Expression, Interval]} */ (this.map.constraints[number]);
      return { expression, value: compile(expression), low, high };
    });
    const needed = runtimesIn([...expressions, ...checks.map(({ expression }) => expression)], group.runtimes);
    const evaluators = expressions.map(compile);
    return () => {
      for (const number of needed) {
        const { value, known } = this.runtimes.read(number, this.d, this.s);
        this.rt[number] = value;
        if (!known) return -1;
      }
      for (const { value, low, high } of checks) {
        const found = value(this.d, this.s, this.rt);
        if (found < low || found > high) return -1;
      }
      return placeOf(evaluators, sizes, this.d, this.s, this.rt);
    };
  }
}

/** @param {import("./expressions.js").Evaluator[]} evaluators @param {number[]} sizes @param {number[]} d @param {number[]} s @param {number[]} rt @returns {number} */
function placeOf(evaluators, sizes, d, s, rt) {
  let place = 0;
  for (const [at, evaluate] of evaluators.entries()) {
    const [value, size] = [evaluate(d, s, rt), sizes[at] ?? 1];
    if (value < 0 || value >= size) return -1;
    place = place * size + value;
  }
  return place;
}

/** @param {Group} one @param {Group} other @returns {Group} */
const join = (one, other) => ({
  variables: [...new Set([...one.variables, ...other.variables])],
  results: [...one.results, ...other.results],
  constraints: [...one.constraints, ...other.constraints],
  runtimes: [...one.runtimes, ...other.runtimes],
});

/** @param {Expression[]} expressions @param {number[]} more @returns {number[]} */
function runtimesIn(expressions, more) {
  const found = new Set(more);
  for (const expression of expressions)
    for (const name of variablesIn(expression)) if (name.startsWith("rt")) found.add(Number(name.slice(2)));
  return [...found];
}

/** @param {Float64Array} numbers @returns {Float64Array} */
function distinct(numbers) {
  numbers.sort();
  let kept = 0;
  for (let at = 0; at < numbers.length; at++) {
    if (at === 0 || numbers[at] !== numbers[at - 1]) numbers[kept++] = numbers[at] ?? 0;
  }
  return numbers.subarray(0, kept);
}

/** The values of a linear form as one span; null if they are not equally spaced. @param {import("./expressions.js").Linear} form @param {Map<string, Domain>|null} domains @returns {Domain|null} */
function spanOfForm({ constant, terms }, domains) {
  if (domains === null) return null;
  let span = { start: constant, size: 1, stride: 1 };
  const steps = [...terms].map(([name, coefficient]) => stepOf(coefficient, domains.get(name)));
  for (const { start } of steps) span.start += start;
  for (const { size, stride } of steps.filter((step) => step.size > 1).sort((a, b) => a.stride - b.stride)) {
    if (span.size === 1) span = { start: span.start, size, stride };
    else if (stride % span.stride === 0 && stride / span.stride <= span.size)
      span.size += (stride / span.stride) * (size - 1);
    else return null;
  }
  return span;
}

/** @param {number} coefficient @param {Domain|undefined} domain @returns {Domain} */
function stepOf(coefficient, domain = { start: 0, size: 1, stride: 1 }) {
  const [first, last] = [domain.start * coefficient, (domain.start + (domain.size - 1) * domain.stride) * coefficient];
  return {
    start: Math.min(first, last),
    size: domain.size,
    stride: Math.max(1, Math.abs(coefficient * domain.stride)),
  };
}
