/**
 * Expressions of index maps, as the server sends them: evaluate, bound, substitute and print them.
 *
 * An expression is a number, a variable ("d0", "s1", "rt0"), or an operation: ["+", a, b, …], ["*", a, b, …],
 * ["floordiv", a, c], ["ceildiv", a, c], ["mod", a, c] (0 to |c| - 1), ["min", a, b], ["max", a, b].
 *
 * @typedef {[number, number]} Interval
 * @typedef {(d: ArrayLike<number>, s: ArrayLike<number>, rt: ArrayLike<number>) => number} Evaluator
 */
/** @import {ExpressionJson as Expression} from "../types.js" */

/** The kind and the number of a variable. @param {string} name @returns {["d"|"s"|"rt", number]} */
export function variableOf(name) {
  const kind = name.startsWith("rt") ? "rt" : name.startsWith("s") ? "s" : "d";
  return [kind, Number(name.slice(kind.length))];
}

/** The variables of an expression, without duplicates. @param {Expression} expression @param {Set<string>} [found] @returns {Set<string>} */
export function variablesIn(expression, found = new Set()) {
  if (typeof expression === "string") found.add(expression);
  else if (Array.isArray(expression)) for (const part of expression.slice(1)) variablesIn(part, found);
  return found;
}

/** @param {number} a @param {number} c */
export const floorDivide = (a, c) => Math.floor(a / c);

/** @param {number} a @param {number} c */
const ceilDivide = (a, c) => Math.ceil(a / c) + 0; // + 0 turns -0 into 0

/** @param {number} a @param {number} c */
export function modulo(a, c) {
  const size = Math.abs(c);
  return ((a % size) + size) % size;
}

/** The result of an operation on numbers. @param {string} kind @param {number[]} parts @returns {number} */
function combine(kind, parts) {
  const [a = 0, b = 0] = parts;
  switch (kind) {
    case "+":
      return parts.reduce((sum, part) => sum + part, 0);
    case "*":
      return parts.reduce((product, part) => product * part, 1);
    case "floordiv":
      return floorDivide(a, b);
    case "ceildiv":
      return ceilDivide(a, b);
    case "mod":
      return modulo(a, b);
    case "min":
      return Math.min(a, b);
    case "max":
      return Math.max(a, b);
    default:
      throw new RangeError(`${kind} is not an operation of an index map`);
  }
}

/** Compile an expression to a function of its variables, for use on many elements. @param {Expression} expression @returns {Evaluator} */
export function compile(expression) {
  if (typeof expression === "number") return () => expression;
  if (typeof expression === "string") return compileVariable(expression);
  const [kind, ...parts] = expression;
  const compiled = parts.map(compile);
  const [a, b] = /** @type {[Evaluator, Evaluator]} */ (compiled);
  if (compiled.length === 2) return compilePair(kind, a, b, parts[1]);
  return (d, s, rt) =>
    combine(
      kind,
      compiled.map((part) => part(d, s, rt)),
    );
}

/** @param {string} name @returns {Evaluator} */
function compileVariable(name) {
  const [kind, number] = variableOf(name);
  if (kind === "d") return (d) => d[number] ?? 0;
  if (kind === "s") return (_d, s) => s[number] ?? 0;
  return (_d, _s, rt) => rt[number] ?? 0;
}

/** @param {string} kind @param {Evaluator} a @param {Evaluator} b @param {Expression} right @returns {Evaluator} */
function compilePair(kind, a, b, right) {
  const constant = typeof right === "number" ? right : null;
  if (kind === "+") return (d, s, rt) => a(d, s, rt) + b(d, s, rt);
  if (kind === "*") return (d, s, rt) => a(d, s, rt) * b(d, s, rt);
  if (kind === "floordiv" && constant !== null) return (d, s, rt) => Math.floor(a(d, s, rt) / constant);
  return (d, s, rt) => combine(kind, [a(d, s, rt), b(d, s, rt)]);
}

/** An interval that contains all values of an expression for variables within their bounds. @param {Expression} expression @param {(variable: string) => Interval} bounds @returns {Interval} */
export function intervalOf(expression, bounds) {
  if (typeof expression === "number") return [expression, expression];
  if (typeof expression === "string") return bounds(expression);
  const [kind, ...parts] = expression;
  const intervals = parts.map((part) => intervalOf(part, bounds));
  const [a, b] = /** @type {[Interval, Interval]} */ (intervals);
  switch (kind) {
    case "+":
      return intervals.reduce((sum, part) => [sum[0] + part[0], sum[1] + part[1]], [0, 0]);
    case "*":
      return intervals.reduce(productOf, [1, 1]);
    case "floordiv":
      return order(floorDivide(a[0], b[0]), floorDivide(a[1], b[0]));
    case "ceildiv":
      return order(ceilDivide(a[0], b[0]), ceilDivide(a[1], b[0]));
    case "mod":
      return moduloOf(a, Math.abs(b[0]));
    case "min":
      return [Math.min(a[0], b[0]), Math.min(a[1], b[1])];
    default:
      return [Math.max(a[0], b[0]), Math.max(a[1], b[1])];
  }
}

/** @param {number} a @param {number} b @returns {Interval} */
const order = (a, b) => [Math.min(a, b), Math.max(a, b)];

/** @param {Interval} a @param {Interval} b @returns {Interval} */
function productOf(a, b) {
  const corners = [a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]];
  return [Math.min(...corners), Math.max(...corners)];
}

