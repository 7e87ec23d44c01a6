/** Discs over the picture of a value, such as the answers of a class: a feature provides them, the picture draws them. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { coloursOf } from "../../drawing/canvas.js";
/** @import {Layout} from "../../core/tensor/axes.js" */
/** @import {View} from "../../drawing/draw.js" */

/**
 * @typedef {{row: number, column: number, count: number, share: number, right: boolean}} Mark share: of the largest count; right: it gets a border
 */

const LEAST_RADIUS = 4;
/** Radius from which a disc shows its count, in pixels. */
const WITH_NUMBER = 8;

/** The marks of the value at an address, or null. A room sets it. */
export const marksFor = signal(/** @type {((address: string, layout: Layout) => Mark[]|null)|null} */ (null));

/** Draw the marks of a value over its heat map. @param {{current: import("../../drawing/heat_map.js").HeatMap|null}} map @param {{address: string}} selected @param {Layout} layout */
export function useMarks(map, { address }, layout) {
  const marks = marksFor.value?.(address, layout) ?? null;
  useEffect(() => {
    if (map.current) show(map.current, marks);
  }, [JSON.stringify(marks), address]);
}

/** @param {import("../../drawing/heat_map.js").HeatMap} map @param {Mark[]|null} marks */
function show(map, marks) {
  if (map.drawOver === null && marks === null) return;
  map.drawOver = marks && ((context, view) => drawMarks(context, view, marks, coloursOf(map.canvas)));
  map.redraw();
}

/** @param {CanvasRenderingContext2D} context @param {View} view @param {Mark[]} marks @param {(token: string) => string} colour */
function drawMarks(context, { camera, cell }, marks, colour) {
  const room = Math.min(cell.x, cell.y);
  for (const { row, column, count, share, right } of marks) {
    const [x, y] = [(column + 0.5 - camera.left) * cell.x, (row + 0.5 - camera.top) * cell.y];
    const radius = Math.max(LEAST_RADIUS, (Math.min(room, 64) / 2) * Math.sqrt(share));
    if (right) {
      context.strokeStyle = colour("--good");
      context.lineWidth = 3;
      context.strokeRect(x - cell.x / 2 + 1.5, y - cell.y / 2 + 1.5, cell.x - 3, cell.y - 3);
    }
    if (count === 0) continue;
    context.fillStyle = colour("--accent");
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
    if (radius < WITH_NUMBER) continue;
    context.fillStyle = colour("--on-accent");
    context.font = "600 11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(String(count), x, y);
  }
}
