/** The canvas of a collective execution, and its animation. */
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import * as store from "../../../core/store.js";
import { clearCanvas, coloursOf } from "../../../drawing/canvas.js";
import { eachFrame, keepDrawn } from "../../../ui/canvas.js";
import { arrivals, commonScale, thumbnail } from "../../../ui/thumbnails.js";
import { cellUnder, layoutOf } from "../layout.js";
import * as gridView from "../state.js";
import { flat, imageOf, numbersIn } from "./chunk_images.js";
import { drawScene } from "./draw.js";
import { advance } from "./model.js";
import { pieceArrivals } from "./pieces.js";
import * as playing from "./state.js";
import { wantsStill } from "../../../ui/media.js";

/** Duration of a phase at speed 1. */
const PHASE_MS = 1600;

/** @param {{room: {width: number, height: number}}} props */
export function MotionCanvas({ room }) {
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  const group = playing.motion.value?.group ?? [];
  const layout = layoutOf({ replicas: 1, partitions: Math.max(1, group.length) }, room, gridView.scaleOfCells());
  useEffect(() => keepDrawn(canvas.current, (drawn) => look(drawn, layout)), [JSON.stringify(layout)]);
  useEffect(keepMoving, []);
  const choose = (/** @type {MouseEvent} */ event) => {
    const found = cellUnder(layout, group.length, { x: event.offsetX, y: event.offsetY });
    const process = found === null ? undefined : group[found];
    const to = playing.motion.value?.phases.findIndex((phase) => phase.process === process) ?? -1;
    if (to < 0) return;
    playing.rewind();
    playing.phase.value = to;
  };
  return html`<canvas class="grid-motion" ref=${canvas} aria-hidden="true" style=${{ width: `${layout.width}px`, height: `${layout.height}px` }} onClick=${choose}></canvas>`;
}

/** @param {HTMLCanvasElement} canvas @param {import("../layout.js").Layout} layout */
function look(canvas, layout) {
  pieceArrivals.value;
  arrivals.value;
  playing.time.value;
  const scene = sceneOf(layout);
  return () => draw(canvas, layout, scene);
}

/** While it plays, time advances with the frames. */
function keepMoving() {
  return eachFrame(playing.playing, (_now, passed) => {
    const count = playing.motion.value?.phases.length ?? 0;
    if (count === 0) return;
    const at = { phase: playing.phase.value, time: playing.time.value };
    const next = advance(at, (passed / PHASE_MS) * playing.speed.value, count);
    playing.phase.value = next.phase;
    playing.time.value = next.time;
    if (next.ended) playing.playing.value = false;
  });
}

/** The data to draw now. @param {import("../layout.js").Layout} layout @returns {import("./draw.js").Scene|null} */
function sceneOf(layout) {
  const found = playing.motion.value;
  const key = store.recordingKey.value;
  if (!found?.slices || !found.shapes || key === null) return null;
  const at = Math.min(playing.phase.value, found.phases.length - 1);
  const done = found.phases.slice(0, at).flatMap(({ pieces }) => pieces);
  const over = playing.time.value >= 1 ? [...done, ...(found.phases[at]?.pieces ?? [])] : done;
  const still = wantsStill.value;
  const hot = playing.hot.value;
  const flights =
    playing.time.value >= 1 ? [] : playing.flights.value.map((flight, index) => ({ ...flight, hot: hot === index }));
  const landed = playing
    .flightsOf(
      found,
      over.filter(({ combined }) => !combined),
    )
    .map((flight) => ({ ...flight, hot: false }));
  return {
    layout,
    actors: actorsOf(key, found, over, found.phases[at]?.process ?? null),
    flights,
    landed,
    time: playing.time.value,
    still,
    hot: hot !== null,
  };
}

/** @param {string} key @param {NonNullable<typeof playing.motion.value>} found @param {import("./model.js").Piece[]} over pieces that have arrived @param {number|null} active @returns {import("./draw.js").Actor[]} */
function actorsOf(key, { group, pieces, slices, shapes }, over, active) {
  if (!slices || !shapes) return [];
  const givers = new Map(pieces.flatMap(({ source, from }) => (from === null ? [] : [[source, from]])));
  const getters = new Map(pieces.map(({ receiver, to }) => [receiver, to ?? ""]));
  const [give, get] = [
    sheets(key, givers, shapes.read, slices.read),
    sheets(key, getters, shapes.written, slices.written),
  ];
  const wanted = countBy(pieces);
  const here = countBy(over);
  return group.map((process, index) => ({
    name: store.grid.value?.nameOf(process) ?? "",
    gives: give(process),
    gets: get(process),
    landed: [],
    settled: getters.get(process) !== "" && wanted.has(process) && here.get(process) === wanted.get(process),
    active: process === active,
    colour: `--group-${index % gridView.GROUP_COLOURS}`,
  }));
}

/** @param {import("./model.js").Piece[]} pieces @returns {Map<number, number>} */
function countBy(pieces) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const { receiver } of pieces) counts.set(receiver, (counts.get(receiver) ?? 0) + 1);
  return counts;
}

/** Pictures of one side, in common colours. @param {string} key @param {Map<number, string>} addresses @param {number[]} shape @param {import("../../../drawing/boxes.js").Slice} slice */
function sheets(key, addresses, shape, slice) {
  const flats = new Map(
    [...addresses].map(([process, address]) => [
      process,
      address === "" ? undefined : flat(key, address, shape, slice),
    ]),
  );
  const scale = commonScale([...addresses.values()].map((address) => (address ? thumbnail(key, address) : null)));
  const side = (/** @type {number} */ axis) => (axis < 0 ? 1 : (shape[axis] ?? 1));
  const size = { height: side(slice.rows), width: side(slice.columns) };
  return (/** @type {number} */ process) => {
    const found = flats.get(process);
    if (!addresses.has(process)) return null;
    return found && scale
      ? { size, image: imageOf(found, scale), numbers: numbersIn(found, scale, elementTypeOf(found.window)) }
      : { size, image: null, numbers: null };
  };
}

/** The widest type that travels this way: its digits distinguish all elements of narrower ones. @param {import("../../../core/view_types.js").ValueWindow} window @returns {string} */
const elementTypeOf = ({ header }) => header.wire.dtype;

/** @param {HTMLCanvasElement} canvas @param {import("../layout.js").Layout} layout @param {import("./draw.js").Scene|null} scene */
function draw(canvas, layout, scene) {
  const context = clearCanvas(canvas, layout);
  if (!context || !scene) return;
  const colour = coloursOf(canvas);
  drawScene(
    context,
    { ...scene, actors: scene.actors.map((actor) => ({ ...actor, colour: colour(actor.colour) })) },
    colour,
  );
}
