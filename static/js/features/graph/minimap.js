/** The whole graph in a corner: the window as a frame, a click or drag moves it. */
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { followPointer } from "../../drawing/heat_map_gestures.js";
import { clearCanvas, coloursOf } from "../../drawing/canvas.js";
import { keepDrawn } from "../../ui/canvas.js";
/** @import {Arrangement} from "./arrange.js" */
/** @import {Scene} from "./paint.js" */
/** @import {GraphView} from "./view.js" */

const SIZE = { width: 132, height: 96 };
const MARGIN = 4;

/** @param {{view: GraphView, arrangement: Arrangement, scene: Scene}} props */
export function Minimap({ view, arrangement, scene }) {
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  const { zoom, x, y } = view.camera.value;
  const isWhole =
    x <= 0 &&
    y <= 0 &&
    x + view.size.width / zoom >= arrangement.width &&
    y + view.size.height / zoom >= arrangement.height;
  const scale = Math.min(
    (SIZE.width - 2 * MARGIN) / Math.max(1, arrangement.width),
    (SIZE.height - 2 * MARGIN) / Math.max(1, arrangement.height),
  );
  useEffect(() => {
    if (!canvas.current) return undefined;
    const all = document.createElement("canvas");
    paintAll(all, arrangement, scene, scale, coloursOf(canvas.current));
    return keepDrawn(canvas.current, (element) => {
      const { x, y, zoom } = view.camera.value;
      return () => {
        const context = clearCanvas(element, SIZE);
        if (!context) return;
        context.drawImage(all, 0, 0, SIZE.width, SIZE.height);
        context.strokeStyle = coloursOf(element)("--accent");
        context.lineWidth = 1.5;
        const at = (/** @type {number} */ each) => MARGIN + each * scale;
        const [left, top] = [Math.max(1, at(x)), Math.max(1, at(y))];
        const [right, bottom] = [
          Math.min(SIZE.width - 1, at(x + view.size.width / zoom)),
          Math.min(SIZE.height - 1, at(y + view.size.height / zoom)),
        ];
        context.strokeRect(left, top, Math.max(3, right - left), Math.max(3, bottom - top));
      };
    });
  }, [scene, isWhole]);
  if (isWhole) return null;
  const go = (/** @type {MouseEvent} */ { offsetX, offsetY }) => {
    const camera = view.camera.value;
    const [wide, high] = [view.size.width / camera.zoom, view.size.height / camera.zoom];
    view.moveBy((offsetX - MARGIN) / scale - wide / 2 - camera.x, (offsetY - MARGIN) / scale - high / 2 - camera.y);
  };
  const press = (/** @type {PointerEvent} */ event) => {
    go(event);
    if (canvas.current) followPointer(canvas.current, event, (moved) => go(moved));
  };
  return html`<canvas class="graph-minimap" ref=${canvas} onPointerDown=${press} aria-hidden="true"></canvas>`;
}

/** @param {HTMLCanvasElement} canvas @param {Arrangement} arrangement @param {Scene} scene @param {number} scale @param {(token: string) => string} colour */
function paintAll(canvas, { boxes }, scene, scale, colour) {
  const context = clearCanvas(canvas, SIZE);
  if (!context) return;
  for (const { node, x, y, width, height } of boxes) {
    const marks = scene.marks.get(node);
    context.fillStyle = node.isOpen
      ? colour("--hover")
      : marks?.has("chosen") || marks?.has("current")
        ? colour("--accent")
        : scene.look(node, false).colour;
    context.fillRect(
      MARGIN + x * scale,
      MARGIN + y * scale,
      Math.max(node.isOpen ? 0 : 1, width * scale),
      Math.max(node.isOpen ? 0 : 1, height * scale),
    );
  }
}
