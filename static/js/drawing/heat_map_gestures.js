/** Pointer, wheel and keys on a heat map: pan, zoom, move the cursor. */
import { LEFT, TOP } from "./draw.js";
import { cellForKey } from "./cell_keys.js";
/** @import {HeatMap} from "./heat_map.js" */

const WHEEL_STEP = 1 / 400;
const KEY_ZOOM = 1.5;
/** Maximum movement of a click, in pixels. */
const CLICK = 3;

/** @param {HTMLElement} element the focusable element @param {HTMLCanvasElement} canvas @param {HeatMap} map @returns {() => void} */
export function listen(element, canvas, map) {
  const stop = new AbortController();
  const { signal } = stop;
  canvas.addEventListener("wheel", (event) => wheel(event, map), { signal, passive: false });
  canvas.addEventListener("pointerdown", (event) => dragOrClick(canvas, event, map, () => setCursor(map)), { signal });
  canvas.addEventListener("pointermove", (event) => map.point(pointOf(event)), { signal });
  canvas.addEventListener("pointerleave", () => map.point(null), { signal });
  canvas.addEventListener("dblclick", (event) => map.zoom(4, inside(event)), { signal });
  element.addEventListener("keydown", (event) => key(event, map), { signal });
  return () => stop.abort();
}

/** @param {MouseEvent} event */
const pointOf = ({ offsetX, offsetY }) => ({ x: offsetX, y: offsetY });

/** @param {MouseEvent} event */
const inside = ({ offsetX, offsetY }) => ({ x: offsetX - LEFT, y: offsetY - TOP });

/** @param {WheelEvent} event @param {HeatMap} map */
function wheel(event, map) {
  // A picture that fits the view lets the page scroll.
  if (map.fitted && event.deltaY > 0 && !event.ctrlKey) return;
  panOrZoom(event, map);
}

/** Zoom at the pointer; with Shift, pan sideways. @param {WheelEvent} event @param {HeatMap} map */
export function panOrZoom(event, map) {
  event.preventDefault();
  if (event.shiftKey) return map.pan(event.deltaY + event.deltaX, 0);
  map.zoom(Math.exp(-event.deltaY * WHEEL_STEP), inside(event));
}

/** Follow a pressed pointer until it is released. @param {HTMLElement} canvas @param {PointerEvent} pressed @param {(moved: PointerEvent, by: {x: number, y: number}) => void} move @param {() => void} [release] */
export function followPointer(canvas, pressed, move, release = () => {}) {
  const stop = new AbortController();
  const { signal } = stop;
  let [x, y] = [pressed.clientX, pressed.clientY];
  canvas.setPointerCapture(pressed.pointerId);
  canvas.addEventListener(
    "pointermove",
    (moved) => {
      move(moved, { x: moved.clientX - x, y: moved.clientY - y });
      [x, y] = [moved.clientX, moved.clientY];
    },
    { signal },
  );
  canvas.addEventListener("pointerup", release, { signal });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => stop.abort(), { signal });
}

/** A drag pans. @param {HTMLCanvasElement} canvas @param {PointerEvent} event @param {{pan: (x: number, y: number) => void}} map @param {() => void} click */
export function dragOrClick(canvas, event, map, click) {
  if (event.button !== 0) return;
  let distance = 0;
  const move = (/** @type {PointerEvent} */ _moved, /** @type {{x: number, y: number}} */ { x, y }) => {
    distance += Math.abs(x) + Math.abs(y);
    if (distance > CLICK) map.pan(-x, -y);
  };
  followPointer(canvas, event, move, () => {
    if (distance <= CLICK) click();
  });
}

/** A click sets the cursor. @param {HeatMap} map */
const setCursor = (map) => map.hover && map.moveCursor(map.hover.row, map.hover.column);

/** @param {KeyboardEvent} event @param {HeatMap} map */
function key(event, map) {
  if (event.altKey || event.metaKey) return;
  const act = event.key === "Enter" ? () => map.zoomToElement() : (ZOOM_KEYS[event.key] ?? cursorMove(event, map));
  if (!act) return;
  event.preventDefault();
  act(map);
  if (event.key === "0") map.pointAgain();
}

/** @type {Record<string, (map: HeatMap) => void>} */
export const ZOOM_KEYS = {
  "+": (map) => map.zoom(KEY_ZOOM),
  "=": (map) => map.zoom(KEY_ZOOM),
  "-": (map) => map.zoom(1 / KEY_ZOOM),
  0: (map) => map.fit(),
};

/** @param {KeyboardEvent} event @param {HeatMap} map @returns {(() => void)|null} */
function cursorMove(event, map) {
  const { row, column } =
    map.cursor ?? map.binAround({ row: Math.ceil(map.camera.top), column: Math.ceil(map.camera.left) });
  const { seen } = map.view();
  const page = Math.max(map.stride, seen.bottom - seen.top);
  const target = cellForKey(event, { row, column }, map.picture, page, map.stride);
  if (!target) return null;
  // The first key press shows the cursor at its position.
  const first = map.cursor === null;
  return () => (first ? map.moveCursor(row, column) : map.moveCursor(target.row, target.column));
}
