/** The window on the picture: camera, what is under the pointer, the minimap. */
import { signal } from "@preact/signals";
import { presenter } from "../../core/preferences.js";
import { CHIPS, HEAD } from "./arrange.js";
import { chipPlaces } from "./paint.js";
/** @import {Arrangement, Box, Route} from "./arrange.js" */
/** @import {Camera} from "./paint.js" */
/** @import {Chip, Node} from "./nest.js" */

/** @typedef {{kind: "node", box: Box, isSign: boolean}|{kind: "chip", box: Box, chip: Chip}|{kind: "route", route: Route}} Target  isSign: the sign that opens and folds */

const MOST_ZOOM = 3;
/** A picture that would be smaller is not shown whole at first. */
const LEAST_FITTED = 0.7;
const [LEAST_FIRST, FIRST_ZOOM] = [0.8, 1];
const MARGIN = 16;
/** How near the pointer must be to an edge, in pixels. */
const NEAR = 5;
/** Width of the sign that opens and folds. */
const SIGN = 20;

export class GraphView {
  constructor() {
    this.camera = signal(/** @type {Camera} */ ({ x: 0, y: 0, zoom: 1 }));
    this.size = { width: 0, height: 0 };
    /** @type {Arrangement|null} */
    this.arrangement = null;
    /** Whether the user has not moved the camera: another size of the window then fits the picture again. */
    this.isAuto = true;
  }

  /** Show another arrangement; `kept`: the node that stays at its place on the screen. @param {Arrangement} arrangement @param {Node|null} kept @param {Node|null} central */
  show(arrangement, kept, central) {
    const before = kept && this.boxOfKey(kept.key);
    this.arrangement = arrangement;
    const after = kept && this.boxOfKey(kept.key);
    if (before && after) this.moveBy(after.x - before.x, after.y - before.y);
    else this.home(central);
  }

  /** @param {string} key @returns {Box|undefined} */
  boxOfKey(key) {
    return this.arrangement?.boxes.find(({ node }) => node.key === key);
  }

  /** @param {{width: number, height: number}} size @param {Node|null} central */
  resize(size, central) {
    if (size.width === this.size.width && size.height === this.size.height) return;
    this.size = size;
    if (this.isAuto) this.home(central);
  }

  /** Fit the picture if its texts stay readable, else show the central node. @param {Node|null} central */
  home(central) {
    this.isAuto = true;
    if (!this.arrangement || this.size.width === 0) return;
    if (this.fitting() >= LEAST_FITTED) return this.fit();
    const box = central ? this.arrangement.byNode.get(central) : undefined;
    const zoom = Math.max(LEAST_FIRST, Math.min(FIRST_ZOOM, (this.size.width - 2 * MARGIN) / this.arrangement.width));
    const x = box
      ? box.x + box.width / 2 - this.size.width / 2 / zoom
      : (this.arrangement.width - this.size.width / zoom) / 2;
    const y = box ? box.y + Math.min(box.height, 60) / 2 - this.size.height / 2 / zoom : -MARGIN / zoom;
    const { width, height } = this.arrangement;
    this.camera.value = {
      x: filled(x, width, this.size.width / zoom, MARGIN / zoom),
      y: filled(y, height, this.size.height / zoom, MARGIN / zoom),
      zoom,
    };
  }

  /** @returns {number} the zoom that shows everything */
  fitting() {
    const { width = 1, height = 1 } = this.arrangement ?? {};
    return Math.min(
      presenter.peek() ? MOST_ZOOM : 1.2,
      (this.size.width - 2 * MARGIN) / Math.max(1, width),
      (this.size.height - 2 * MARGIN) / Math.max(1, height),
    );
  }

  fit() {
    if (!this.arrangement || this.size.width === 0) return;
    const zoom = Math.max(0.001, this.fitting());
    const { width, height } = this.arrangement;
    this.camera.value = { zoom, x: (width - this.size.width / zoom) / 2, y: (height - this.size.height / zoom) / 2 };
  }

  /** @param {number} x of the picture @param {number} y */
  moveBy(x, y) {
    this.isAuto = false;
    const { camera } = this;
    camera.value = this.clamped({ ...camera.value, x: camera.value.x + x, y: camera.value.y + y });
  }

  /** @param {number} x pixels @param {number} y */
  pan(x, y) {
    const { zoom } = this.camera.value;
    this.moveBy(x / zoom, y / zoom);
  }

