/** A heat map in a component: it lives as long as its canvas and shows the component's props. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { axisName, planeSize } from "../core/tensor/axes.js";
import { HeatMap } from "../drawing/heat_map.js";
import { listen } from "../drawing/heat_map_gestures.js";
import { redrawWithTheme } from "./canvas.js";
/** @import {Place, Status} from "../drawing/heat_map.js" */

/**
 * @typedef {{place: (place: Place|null) => void, status: (status: Status) => void}} Tell
 * @typedef {import("../drawing/heat_map.js").Shown["source"]} Source
 * @typedef {Pick<import("../core/types.js").ValueSummary, "elementType"|"wire">} Elements
 */

/**
 * The heat map on the canvas, the place of its cursor, its status, and a counter of arrived windows. `kind`: another
 * class of heat map; `canvas`: a ref of the component; `onPlace` receives the cursor.
 *
 * @template {HeatMap} [M=HeatMap]
 * @param {{source: Source, arrived: {current: () => void}, summary: Elements, colourScale: import("../drawing/paint.js").ColourScale,
 *   names: import("../drawing/draw.js").Names, kind?: new (canvas: HTMLCanvasElement, tell: Tell) => M, canvas?: {current: HTMLCanvasElement|null},
 *   onPlace?: (place: Place|null) => void}} shown
 */
export function useHeatMap({ source, arrived, summary, colourScale, names, kind, canvas: given, onPlace }) {
  const frame = useRef(/** @type {HTMLDivElement|null} */ (null));
  const own = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  const canvas = given ?? own;
  const map = useRef(/** @type {M|null} */ (null));
  const [place, setPlace] = useState(/** @type {Place|null} */ (null));
  const [status, setStatus] = useState(/** @type {Status|null} */ (null));
  const [arrivals, setArrivals] = useState(0);
  useLayoutEffect(() => {
    if (!canvas.current || !frame.current) return undefined;
    const tell = {
      place: onPlace ?? setPlace,
      status: (/** @type {Status} */ next) => setStatus((old) => (sameStatus(old, next) ? old : next)),
    };
    const made = kind ? new kind(canvas.current, tell) : /** @type {M} */ (new HeatMap(canvas.current, tell));
    map.current = made;
    const ends = [listen(frame.current, canvas.current, made), redrawWithTheme(map), () => made.close()];
    return () => ends.forEach((end) => end());
  }, []);
  useLayoutEffect(() => {
    arrived.current = () => {
      map.current?.redraw();
      setArrivals((count) => count + 1);
    };
    const { elementType, wire } = summary;
    map.current?.show({ source, colourScale, elementType, wire, names });
  }, [source, colourScale]);
  return { frame, canvas, map, place, status, arrivals };
}

/** Axis names on the rulers. @param {import("../core/tensor/axes.js").Slice} slice @param {number[]|null} [lanes] */
export function namesOfAxes(slice, lanes = null) {
  const name = (/** @type {number} */ axis) => (axis < 0 ? "" : axisName(axis, lanes).replace("lane ", "l"));
  return { rows: name(slice.rows), columns: name(slice.columns), planes: planeSize(slice) };
}

/** @param {Status|null} a @param {Status} b */
const sameStatus = (a, b) =>
  a !== null &&
  a.level === b.level &&
  a.fitted === b.fitted &&
  a.busy === b.busy &&
  a.error === b.error &&
  a.cell.x === b.cell.x;
