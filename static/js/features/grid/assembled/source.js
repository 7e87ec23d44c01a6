/**
 * The windows of a picture assembled from those of its parts, with the interface of `WindowSource`; windows of a part
 * are placed in the whole.
 *
 * @typedef {{rectangle: Rectangle, source: WindowSource}} Part
 */
import { pieceAt } from "./model.js";
/** @import {Layer, WindowSource} from "../../../core/tensor/window_source.js" */
/** @import {Rectangle} from "../../../drawing/boxes.js" */

/** Maximum number of elements or bins of all parts together. */
const COARSE_CELLS = 1 << 18;
const COARSE_LENGTH = 2048;

export class AssembledSource {
  /** @param {import("../../../drawing/camera.js").Size} picture @param {Part[]} parts */
  constructor(picture, parts) {
    this.picture = picture;
    this.parts = parts;
    for (const { source } of parts) source.coarse = coarseOf(source.picture, COARSE_CELLS / parts.length);
    /** The level at which the whole fits one request per part. */
    this.coarse = { level: Math.max(0, ...parts.map(({ source }) => source.coarse.level)) };
  }

  get busy() {
    return this.parts.some(({ source }) => source.busy);
  }

  /** @returns {unknown} */
  get error() {
    return this.parts.find(({ source }) => source.error)?.source.error ?? null;
  }

  /** The layers to draw, the coarsest first. @param {import("../../../drawing/camera.js").Rectangle} seen @param {number} level @returns {Layer[]} */
  layers(seen, level) {
    const found = this.parts.flatMap((part) => {
      const inside = visiblePart(part.rectangle, seen);
      return inside ? part.source.layers(inside, level).map((layer) => placeWindow(layer, part.rectangle)) : [];
    });
    return found.sort((a, b) => b.request.level - a.request.level);
  }

  /** The finest layer that contains an element. @param {number} row @param {number} column @returns {Layer|null} */
  at(row, column) {
    const part = pieceAt(this.parts, row, column);
    const layer = part?.source.at(row - part.rectangle.row, column - part.rectangle.column);
    return part && layer ? placeWindow(layer, part.rectangle) : null;
  }

  retry() {
    for (const { source } of this.parts) source.retry();
  }

  close() {
    for (const { source } of this.parts) source.close();
  }
}

/** A part's window placed in the whole: its bins need not align with bins of the whole. @param {Layer} layer @param {Rectangle} rectangle @returns {Layer} */
export function placeWindow({ request: { level, from, size }, window }, { row, column, height, width }) {
  const bin = 2 ** level;
  return {
    window,
    request: {
      level,
      from: [from[0] + row / bin, from[1] + column / bin],
      size: [Math.min(size[0], height / bin - from[0]), Math.min(size[1], width / bin - from[1])],
    },
  };
}

/** The visible part relative to its corner; null if nothing is visible. @param {Rectangle} rectangle @param {import("../../../drawing/camera.js").Rectangle} seen @returns {import("../../../drawing/camera.js").Rectangle|null} */
export function visiblePart({ row, column, height, width }, seen) {
  const inside = {
    top: Math.max(0, seen.top - row),
    bottom: Math.min(height, seen.bottom - row),
    left: Math.max(0, seen.left - column),
    right: Math.min(width, seen.right - column),
  };
  return inside.top < inside.bottom && inside.left < inside.right ? inside : null;
}

/** A window of the whole part with at most this many cells. @param {import("../../../drawing/camera.js").Size} picture @param {number} most @returns {import("../../../core/tensor/window_source.js").Request} */
export function coarseOf({ height, width }, most) {
  let level = 0;
  const bins = (/** @type {number} */ size) => Math.ceil(size / 2 ** level);
  while (bins(height) * bins(width) > Math.max(1, most) || Math.max(bins(height), bins(width)) > COARSE_LENGTH) level++;
  return { level, from: [0, 0], size: [bins(height), bins(width)] };
}