  /** @param {number} factor @param {{x: number, y: number}} [at] pixels */
  zoomBy(factor, at = { x: this.size.width / 2, y: this.size.height / 2 }) {
    this.isAuto = false;
    const { x, y, zoom } = this.camera.value;
    const least = Math.min(0.5, this.fitting() / 1.5);
    const next = Math.min(MOST_ZOOM, Math.max(least, zoom * factor));
    this.camera.value = this.clamped({
      zoom: next,
      x: x + at.x / zoom - at.x / next,
      y: y + at.y / zoom - at.y / next,
    });
  }

  /** Some of the picture stays in the window. @param {Camera} camera @returns {Camera} */
  clamped({ x, y, zoom }) {
    const { width, height } = this.arrangement ?? { width: 0, height: 0 };
    const [wide, high] = [this.size.width / zoom, this.size.height / zoom];
    const within = (/** @type {number} */ at, /** @type {number} */ length, /** @type {number} */ room) =>
      Math.min(Math.max(at, -0.75 * room), length - 0.25 * room);
    return { zoom, x: within(x, width, wide), y: within(y, height, high) };
  }

  /** Move the camera so that a node is in the window. @param {Node} node */
  reveal(node) {
    const box = this.boxOfKey(node.key);
    if (!box || this.size.width === 0) return;
    const { x, y, zoom } = this.camera.value;
    const [wide, high] = [this.size.width / zoom, this.size.height / zoom];
    /** @param {number} start @param {number} from @param {number} length @param {number} room */
    const into = (start, from, length, room) => {
      const margin = Math.min(24, room / 8);
      if (from >= start + margin && from + Math.min(length, room / 2) <= start + room - margin) return start;
      return from + Math.min(length, room) / 2 - room / 2;
    };
    const [toX, toY] = [into(x, box.x, box.width, wide), into(y, box.y, box.node.isOpen ? HEAD : box.height, high)];
    if (toX !== x || toY !== y) this.camera.value = { zoom, x: toX, y: toY };
  }

  /** @param {{x: number, y: number}} point pixels @returns {Target|null} */
  under(point) {
    const { x: left, y: top, zoom } = this.camera.value;
    const [x, y] = [left + point.x / zoom, top + point.y / zoom];
    const { boxes = [], routes = [] } = this.arrangement ?? {};
    for (let at = boxes.length - 1; at >= 0; at--) {
      const box = /** @type {Box} */ (boxes[at]);
      const { node } = box;
      if (x < box.x || x > box.x + box.width || y < box.y || y > box.y + box.height) continue;
      const chipsAt = box.y + (node.isOpen ? HEAD : 2);
      if (node.chips.length > 0 && y >= chipsAt && y <= chipsAt + CHIPS - 2) {
        const place = chipPlaces(node).find((each) => x >= box.x + each.left && x <= box.x + each.left + each.width);
        if (place?.chip) return { kind: "chip", box, chip: place.chip };
      }
      if (node.isOpen && y > box.y + HEAD) break;
      return { kind: "node", box, isSign: node.canOpen && x <= box.x + SIGN };
    }
    const route = routes.findLast((each) => isNear(each, x, y, NEAR / zoom));
    return route ? { kind: "route", route } : null;
  }
}

/** The corner of a window without empty space at either end; what is smaller than the window is in its middle. @param {number} at @param {number} length @param {number} room @param {number} margin */
const filled = (at, length, room, margin) =>
  length + 2 * margin < room ? (length - room) / 2 : Math.min(Math.max(at, -margin), length + margin - room);

/** @param {Route} route @param {number} x @param {number} y @param {number} near */
function isNear({ points, left, top, right, bottom }, x, y, near) {
  if (x < left - near || x > right + near || y < top - near || y > bottom + near) return false;
  for (let at = 2; at < points.length; at += 2) {
    const [fromX, fromY, toX, toY] = [points[at - 2], points[at - 1], points[at], points[at + 1]].map(Number);
    if (Number(fromY) > y + near || Number(toY) < y - near) continue;
    // The curve of a piece as it is drawn: both ends are vertical.
    const share =
      Number(toY) === Number(fromY) ? 0 : Math.min(1, Math.max(0, (y - Number(fromY)) / (Number(toY) - Number(fromY))));
    const eased = share * share * (3 - 2 * share);
    if (Math.abs(Number(fromX) + (Number(toX) - Number(fromX)) * eased - x) <= 1.5 * near) return true;
  }
  return false;
}
