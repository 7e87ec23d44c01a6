/**
 * The windows of one picture: asked for once, coarse first, kept while the picture is looked at.
 *
 * @typedef {{request: Request, window: ValueWindow}} Layer
 */
/**
 * @import {Rectangle, Size} from "../../drawing/camera.js"
 * @import {ValueWindow} from "../view_types.js"
 */

/**
 * Which windows of a picture to ask for: the whole of it coarsely first, then what is seen, with a ring around.
 *
 * @typedef {{level: number, from: [number, number], size: [number, number]}} Request  from and size count bins
 */

/** The server serves no window larger than this. */
export const MAX_CELLS = 1 << 20;
/** A picture of so many bins comes whole. */
const COARSE_CELLS = 1 << 16;
/** Nor is it longer: what is much longer than the screen would be thinned out by the drawing, not by the bins. */
const COARSE_LENGTH = 2048;
/** Windows begin and end at multiples of this, so that a small movement asks for nothing new. */
const GRAIN = 32;

/** @param {number} size @param {number} level @returns {number} */
export const binsOf = (size, level) => Math.ceil(size / 2 ** level);

/** The whole picture, coarse enough to come at once. @param {Size} picture @returns {Request} */
export function coarseRequest(picture) {
  let level = 0;
  while (!isCoarse(binsOf(picture.height, level), binsOf(picture.width, level))) level++;
  return { level, from: [0, 0], size: [binsOf(picture.height, level), binsOf(picture.width, level)] };
}

/** @param {number} height @param {number} width @returns {boolean} */
function isCoarse(height, width) {
  return height * width <= COARSE_CELLS && Math.max(height, width) <= COARSE_LENGTH;
}

/** What is seen at `level` and a ring of half its size, as far as one window holds it. @param {Rectangle} seen @param {number} level @param {Size} picture @returns {Request} */
export function ringRequest(seen, level, picture) {
  for (const ring of [0.5, 0.25, 0.1, 0]) {
    const request = around(seen, ring, level, picture);
    if (request.size[0] * request.size[1] <= MAX_CELLS) return request;
  }
  return cut(around(seen, 0, level, picture));
}

/** @param {Rectangle} seen @param {number} ring @param {number} level @param {Size} picture @returns {Request} */
function around(seen, ring, level, picture) {
  const rows = span(seen.top, seen.bottom, ring, level, picture.height);
  const columns = span(seen.left, seen.right, ring, level, picture.width);
  return { level, from: [rows[0], columns[0]], size: [rows[1] - rows[0], columns[1] - columns[0]] };
}

/** @param {number} start @param {number} end @param {number} ring @param {number} level @param {number} size @returns {[number, number]} */
function span(start, end, ring, level, size) {
  const bin = 2 ** level;
  const more = (end - start) * ring;
  const first = Math.floor((start - more) / bin / GRAIN) * GRAIN;
  const last = Math.ceil((end + more) / bin / GRAIN) * GRAIN;
  return [Math.max(0, first), Math.min(binsOf(size, level), last)];
}

/** @param {Request} request @returns {Request} */
function cut({ level, from, size }) {
  const width = Math.min(size[1], MAX_CELLS);
  return { level, from, size: [Math.min(size[0], Math.max(1, Math.floor(MAX_CELLS / width))), width] };
}

/** Whether a window shows all of `seen`, and `margin` times its size around it. @param {Request} request @param {Rectangle} seen @param {Size} picture @param {number} [margin] @returns {boolean} */
export function covers({ level, from, size }, seen, picture, margin = 0) {
  const bin = 2 ** level;
  const [more, wider] = [(seen.bottom - seen.top) * margin, (seen.right - seen.left) * margin];
  return (
    from[0] * bin <= Math.max(0, seen.top - more) &&
    from[1] * bin <= Math.max(0, seen.left - wider) &&
    (from[0] + size[0]) * bin >= Math.min(picture.height, seen.bottom + more) &&
    (from[1] + size[1]) * bin >= Math.min(picture.width, seen.right + wider)
  );
}

/** Whether an element lies in a window. @param {Request} request @param {number} row @param {number} column @returns {boolean} */
export function holds({ level, from, size }, row, column) {
  const [r, c] = [Math.floor(row / 2 ** level) - from[0], Math.floor(column / 2 ** level) - from[1]];
  return r >= 0 && c >= 0 && r < size[0] && c < size[1];
}