/** @param {Interval} a @param {number} size @returns {Interval} */
function moduloOf(a, size) {
  if (floorDivide(a[0], size) === floorDivide(a[1], size)) return [modulo(a[0], size), modulo(a[1], size)];
  return [0, size - 1];
}

/**
 * An expression as constant + Σ coefficient · variable; null if it is not linear.
 *
 * @param {Expression} expression @returns {{constant: number, terms: Map<string, number>}|null}
 */
export function linear(expression) {
  if (typeof expression === "number") return { constant: expression, terms: new Map() };
  if (typeof expression === "string") return { constant: 0, terms: new Map([[expression, 1]]) };
  const [kind, ...parts] = expression;
  if (kind !== "+" && kind !== "*") return null;
  const forms = parts.map(linear);
  if (forms.some((form) => form === null)) return null;
  return /** @type {NonNullable<ReturnType<typeof linear>>[]} */ (forms).reduce(
    (/** @type {ReturnType<typeof linear>} */ left, right) =>
      left && (kind === "+" ? add(left, right) : multiply(left, right)),
    { constant: kind === "+" ? 0 : 1, terms: new Map() },
  );
}

/** @typedef {{constant: number, terms: Map<string, number>}} Linear */

/** @param {Linear} a @param {Linear} b @returns {Linear} */
function add(a, b) {
  const terms = new Map(a.terms);
  for (const [name, coefficient] of b.terms) {
    const sum = (terms.get(name) ?? 0) + coefficient;
    if (sum === 0) terms.delete(name);
    else terms.set(name, sum);
  }
  return { constant: a.constant + b.constant, terms };
}

/** @param {Linear} a @param {Linear} b @returns {Linear|null} */
function multiply(a, b) {
  const [scalar, other] = a.terms.size === 0 ? [a, b] : [b, a];
  if (scalar.terms.size > 0) return null;
  if (scalar.constant === 0) return { constant: 0, terms: new Map() };
  return {
    constant: scalar.constant * other.constant,
    terms: new Map([...other.terms].map(([name, c]) => [name, c * scalar.constant])),
  };
}

/** Substitute numbers for some variables, and simplify. @param {Expression} expression @param {(variable: string) => number|null} valueOf @returns {Expression} */
export function substitute(expression, valueOf) {
  if (typeof expression === "number") return expression;
  if (typeof expression === "string") return valueOf(expression) ?? expression;
  const [kind, ...parts] = expression;
  const filled = parts.map((part) => substitute(part, valueOf));
  if (filled.every((part) => typeof part === "number")) return combine(kind, /** @type {number[]} */ (filled));
  if (kind === "+" || kind === "*") return foldConstants(kind, filled);
  if ((kind === "floordiv" || kind === "ceildiv") && filled[1] === 1) return filled[0] ?? 0;
  return [kind, ...filled];
}

/** A sum or product whose constants are combined and come last. @param {"+"|"*"} kind @param {Expression[]} parts @returns {Expression} */
function foldConstants(kind, parts) {
  const neutral = kind === "+" ? 0 : 1;
  const flat = parts.flatMap((part) =>
    Array.isArray(part) && part[0] === kind ? /** @type {Expression[]} */ (part.slice(1)) : [part],
  );
  const constant = combine(kind, /** @type {number[]} */ (flat.filter((part) => typeof part === "number")));
  /** @type {Expression[]} */
  const rest = flat.filter((part) => typeof part !== "number");
  if (kind === "*" && constant === 0) return 0;
  if (constant !== neutral) rest.push(constant);
  return rest.length === 1 ? /** @type {Expression} */ (rest[0]) : [kind, ...rest];
}

/** The text of an expression: `d0 * 2 - 1`, `(s0 + 3) floordiv 2`. @param {Expression} expression @returns {string} */
export function expressionText(expression) {
  if (!Array.isArray(expression)) return String(expression);
  const [kind, ...parts] = expression;
  if (kind === "+") return printedSum(parts);
  if (kind === "min" || kind === "max") return `${kind}(${parts.map(expressionText).join(", ")})`;
  if (kind === "*" && parts.length === 2 && parts[1] === -1) return `-${group(parts[0])}`;
  return parts.map(group).join(` ${kind} `);
}

/** @param {Expression[]} parts @returns {string} */
const printedSum = (parts) =>
  parts
    .map((part, at) => {
      const negative = negate(part);
      if (negative === null) return at === 0 ? expressionText(part) : ` + ${expressionText(part)}`;
      return at === 0
        ? `-${group(negative)}`
        : ` - ${Array.isArray(negative) && negative[0] === "+" ? group(negative) : expressionText(negative)}`;
    })
    .join("");

/** The subtrahend, for an expression with a negative sign; null for others. @param {Expression} part @returns {Expression|null} */
function negate(part) {
  if (typeof part === "number") return part < 0 ? -part : null;
  if (!Array.isArray(part) || part[0] !== "*") return null;
  const last = part[part.length - 1];
  if (typeof last !== "number" || last >= 0) return null;
  return substitute(["*", ...part.slice(1, -1), -last], () => null);
}

/** @param {Expression} expression @returns {string} */
const group = (expression) =>
  Array.isArray(expression) && !["min", "max"].includes(expression[0])
    ? `(${expressionText(expression)})`
    : expressionText(expression);
