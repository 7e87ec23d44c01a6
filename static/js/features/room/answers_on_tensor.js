/** Where a class has clicked, as discs on the picture of the value; what is right has an edge. */
import { useEffect } from "preact/hooks";
import { heldAxes } from "../../core/tensor/axes.js";
import { placeInPicture } from "../tensor/cursor_target.js";
import * as state from "./state.js";

/**
 * @typedef {import("../../drawing/draw.js").View} View
 * @typedef {import("../tensor/settings.js").Layout} Layout
 * @typedef {{row: number, column: number, count: number, share: number, right: boolean}} Mark
 */

const LEAST_RADIUS = 4;
const WITH_NUMBER = 8;

/** Draw the answers over a heat map. @param {{current: import("../../drawing/heat_map.js").HeatMap|null}} map @param {{address: string}} selected @param {Layout} layout */
export function useAnswersOnTensor(map, { address }, layout) {
  const poll = state.poll.value;
  const { results } = state.view.value;
  const shown = poll?.kind === "cell" && poll.target?.address === address && results ? results : null;
  useEffect(() => {
    if (map.current) show(map.current, shown && marksOf(shown, layout));
  }, [shown, layout, address]);
}

/** @param {import("../../drawing/heat_map.js").HeatMap} map @param {Mark[]|null} marks */
function show(map, marks) {
  if (map.drawOver === null && marks === null) return;
  map.drawOver = marks && ((context, view) => drawMarks(context, view, marks, coloursOf(map.canvas)));
  map.redraw();
}

/** Those that the picture shows: of a value of more dimensions it shows a slice. @param {import("../../core/types.js").PollResultsMessage} results @param {Layout} layout @returns {Mark[]} */
export function marksOf({ heat = [], truth }, layout) {
  const right = new Set((truth?.cells ?? []).map(String));
  const most = Math.max(1, ...heat.map(({ count }) => count));
  const counts = new Map(heat.map(({ element, count }) => [String(element), count]));
  const clicked = heat.map(({ element }) => element);
  const unclicked = (truth?.cells ?? []).filter((cell) => !counts.has(String(cell)));
  return [...clicked, ...unclicked]
    .filter((element) => heldAxes(layout.slice).every((axis) => element[axis] === layout.slice.at[axis]))
    .map((element) => {
      const count = counts.get(String(element)) ?? 0;
      return { ...placeInPicture(element, layout), count, share: count / most, right: right.has(String(element)) };
    });
}

/** @typedef {{accent: string, onAccent: string, good: string}} Colours */

/** @param {HTMLElement} element @returns {Colours} */
function coloursOf(element) {
  const style = getComputedStyle(element);
  const [accent, onAccent, good] = ["--accent", "--on-accent", "--good"].map((name) => style.getPropertyValue(name));
  return /** @type {Colours} */ ({ accent, onAccent, good });
}

/** @param {CanvasRenderingContext2D} context @param {View} view @param {Mark[]} marks @param {Colours} colours */
function drawMarks(context, { camera, cell }, marks, { accent, onAccent, good }) {
  const room = Math.min(cell.x, cell.y);
  for (const { row, column, count, share, right } of marks) {
    const [x, y] = [(column + 0.5 - camera.left) * cell.x, (row + 0.5 - camera.top) * cell.y];
    const radius = Math.max(LEAST_RADIUS, (Math.min(room, 64) / 2) * Math.sqrt(share));
    if (right) {
      context.strokeStyle = good;
      context.lineWidth = 3;
      context.strokeRect(x - cell.x / 2 + 1.5, y - cell.y / 2 + 1.5, cell.x - 3, cell.y - 3);
    }
    if (count === 0) continue;
    context.fillStyle = accent;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
    if (radius < WITH_NUMBER) continue;
    context.fillStyle = onAccent;
    context.font = "600 11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(String(count), x, y);
  }
}
