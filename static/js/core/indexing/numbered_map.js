/**
 * A map evaluated at one element: the values of its variables, of runtime variables, and the resulting index.
 *
 * @typedef {"xla"|"xla-2024"} Style
 */
import { substitute, expressionText, variablesIn } from "./expressions.js";
import { runtimesOf } from "./runtime_variables.js";
/** @import {Values} from "./maps.js" */
/** @import {ExpressionJson as Expression, MapInfo as IndexMap} from "../types.js" */

/** The name of a variable in a style; the style of 2024 numbers runtime variables after the range variables. @param {IndexMap} map @param {Style} style @returns {(name: string) => string} */
export const variableNames = (map, style) => (name) =>
  style === "xla-2024" && name.startsWith("rt") ? `s${map.ranges.length + Number(name.slice(2))}` : name;

/** @param {Expression} expression @param {(name: string) => string} name @returns {Expression} */
function renameVariables(expression, name) {
  if (typeof expression === "string") return name(expression);
  return Array.isArray(expression)
    ? [expression[0], ...expression.slice(1).map((part) => renameVariables(part, name))]
    : expression;
}

/** @param {Expression} expression @param {(name: string) => string} name @param {Style} style */
function write(expression, name, style) {
  const text = expressionText(renameVariables(expression, name));
  return style === "xla-2024" ? text : text.replaceAll(" floordiv ", " / ");
}

/**
 * The evaluation of the map at an element, as lines of text. `holds` is false outside the domain, where the map has no
 * elements.
 *
 * @param {IndexMap} map @param {number[]} at @param {Values} values @param {Style} style @param {(operand: number) => string} nameOf
 * @returns {{lines: string[], holds: boolean}}
 */
export function numbersOf(map, at, values, style, nameOf) {
  if (map.kind === "undefined") return { lines: ["It is not known which elements belong to it."], holds: true };
  if (map.kind === "empty") return { lines: ["No element belongs to any other."], holds: false };
  const name = variableNames(map, style);
  const known = readings(map, at, values);
  const valueOf = (/** @type {string} */ variable) => {
    if (variable.startsWith("rt")) return known[Number(variable.slice(2))]?.value ?? null;
    return variable.startsWith("d")
      ? (at[Number(variable.slice(1))] ?? 0)
      : pointOf(map.ranges[Number(variable.slice(1))]);
  };
  const runtimes = map.runtimes.map((variable, number) =>
    runtimeLine(variable, number, known[number] ?? null, { at, name, nameOf, valueOf, style }),
  );
  const results = map.results.map((result) => write(substitute(result, valueOf), name, style));
  const checks = constraintsAt(map, at, known, valueOf, name, style);
  return {
    lines: [
      at.map((place, axis) => `d${axis} = ${place}`).join(", "),
      ...runtimes,
      ...checks.map(({ text }) => text),
      results.length > 0
        ? `(${map.results.map((result) => write(result, name, style)).join(", ")}) = (${results.join(", ")})${openRanges(map, valueOf)}`
        : "",
    ].filter(Boolean),
    holds: checks.every(({ holds }) => holds),
  };
}

/** @param {[number, number]|undefined} interval */
const pointOf = (interval) => (interval && interval[0] === interval[1] ? interval[0] : null);

/** The reading of each runtime variable; null if it depends on range variables or is still loading. @param {IndexMap} map @param {number[]} at @param {Values} values */
function readings(map, at, values) {
  const runtimes = runtimesOf(map, values);
  const s = map.ranges.map(([low]) => low);
  return map.runtimes.map((_, number) => {
    const open = (runtimes.variables[number] ?? []).some(
      (variable) => variable.startsWith("s") && pointOf(map.ranges[Number(variable.slice(1))]) === null,
    );
    if (open) return null;
    const reading = runtimes.read(number, at, s);
    return reading.raw === undefined ? null : reading;
  });
}

/**
 * @param {import("../types.js").RuntimeInfo} variable @param {number} number @param {import("./runtime_variables.js").Reading|null} reading
 * @param {{at: number[], name: (name: string) => string, nameOf: (operand: number) => string, valueOf: (name: string) => number|null, style: Style}} how @returns {string}
 */
function runtimeLine(
  { operand, map, interval: [low, high], clamped },
  number,
  reading,
  { name, nameOf, valueOf, style },
) {
  const outer = (/** @type {string} */ inner) => (inner.startsWith("rt") ? null : valueOf(inner));
  const index = reading
    ? reading.index.join(", ")
    : map.results.map((result) => write(substitute(result, outer), (inner) => inner, style)).join(", ");
  const source = nameOf(operand);
  const start = `${name(`rt${number}`)} = ${source.includes(" ") ? `(${source})` : source}${map.results.length > 0 ? `[${index}]` : ""}`;
  if (!reading) return start;
  const read = `${start} = ${reading.raw}`;
  if (clamped)
    return reading.raw === reading.value ? read : `${read} → clamped to ${reading.value}, within [${low}, ${high}]`;
  return reading.known ? read : `${read} → outside [${low}, ${high}]: dropped`;
}

/** The constraints that can be evaluated, and whether they hold. @param {IndexMap} map @param {number[]} at @param {ReturnType<typeof readings>} known @param {(name: string) => number|null} valueOf @param {(name: string) => string} name @param {Style} style */
function constraintsAt(map, at, known, valueOf, name, style) {
  const outside = map.dimensions.flatMap(([low, high], axis) =>
    (at[axis] ?? 0) < low || (at[axis] ?? 0) > high
      ? [{ text: `d${axis} = ${at[axis]} is outside [${low}, ${high}]: no element belongs to it.`, holds: false }]
      : [],
  );
  const constraints = map.constraints.flatMap(([expression, [low, high]]) => {
    const value = substitute(expression, valueOf);
    if (typeof value !== "number") return [];
    const holds = value >= low && value <= high;
    return [
      {
        text: `${write(expression, name, style)} = ${value} is ${holds ? "in" : "outside"} [${low}, ${high}]${holds ? "" : ": no element belongs to it."}`,
        holds,
      },
    ];
  });
  const dropped = known.some((reading, number) => reading && !map.runtimes[number]?.clamped && !reading.known);
  return [...outside, ...constraints, ...(dropped ? [{ text: "", holds: false }] : [])];
}

/** @param {IndexMap} map @param {(name: string) => number|null} valueOf @returns {string} */
function openRanges(map, valueOf) {
  const used = new Set(map.results.flatMap((result) => [...variablesIn(result)]));
  const open = map.ranges.flatMap(([low, high], number) =>
    used.has(`s${number}`) && valueOf(`s${number}`) === null ? [`s${number} in [${low}, ${high}]`] : [],
  );
  return open.length > 0 ? `, ${open.join(", ")}` : "";
}
