/** The signs of breakpoints, which differ in shape: in the margin of the program and in the list. */
import { isOnLine, opsOf } from "../core/run/breakpoints.js";
import { knownStops, whyOff } from "../core/run/stops.js";
import * as store from "../core/store.js";
/** @import {BreakpointInfo} from "../core/types.js" */

/** @typedef {keyof typeof SIGNS} Sign */
export const SIGNS = {
  set: "Breakpoint",
  conditional: "Breakpoint with a condition or a hit count",
  log: "Log point",
  value: "Breakpoint on a value",
  off: "Breakpoint that is disabled",
  loose: "Breakpoint that cannot stop",
};

const STROKE = "linear-gradient(var(--surface) 0 0) 50%";
/** Their shapes, as styles; all others are filled circles. @type {Partial<Record<Sign, Partial<CSSStyleDeclaration>>>} */
export const SHAPES = {
  conditional: {
    background: `${STROKE} 33% / 5px 1.5px no-repeat, ${STROKE} 67% / 5px 1.5px no-repeat, var(--breakpoint)`,
  },
  log: { borderRadius: "0", transform: "rotate(45deg) scale(0.8)" },
  value: { borderRadius: "0", clipPath: "polygon(25% 5%, 75% 5%, 100% 50%, 75% 95%, 25% 95%, 0 50%)" },
  off: { border: "2px dashed var(--breakpoint)", background: "none" },
  loose: { border: "2px solid var(--control)", background: "none" },
};

/** @param {BreakpointInfo} point @returns {Sign} */
export function signOf(point) {
  if (point.off || whyOff(point)) return "off";
  if (whyLoose(point)) return "loose";
  if (point.log) return "log";
  if (["value", "read", "differs"].includes(point.kind)) return "value";
  return point.condition || point.hits ? "conditional" : "set";
}

/** The reason why a breakpoint cannot stop in the shown run; empty if it can. @param {BreakpointInfo} point @returns {string} */
export function whyLoose(point) {
  const [program, list] = [store.program.value, knownStops(point)];
  if (program === null || point.kind === "finding") return "";
  if (list?.problem) return "It has an error.";
  const ops = opsOf(point, program, store.lineMap.value.toRun);
  if (ops === null || [...ops].length > 0) return "";
  return isOnLine(point) ? "no op of this run starts at or after this line" : "this run has none";
}