/** Windows kept besides the coarse one. */
const KEPT = 8;
/** Less than this part of what is seen left around it: time to fetch further. */
const MARGIN = 0.2;

export class WindowSource {
  /**
   * @param {Size} picture
   * @param {(request: Request, signal: AbortSignal) => Promise<ValueWindow>} load
   * @param {() => void} arrived  called after each window and each failure
   * @param {{known?: (request: Request) => ValueWindow|undefined, coarse?: Request}} [options]  `known`: what is here without
   *   being asked for, `coarse`: the whole picture, where it is not cut as usual
   */
  constructor(picture, load, arrived, { known = () => undefined, coarse = coarseRequest(picture) } = {}) {
    this.picture = picture;
    this.load = load;
    this.arrived = arrived;
    this.known = known;
    /** @type {Map<string, Layer>} the latest used last */
    this.loaded = new Map();
    /** @type {Map<string, AbortController>} */
    this.underWay = new Map();
    /** @type {unknown} */
    this.error = null;
    this.coarse = coarse;
    // A readout is written before the picture is drawn.
    this.take(coarse);
  }

  /** What there is to draw for what is seen, the coarsest first; asks for what is missing. @param {Rectangle} seen @param {number} level @returns {Layer[]} */
  layers(seen, level) {
    const wanted = Math.min(level, this.coarse.level);
    this.need(this.coarse);
    // Where the coarse window is exact enough, it is all there is.
    if (wanted < this.coarse.level) this.needAround(seen, wanted);
    return [...this.loaded.values()]
      .filter(({ request }) => request.level >= wanted)
      .sort((a, b) => b.request.level - a.request.level);
  }

  /** @param {Rectangle} seen @param {number} level */
  needAround(seen, level) {
    if (seen.bottom <= seen.top || seen.right <= seen.left) return;
    const here = [...this.loaded.values()].some(
      ({ request }) => request.level === level && covers(request, seen, this.picture, MARGIN),
    );
    if (!here) this.need(ringRequest(seen, level, this.picture));
  }

  /** The finest layer that holds an element. @param {number} row @param {number} column @returns {Layer|null} */
  at(row, column) {
    const layers = [...this.loaded.values()].filter(({ request }) => holds(request, row, column));
    return layers.sort((a, b) => a.request.level - b.request.level)[0] ?? null;
  }

  /** Whether something is still to come. */
  get busy() {
    return this.underWay.size > 0;
  }

  /** @param {Request} request */
  need(request) {
    const key = JSON.stringify(request);
    const already = this.loaded.get(key);
    if (already) {
      this.loaded.delete(key);
      this.loaded.set(key, already);
    }
    if (already || this.underWay.has(key) || this.error) return;
    // It came since, for somebody else: who read the picture without it reads it again.
    if (this.take(request)) return this.arrived();
    // A window that was left behind need not arrive any more.
    for (const [other, controller] of this.underWay) if (other !== JSON.stringify(this.coarse)) controller.abort();
    this.fetch(key, request);
  }

  /** Keep a window that is here already. @param {Request} request @returns {boolean} whether it is */
  take(request) {
    const window = this.known(request);
    if (window) this.keep(JSON.stringify(request), { request, window });
    return window !== undefined;
  }

  /** @param {string} key @param {Request} request */
  async fetch(key, request) {
    const controller = new AbortController();
    this.underWay.set(key, controller);
    try {
      this.keep(key, { request, window: await this.load(request, controller.signal) });
    } catch (error) {
      if (!controller.signal.aborted) this.error = error;
    }
    this.underWay.delete(key);
    if (!controller.signal.aborted) this.arrived();
  }

  /** @param {string} key @param {Layer} layer */
  keep(key, layer) {
    this.loaded.set(key, layer);
    for (const [old, { request }] of this.loaded) {
      if (this.loaded.size <= KEPT) break;
      if (request !== this.coarse) this.loaded.delete(old);
    }
  }

  /** Ask again after a failure. */
  retry() {
    this.error = null;
    this.arrived();
  }

  close() {
    for (const controller of this.underWay.values()) controller.abort();
    this.arrived = () => undefined;
  }
}
