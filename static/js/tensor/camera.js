/**
 * Where one looks at a picture from. Lengths of the picture are in elements, those of the screen in CSS pixels.
 *
 * @typedef {{zoom: number, left: number, top: number}} Camera  zoom: pixels an element; left, top: element at the corner
 * @typedef {{width: number, height: number}} Size
 * @typedef {{top: number, left: number, bottom: number, right: number}} Rectangle
 */

export const LARGEST_ZOOM = 160;
/** An element of a small value is drawn no larger at first. */
export const FIRST_ZOOM = 72;
/** A picture never gets thinner than this, or a vector of a million elements would not be seen. */
const THICKNESS = 40;

/** Width and height of an element on the screen. @param {number} zoom @param {Size} picture */
export function cellSize(zoom, picture) {
  return {
    x: Math.max(zoom, Math.min(THICKNESS / Math.max(1, picture.width), LARGEST_ZOOM)),
    y: Math.max(zoom, Math.min(THICKNESS / Math.max(1, picture.height), LARGEST_ZOOM)),
  };
}

/** The zoom at which the whole picture is seen. @param {Size} picture @param {Size} screen @returns {number} */
export function fittingZoom(picture, screen) {
  const zoom = Math.min(screen.width / Math.max(1, picture.width), screen.height / Math.max(1, picture.height));
  return Math.max(Math.min(zoom, FIRST_ZOOM), 1e-9);
}

/** @param {Size} picture @param {Size} screen @returns {Camera} */
export function fit(picture, screen) {
  return clamp({ zoom: fittingZoom(picture, screen), left: 0, top: 0 }, picture, screen);
}

/** Neither further away than the whole picture, nor past its edges. @param {Camera} camera @param {Size} picture @param {Size} screen @returns {Camera} */
export function clamp(camera, picture, screen) {
  const zoom = Math.min(LARGEST_ZOOM, Math.max(camera.zoom, fittingZoom(picture, screen)));
  const cell = cellSize(zoom, picture);
  const last = (/** @type {number} */ elements, /** @type {number} */ room, /** @type {number} */ size) => Math.max(0, elements - room / size);
  return {
    zoom,
    left: Math.min(Math.max(0, camera.left), last(picture.width, screen.width, cell.x)),
    top: Math.min(Math.max(0, camera.top), last(picture.height, screen.height, cell.y)),
  };
}

/** Nearer by `factor`, what is at the point staying there. @param {Camera} camera @param {number} factor @param {{x: number, y: number}} point @param {Size} picture @param {Size} screen @returns {Camera} */
export function zoomAt(camera, factor, point, picture, screen) {
  const zoom = Math.min(LARGEST_ZOOM, Math.max(camera.zoom * factor, fittingZoom(picture, screen)));
  const [before, after] = [cellSize(camera.zoom, picture), cellSize(zoom, picture)];
  const left = camera.left + point.x / before.x - point.x / after.x;
  const top = camera.top + point.y / before.y - point.y / after.y;
  return clamp({ zoom, left, top }, picture, screen);
}

/** @param {Camera} camera @param {number} x pixels @param {number} y pixels @param {Size} picture @param {Size} screen @returns {Camera} */
export function panBy(camera, x, y, picture, screen) {
  const cell = cellSize(camera.zoom, picture);
  return clamp({ ...camera, left: camera.left + x / cell.x, top: camera.top + y / cell.y }, picture, screen);
}

/** So that this element is seen. @param {Camera} camera @param {number} row @param {number} column @param {Size} picture @param {Size} screen @returns {Camera} */
export function reveal(camera, row, column, picture, screen) {
  const cell = cellSize(camera.zoom, picture);
  const into = (/** @type {number} */ start, /** @type {number} */ at, /** @type {number} */ span) =>
    Math.min(Math.max(start, at + 1 - span), at);
  const left = into(camera.left, column, Math.max(1, screen.width / cell.x));
  const top = into(camera.top, row, Math.max(1, screen.height / cell.y));
  return clamp({ ...camera, left, top }, picture, screen);
}

/** The elements that are seen. @param {Camera} camera @param {Size} picture @param {Size} screen @returns {Rectangle} */
export function visible(camera, picture, screen) {
  const cell = cellSize(camera.zoom, picture);
  return {
    top: Math.floor(camera.top),
    left: Math.floor(camera.left),
    bottom: Math.min(picture.height, Math.ceil(camera.top + screen.height / cell.y)),
    right: Math.min(picture.width, Math.ceil(camera.left + screen.width / cell.x)),
  };
}

/** The element under a point, or null beside the picture. @param {Camera} camera @param {{x: number, y: number}} point @param {Size} picture @returns {{row: number, column: number}|null} */
export function elementUnder(camera, point, picture) {
  const cell = cellSize(camera.zoom, picture);
  const row = Math.floor(camera.top + point.y / cell.y);
  const column = Math.floor(camera.left + point.x / cell.x);
  const inside = point.x >= 0 && point.y >= 0 && row < picture.height && column < picture.width;
  return inside ? { row, column } : null;
}

/** The pyramid's level that has about one bin a device pixel. @param {Camera} camera @param {Size} picture @param {number} density @returns {number} */
export function levelFor(camera, picture, density) {
  const cell = cellSize(camera.zoom, picture);
  const smallest = Math.min(cell.x, cell.y) * density;
  return smallest >= 1 ? 0 : Math.ceil(-Math.log2(smallest) - 1e-9);
}
