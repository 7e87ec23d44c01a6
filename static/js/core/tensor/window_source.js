/**
 * The windows of one picture: requested once, coarse first, kept while the picture is shown.
 *
 * @typedef {{request: Request, window: ValueWindow}} Layer
 */
/** @import {Rectangle, Size} from "../../drawing/camera.js" */
/** @import {ValueWindow} from "../view_types.js" */

/**
 * Which windows of a picture to request: the whole picture coarsely first, then the visible part with a margin.
 *
 * @typedef {{level: number, from: [number, number], size: [number, number]}} Request  from and size count bins
 */

/** Maximum size of a window that the server returns. */
export const MAX_CELLS = 1 << 20;
/** A picture of at most this many bins arrives whole. */
const COARSE_CELLS = 1 << 16;
/** Maximum length: the drawing, not the bins, would thin out what is much longer than the screen. */
const COARSE_LENGTH = 2048;
/** Windows start and end at multiples of this, so that a small movement needs no request. */
const GRAIN = 32;

/** @param {number} size @param {number} level @returns {number} */
export const binsOf = (size, level) => Math.ceil(size / 2 ** level);

/** The whole picture at a level that fits one response. @param {Size} picture @returns {Request} */
export function coarseRequest(picture) {
  let level = 0;
  while (!isCoarse(binsOf(picture.height, level), binsOf(picture.width, level))) level++;
  return { level, from: [0, 0], size: [binsOf(picture.height, level), binsOf(picture.width, level)] };
}

/** @param {number} height @param {number} width @returns {boolean} */
const isCoarse = (height, width) => height * width <= COARSE_CELLS && Math.max(height, width) <= COARSE_LENGTH;

/** The visible part at `level` with a margin of half its size, limited to one window. @param {Rectangle} seen @param {number} level @param {Size} picture @returns {Request} */
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

/** Whether a window covers `seen` and a margin of `margin` times its size. @param {Request} request @param {Rectangle} seen @param {Size} picture @param {number} [margin] @returns {boolean} */
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

/** Whether a window contains an element. @param {Request} request @param {number} row @param {number} column @returns {boolean} */
export function holds({ level, from, size }, row, column) {
  const [r, c] = [Math.floor(row / 2 ** level) - from[0], Math.floor(column / 2 ** level) - from[1]];
  return r >= 0 && c >= 0 && r < size[0] && c < size[1];
}

/**
 * The element as it has arrived: its window, the plane and its number there; null while only bins are here, and past the
 * end of a folded vector.
 *
 * @param {{source: {at: (row: number, column: number) => Layer|null}, wire: {components: number}}} seen @param {number} row @param {number} column
 */
export function exactElement({ source, wire }, row, column) {
  const layer = source.at(row, column);
  const plane = layer?.request.level === 0 ? layer.window.planes.value : undefined;
  if (!layer || !plane) return null;
  const { request, window } = layer;
  const at = (row - request.from[0]) * window.header.width + column - request.from[1];
  return (at + 1) * wire.components > plane.length ? null : { window, plane, at };
}

/**
 * The elements of a window in another picture.
 *
 * @param {ValueWindow} window @param {Size} picture @param {(from: number) => number} placeOf the number there of each element of the window
 * @returns {ValueWindow}
 */
export function rearranged({ header, planes }, { height, width }, placeOf) {
  const { components } = header.wire;
  const before = /** @type {any} */ (planes.value);
  const value = new before.constructor(height * width * components);
  for (let from = 0; from < header.height * header.width; from++) {
    const to = placeOf(from);
    for (let part = 0; part < components; part++) value[to * components + part] = before[from * components + part];
  }
  return { header: { ...header, height, width, total: [height, width] }, planes: { value } };
}

/** Maximum number of windows besides the coarse one. */
const KEPT = 8;
/** Remaining margin, as a share of the visible part, that triggers the next request. */
const MARGIN = 0.2;

export class WindowSource {
  /**
   * @param {Size} picture
   * @param {(request: Request, signal: AbortSignal) => Promise<ValueWindow>} load
   * @param {() => void} arrived  called after each window and each failure
   * @param {{known?: (request: Request) => ValueWindow|undefined, coarse?: Request}} [options]  `known`: cached
   *   windows, `coarse`: the request for the whole picture, if it is not the default
   */
  constructor(picture, load, arrived, { known = () => undefined, coarse = coarseRequest(picture) } = {}) {
    this.picture = picture;
    this.load = load;
    this.arrived = arrived;
    this.known = known;
    /** @type {Map<string, Layer>} the most recently used last */
    this.loaded = new Map();
    /** @type {Map<string, AbortController>} */
    this.underWay = new Map();
    /** @type {unknown} */
    this.error = null;
    this.coarse = coarse;
    // A readout is written before the picture is drawn.
    this.take(coarse);
  }

  /** One window with all elements. @param {Size} picture @param {(signal: AbortSignal) => Promise<ValueWindow>} load */
  static ofOne(picture, load) {
    /** @type {Request} */
    const coarse = { level: 0, from: [0, 0], size: [picture.height, picture.width] };
    return new WindowSource(
      picture,
      (_request, signal) => load(signal),
      () => undefined,
      { coarse },
    );
  }

  /** The layers to draw for the visible part, the coarsest first; requests missing ones. @param {Rectangle} seen @param {number} level @returns {Layer[]} */
  layers(seen, level) {
    const wanted = Math.min(level, this.coarse.level);
    this.need(this.coarse);
    // If the coarse window is exact enough, it is the only layer.
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

  /** The finest layer that contains an element. @param {number} row @param {number} column @returns {Layer|null} */
  at(row, column) {
    const layers = [...this.loaded.values()].filter(({ request }) => holds(request, row, column));
    return layers.sort((a, b) => a.request.level - b.request.level)[0] ?? null;
  }

  /** Whether a request is pending. */
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
    // Another reader has loaded it: readers that drew without it must read again.
    if (this.take(request)) return this.arrived();
    // Abort windows that are no longer visible.
    for (const [other, controller] of this.underWay) if (other !== JSON.stringify(this.coarse)) controller.abort();
    this.fetch(key, request);
  }

  /** Store a window that is loaded already. @param {Request} request @returns {boolean} whether it is */
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

  /** Retry after a failure. */
  retry() {
    this.error = null;
    this.arrived();
  }

  close() {
    for (const controller of this.underWay.values()) controller.abort();
    this.arrived = () => undefined;
  }
}
