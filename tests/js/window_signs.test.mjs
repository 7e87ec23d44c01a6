/** The sign of a window lies over no column number and over no element. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawOutlines } from "../../static/js/ui/tensor_grid/overlay.js";

const cell = { x: 20, y: 20 };

/** Where the text of a window's sign is, or null. */
function signOf(row, rows, height) {
  let at = null;
  const nothing = () => undefined;
  const context = {
    setLineDash: nothing,
    strokeRect: nothing,
    fillRect: nothing,
    measureText: () => ({ width: 40 }),
    fillText: (_text, _x, y) => (at = y),
  };
  const outlines = [{ row, column: 0, rows, columns: 2, dashed: false, text: "window" }];
  const view = { camera: { left: 0, top: 0 }, cell, screen: { width: 200, height: height * cell.y } };
  drawOutlines(context, { outlines }, view, {});
  return at;
}

test("the sign is above its window, below it in the first row, and absent without a place", () => {
  const above = signOf(3, 2, 8);
  assert.ok(above > 2 * cell.y && above < 3 * cell.y);
  const below = signOf(0, 2, 8);
  assert.ok(below > 2 * cell.y && below < 3 * cell.y);
  assert.equal(signOf(0, 8, 8), null);
});
