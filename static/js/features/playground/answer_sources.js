/**
 * The tensors of an answer as sources of the picture; the answer contains their values as raw bytes.
 *
 * @typedef {{name: string, type: string, shape: number[]|null, elementType?: string|null}} Named
 */
import { WIRE_ARRAYS } from "../../core/api.js";
import { inlineSource, shapeSource } from "../../ui/tensor_grid/sources.js";
/** @import {Numbers, Source} from "../../ui/tensor_grid/sources.js" */
/** @import {InlineValue as Encoded} from "../../core/types.js" */

/** @param {Encoded} encoded @returns {Numbers} */
export function decode({ dtype, data }) {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  return new WIRE_ARRAYS[dtype](bytes.buffer);
}

/** @param {Named} tensor @param {Encoded|null|undefined} encoded @returns {Source} */
export function sourceOf({ name, type, shape, elementType }, encoded) {
  const named = { name, type, shape, elementType: elementType ?? "i64" };
  if (!encoded || shape === null) return shapeSource(named);
  const given = { ...named, shape };
  return encoded.components === 2
    ? complexSource(given, decode(encoded))
    : inlineSource({ ...given, values: decode(encoded) });
}

/** Complex numbers, as pairs of parts. @param {{name: string, type: string, shape: number[], elementType: string}} named @param {Numbers} values @returns {Source} */
function complexSource(named, values) {
  const part = (/** @type {0|1} */ which) =>
    inlineSource({
      ...named,
      values: Float64Array.from({ length: values.length / 2 }, (_, at) => Number(values[2 * at + which])),
    });
  const [real, imaginary] = [part(0), part(1)];
  const size = inlineSource({
    ...named,
    values: Float64Array.from({ length: values.length / 2 }, (_, at) =>
      Math.hypot(Number(values[2 * at]), Number(values[2 * at + 1])),
    ),
  });
  const wire = {
    dtype: /** @type {import("../../core/types.js").WireType} */ ("f64"),
    components: /** @type {2} */ (2),
  };
  return {
    ...real,
    wire,
    statistics: size.statistics,
    spread: size.spread,
    window: async (view, signal) => {
      if (view.level > 0) return /** @type {any} */ (size.window)(view, signal);
      const [first, second] = await Promise.all(
        [real, imaginary].map((source) => /** @type {any} */ (source.window)(view, signal)),
      );
      const value = Float64Array.from(
        { length: 2 * first.planes.value.length },
        (_, at) => (at % 2 ? second : first).planes.value[at >> 1],
      );
      return { header: { ...first.header, wire }, planes: { value } };
    },
  };
}

/**
 * The sources of one process; `places` for ops with several processes.
 *
 * @param {any} picture @param {number} process @param {(process: number) => void} show
 */
export function sourcesOf(picture, process, show) {
  const { inline, found, processes } = picture;
  const of = (/** @type {"operands"|"results"} */ side, /** @type {number} */ number, /** @type {number} */ which) =>
    sourceOf(picture[side][number], inline[side][number]?.[which]);
  const side = (/** @type {"operands"|"results"} */ name) =>
    picture[name].map((/** @type {Named} */ _, /** @type {number} */ number) => of(name, number, process));
  const told = inline.found.map((/** @type {(Encoded|null)[]} */ each, /** @type {number} */ number) => {
    const encoded = each[process];
    return encoded
      ? sourceOf({ name: found[number] ?? "", type: "", shape: encoded.shape, elementType: "i64" }, encoded)
      : null;
  });
  /** @type {number[]} */
  const awaited = picture.awaited[process] ?? [];
  const own = awaited.indexOf(process);
  const count = picture.operands.length;
  return {
    operands: side("operands"),
    results: side("results"),
    found: (/** @type {number} */ number) => told[number - count] ?? null,
    places:
      awaited.length === 0
        ? null
        : {
            names: awaited.map((other) => processName(processes, other)),
            own: own < 0 ? null : own,
            /** @param {"operand"|"result"} which @param {number} number @param {number} place */
            source: (which, number, place) => of(`${which}s`, number, awaited[place] ?? process),
            show: (/** @type {number} */ place) => show(awaited[place] ?? process),
          },
  };
}

/** @param {number[][]} processes @param {number} number @returns {string} */
export const processName = (processes, number) => `(${processes[number]?.join(", ") ?? number})`;
