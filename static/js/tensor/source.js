/**
 * The windows of one picture: asked for once, coarse first, kept while the picture is looked at.
 *
 * @typedef {import("./windows.js").Request} Request
 * @typedef {import("../types.js").ValueWindow} ValueWindow
 * @typedef {{request: Request, window: ValueWindow}} Layer
 */
import { coarseRequest, covers, holds, ringRequest } from "./windows.js";

/** Windows kept besides the coarse one. */
const KEPT = 8;
/** Less than this part of what is seen left around it: time to fetch further. */
const MARGIN = 0.2;

export class WindowSource {
  /**
   * @param {import("./camera.js").Size} picture
   * @param {(request: Request, signal: AbortSignal) => Promise<ValueWindow>} load
   * @param {() => void} arrived  called after each window and each failure
   */
  constructor(picture, load, arrived) {
    this.picture = picture;
    this.load = load;
    this.arrived = arrived;
    /** @type {Map<string, Layer>} the latest used last */
    this.loaded = new Map();
    /** @type {Map<string, AbortController>} */
    this.underWay = new Map();
    /** @type {unknown} */
    this.error = null;
    this.coarse = coarseRequest(picture);
  }

  /** What there is to draw for what is seen, the coarsest first; asks for what is missing. @param {import("./camera.js").Rectangle} seen @param {number} level @returns {Layer[]} */
  layers(seen, level) {
    const wanted = Math.min(level, this.coarse.level);
    this.need(this.coarse);
    // Where the coarse window is exact enough, it is all there is.
    if (wanted < this.coarse.level) this.needAround(seen, wanted);
    return [...this.loaded.values()].filter(({ request }) => request.level >= wanted)
      .sort((a, b) => b.request.level - a.request.level);
  }

  /** @param {import("./camera.js").Rectangle} seen @param {number} level */
  needAround(seen, level) {
    if (seen.bottom <= seen.top || seen.right <= seen.left) return;
    const here = [...this.loaded.values()].some(({ request }) => request.level === level && covers(request, seen, this.picture, MARGIN));
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
    // A window that was left behind need not arrive any more.
    for (const [other, controller] of this.underWay) if (other !== JSON.stringify(this.coarse)) controller.abort();
    this.fetch(key, request);
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
