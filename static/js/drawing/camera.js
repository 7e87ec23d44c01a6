/**
 * The camera of a picture. Lengths of the picture are in elements, lengths of the screen in CSS pixels.
 *
 * @typedef {{zoom: number, left: number, top: number, least?: Least}} Camera  zoom: pixels an element; left, top: element at the corner
 * @typedef {{x: number, y: number}} Least  an element is drawn no narrower and no lower
 * @typedef {{width: number, height: number}} Size
 * @typedef {{top: number, left: number, bottom: number, right: number}} Rectangle
 */

export const LARGEST_ZOOM = 160;
/** Maximum initial zoom for small values. */
export const FIRST_ZOOM = 96;
/** Minimum thickness of a picture, so that a vector of a million elements stays visible. */
const THICKNESS = 40;
/** Minimum thickness of a fitted picture, if there is space. */
const COMFORT = 120;
/** Maximum stretch of elements to fill the space. */
const STRETCH = 8;
/** Maximum stretch if several elements share a pixel, where proportions are not visible. */
const STRETCH_SMALL = 16;

/** Width and height of an element on the screen. @param {Pick<Camera, "zoom"|"least">} camera @param {Size} picture */
export function cellSize({ zoom, least }, picture) {
  const thin = (/** @type {number} */ elements) => Math.min(THICKNESS / Math.max(1, elements), LARGEST_ZOOM);
  return { x: Math.max(zoom, least?.x ?? thin(picture.width)), y: Math.max(zoom, least?.y ?? thin(picture.height)) };
}

/**
 * The minimum size of elements so that a picture fills the space in both directions: a 64 x 1 tensor is more than a
 * line of pixels, a 784 x 256 one more than a strip.
 *
 * @param {Size} picture @param {Size} screen @returns {Least}
 */
export function stretched(picture, screen) {
  const zoom = fittingZoom(picture, screen);
  const stretch = zoom < 1 ? STRETCH_SMALL : STRETCH;
  const most = (/** @type {number} */ elements, /** @type {number} */ room) => {
    const count = Math.max(1, elements);
    const thick = Math.min(COMFORT / count, LARGEST_ZOOM);
    return Math.max(Math.min(room / count, Math.max(Math.min(stretch * zoom, FIRST_ZOOM), thick)), zoom);
  };
  return { x: most(picture.width, screen.width), y: most(picture.height, screen.height) };
}

/** The zoom that shows the whole picture. @param {Size} picture @param {Size} screen @returns {number} */
export function fittingZoom(picture, screen) {
  const zoom = Math.min(screen.width / Math.max(1, picture.width), screen.height / Math.max(1, picture.height));
  return Math.max(Math.min(zoom, FIRST_ZOOM), 1e-9);
}

/** @param {Size} picture @param {Size} screen @param {Least} [least] @returns {Camera} */
export function fit(picture, screen, least) {
  const whole = { zoom: fittingZoom(picture, screen), left: 0, top: 0 };
  return clamp(least ? { ...whole, least } : whole, picture, screen);
}

/** Limit the camera: zoom at least to the whole picture, position within its edges. @param {Camera} camera @param {Size} picture @param {Size} screen @returns {Camera} */
export function clamp(camera, picture, screen) {
  const zoom = Math.min(LARGEST_ZOOM, Math.max(camera.zoom, fittingZoom(picture, screen)));
  const cell = cellSize({ ...camera, zoom }, picture);
  const last = (/** @type {number} */ elements, /** @type {number} */ room, /** @type {number} */ size) =>
    Math.max(0, elements - room / size);
  return {
    ...camera,
    zoom,
    left: Math.min(Math.max(0, camera.left), last(picture.width, screen.width, cell.x)),
    top: Math.min(Math.max(0, camera.top), last(picture.height, screen.height, cell.y)),
  };
}

/** Zoom by `factor` around a point. @param {Camera} camera @param {number} factor @param {{x: number, y: number}} point @param {Size} picture @param {Size} screen @returns {Camera} */
export function zoomAt(camera, factor, point, picture, screen) {
  const zoom = Math.min(LARGEST_ZOOM, Math.max(camera.zoom * factor, fittingZoom(picture, screen)));
  const [before, after] = [cellSize(camera, picture), cellSize({ ...camera, zoom }, picture)];
  const left = camera.left + point.x / before.x - point.x / after.x;
  const top = camera.top + point.y / before.y - point.y / after.y;
  return clamp({ ...camera, zoom, left, top }, picture, screen);
}

/** @param {Camera} camera @param {number} x pixels @param {number} y pixels @param {Size} picture @param {Size} screen @returns {Camera} */
export function panBy(camera, x, y, picture, screen) {
  const cell = cellSize(camera, picture);
  return clamp({ ...camera, left: camera.left + x / cell.x, top: camera.top + y / cell.y }, picture, screen);
}

/** Move the camera so that an element is visible. @param {Camera} camera @param {number} row @param {number} column @param {Size} picture @param {Size} screen @returns {Camera} */
export function reveal(camera, row, column, picture, screen) {
  const cell = cellSize(camera, picture);
  const into = (/** @type {number} */ start, /** @type {number} */ at, /** @type {number} */ span) =>
    Math.min(Math.max(start, at + 1 - span), at);
  const left = into(camera.left, column, Math.max(1, screen.width / cell.x));
  const top = into(camera.top, row, Math.max(1, screen.height / cell.y));
  return clamp({ ...camera, left, top }, picture, screen);
}

/** The visible elements. @param {Camera} camera @param {Size} picture @param {Size} screen @returns {Rectangle} */
export function visible(camera, picture, screen) {
  const cell = cellSize(camera, picture);
  return {
    top: Math.floor(camera.top),
    left: Math.floor(camera.left),
    bottom: Math.min(picture.height, Math.ceil(camera.top + screen.height / cell.y)),
    right: Math.min(picture.width, Math.ceil(camera.left + screen.width / cell.x)),
  };
}

/** The element under a point; null outside the picture. @param {Camera} camera @param {{x: number, y: number}} point @param {Size} picture @returns {{row: number, column: number}|null} */
export function elementUnder(camera, point, picture) {
  const cell = cellSize(camera, picture);
  const row = Math.floor(camera.top + point.y / cell.y);
  const column = Math.floor(camera.left + point.x / cell.x);
  const inside = point.x >= 0 && point.y >= 0 && row < picture.height && column < picture.width;
  return inside ? { row, column } : null;
}

/** The level of the pyramid with about one bin per device pixel. @param {Camera} camera @param {Size} picture @param {number} density @returns {number} */
export function levelFor(camera, picture, density) {
  const cell = cellSize(camera, picture);
  const smallest = Math.min(cell.x, cell.y) * density;
  return smallest >= 1 ? 0 : Math.ceil(-Math.log2(smallest) - 1e-9);
}
