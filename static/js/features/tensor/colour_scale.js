/**
 * The colours of a value. A value keeps its first scale during stepping, and all values keep a locked one: colours
 * never change their meaning silently.
 *
 * @typedef {{colourScale: ColourScale, map: MapName, name: string, address: string}} Fitted  name, address: of the value that it was fitted to
 * @typedef {Fitted & {fits: boolean, fit: () => void}} Used  fits: it is the one that this value would get by itself
 */
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { kindOf } from "../../core/tensor/elements.js";
import { automaticMap, isDiverging } from "../../drawing/colour_maps.js";
import { coloursIn } from "../../drawing/paint.js";
import { scaleFor } from "../../drawing/scale.js";
import { look } from "./settings.js";
import { keepLast } from "../../core/kept.js";
/** @import {MapName} from "../../drawing/colour_maps.js" */
/** @import {ColourScale} from "../../drawing/paint.js" */
/** @import {Known} from "./recorded_value.js" */

const KEPT = 200;

/** The locked scale of all values. */
export const locked = signal(/** @type {Fitted|null} */ (null));

/** @type {Map<string, Fitted>} by recording, value and choice of colours */
const kept = new Map();
/** Grows when a value is fitted again. */
const refits = signal(0);

/** @param {Known} known @returns {Used} */
export function useColours(known) {
  const chosen = look.value;
  const held = locked.value;
  const version = refits.value;
  return useMemo(() => coloursOf(known, chosen, held), [known.key, known.summary, chosen, held, version]);
}

/** The best colours for a value, ignoring stored and locked scales. @param {import("../../core/types.js").ValueSummary} summary @param {string} name @returns {Fitted} */
export function useOwnColours(summary, name) {
  const chosen = look.value;
  return useMemo(() => fitted(summary, chosen, name), [summary, chosen, name]);
}

/** @param {Known} known @param {import("./settings.js").Look} chosen @param {Fitted|null} held @returns {Used} */
function coloursOf({ key, summary, selected }, chosen, held) {
  const own = fitted(summary, chosen, selected.name);
  const name = `${key} ${selected.value} ${selected.path.join(".")} ${JSON.stringify(chosen)}`;
  const used = holds(held, own) ? held : keep(name, own);
  const fit = () => {
    if (locked.value) locked.value = own;
    keepLast(kept, name, own, KEPT);
    refits.value++;
  };
  return { ...used, fits: sameColours(used, own), fit };
}

/** Truth values and angles have fixed scales. @param {Fitted|null} held @param {Fitted} own @returns {held is Fitted} */
const holds = (held, own) => held !== null && own.map !== "two" && own.map !== "cycle" && hasScale(own);

/** @param {Fitted} fitted */
const hasScale = ({ colourScale: { scale } }) => !Number.isNaN(scale.low);

/** @param {string} name @param {Fitted} own @returns {Fitted} */
function keep(name, own) {
  const before = kept.get(name);
  // A value with fewer than two numbers has no scale.
  const { low = 0, high = 0 } = before?.colourScale.scale ?? {};
  if (before && high > low && hasScale(own)) return before;
  return keepLast(kept, name, own, KEPT);
}

/** @param {Fitted} one @param {Fitted} other @returns {boolean} */
const sameColours = ({ map, colourScale: one }, { map: otherMap, colourScale: other }) =>
  map === otherMap &&
  Object.is(one.scale.low, other.scale.low) &&
  Object.is(one.scale.high, other.scale.high) &&
  one.scale.shape === other.scale.shape;

/** @param {import("../../core/types.js").ValueSummary} summary @param {import("./settings.js").Look} chosen @param {string} name @returns {Fitted} */
function fitted(summary, chosen, name) {
  const kind = kindOf(summary.elementType, summary.wire);
  const scale = scaleFor(summary.statistics, kind, chosen, chosen.part, summary.spread);
  const map = mapOf(scale, chosen.map);
  const { low, high } = scale;
  const colours = coloursIn(
    isDiverging(map) && low !== -high && chosen.range !== "fixed" ? aroundZero(scale) : scale,
    map,
  );
  return { map, name, address: summary.address, colourScale: { ...colours, part: chosen.part, bins: chosen.bins } };
}

/** @param {import("../../drawing/scale.js").Scale} scale @param {import("./settings.js").Look["map"]} chosen @returns {MapName} */
function mapOf(scale, chosen) {
  const isOdd = scale.kind === "boolean" || scale.cyclic || (chosen === "categories" && scale.kind !== "integer");
  return chosen === "auto" || isOdd ? automaticMap(scale) : chosen;
}

/** The middle of a diverging map means 0, also for values of one sign. @param {import("../../drawing/scale.js").Scale} scale */
function aroundZero(scale) {
  const reach = Math.max(Math.abs(scale.low), Math.abs(scale.high)) || 1;
  const shape = scale.shape === "log" ? /** @type {const} */ ("arcsinh") : scale.shape;
  return { ...scale, low: -reach, high: reach, shape };
}
