/** The state of the motion view: order, phase, progress, and the loaded data to draw. */
import { computed, signal } from "@preact/signals";
import { parseAddress } from "../../../core/addresses.js";
import * as store from "../../../core/store.js";
import { commonSlices, rectangleOf } from "../../../drawing/boxes.js";
import * as gridView from "../state.js";
import { phasesOf, piecesOf } from "./model.js";
import { allPieces, pieceArrivals, pieces as piecesFor, shapeOf } from "./pieces.js";

export const chosenOrder = signal(/** @type {import("./model.js").Order|null} */ (null));
/** The phase, and its progress from 0 to 1. */
export const phase = signal(0);
export const time = signal(0);
export const playing = signal(false);
export const speed = signal(1);
/** The piece under the pointer in the list. */
export const hot = signal(/** @type {number|null} */ (null));
/** The shown result, where there are several. */
export const part = signal(0);

/** The drawn collective execution: the chosen or current one, else the last one of the shown process. */
export const drawn = computed(() => gridView.execution.value ?? latestExecution());

function latestExecution() {
  const [process, tick] = [store.process.value, store.ticks.value[store.process.value] ?? 0];
  return store.inGrid((grid) => {
    const mine = grid.allExecutions().filter(({ arrivals }) => arrivals.has(process));
    return mine.findLast(({ info }) => info.begin <= tick) ?? mine[0] ?? grid.allExecutions()[0] ?? null;
  });
}

/** @typedef {{known: Map<number, import("../../../core/types.js").PieceInfo[]>, error: Error|null, waiting: boolean, complete: boolean}} Known */

/** The loaded pieces; for a large group only those of the receivers around the phase. */
const known = computed(() => {
  pieceArrivals.value;
  const execution = drawn.value;
  const key = store.recordingKey.value;
  /** @type {Known} */
  const found = { known: new Map(), error: null, waiting: false, complete: true };
  if (!execution || key === null || execution.info.end === null) return found;
  const all = allPieces(key, execution.number);
  if (all === undefined) return { ...found, waiting: true };
  if (all instanceof Error) return { ...found, error: all };
  for (const [process, pieces] of Object.entries(all.receivers)) found.known.set(Number(process), pieces);
  found.complete = all.complete;
  const { group } = execution.info;
  for (const process of all.complete ? [] : group.slice(Math.max(0, phase.value - 1), phase.value + 2)) {
    const answer = execution.arrivals.has(process) ? piecesFor(key, execution.number, process) : [];
    if (answer === undefined) found.waiting = true;
    else if (answer instanceof Error) found.error = answer;
    else found.known.set(process, answer);
  }
  return found;
});

/** The orders by sender and all at once need all pieces. @type {import("@preact/signals").ReadonlySignal<import("./model.js").Order>} */
export const order = computed(() => {
  if (!known.value.complete) return "receiver";
  const sparse = [...known.value.known.values()].every((pieces) => pieces.length <= 1);
  return chosenOrder.value ?? (sparse ? "all" : "receiver");
});
export const orders = computed(
  () =>
    /** @type {import("./model.js").Order[]} */ (known.value.complete ? ["receiver", "sender", "all"] : ["receiver"]),
);

/** Everything to draw and describe a collective execution; null while it is loading. */
export const motion = computed(() => {
  const execution = drawn.value;
  const key = store.recordingKey.value;
  const { known: byReceiver, error, waiting } = known.value;
  if (!execution || key === null) return null;
  const { group } = execution.info;
  const all = piecesOf(byReceiver, group);
  const parts = [...new Set(all.map(({ to }) => resultOf(to)))].sort((a, b) => a - b);
  const shown = all.filter(({ to }) => resultOf(to) === (parts[part.value] ?? parts[0]));
  const read = shapeAround(
    key,
    shown.map((piece) => ({ address: piece.from, box: piece.read })),
  );
  const written = shapeAround(
    key,
    shown.map((piece) => ({ address: piece.to, box: piece.written })),
  );
  const phases = known.value.complete
    ? phasesOf(shown, group, order.value)
    : group.map((process) => ({ process, pieces: shown.filter(({ receiver }) => receiver === process) }));
  const slices = read && written ? commonSlices(read, written, shown) : null;
  return {
    execution,
    group,
    pieces: shown,
    parts,
    phases,
    shapes: read && written ? { read, written } : null,
    slices,
    error,
    waiting,
  };
});

/** @param {string|null} address @returns {number} */
const resultOf = (address) => (address === null ? 0 : parseAddress(address).index);

/** The shape of the values of boxes; without an address, the bounds of the boxes. @param {string} key @param {{address: string|null, box: import("../../../drawing/boxes.js").Box}[]} places @returns {number[]|undefined} */
function shapeAround(key, places) {
  const known = places.find(({ address }) => address !== null)?.address;
  if (known) return shapeOf(key, known);
  return places[0]?.box.sizes.map((_, axis) =>
    Math.max(...places.map(({ box }) => (box.start[axis] ?? 0) + (box.sizes[axis] ?? 1))),
  );
}

/** The pieces of the phase that are in the drawn slice. */
export const flights = computed(() => {
  const found = motion.value;
  const now = found?.phases[Math.min(phase.value, found.phases.length - 1)];
  if (!found?.slices || !now) return [];
  return flightsOf(found, now.pieces);
});

/** @param {NonNullable<typeof motion.value>} found @param {import("./model.js").Piece[]} pieces */
export const flightsOf = ({ slices, group }, pieces) =>
  pieces.flatMap((piece) => {
    const read = slices && rectangleOf(piece.read, slices.read);
    const written = slices && rectangleOf(piece.written, slices.written);
    return read && written
      ? [{ piece, read, written, from: group.indexOf(piece.source), to: group.indexOf(piece.receiver) }]
      : [];
  });

/** Start an execution, or another order of it, from the beginning. */
export function rewind() {
  phase.value = 0;
  time.value = 0;
  hot.value = null;
}
