/** Small marks on canvases. */

/** Pixels of the mark of something that went wrong. */
export const CROSS = 7;

/** A cross, in the colour and width of line that the context has. @param {CanvasRenderingContext2D} context @param {number} x @param {number} y of its middle @param {number} [size] */
export function drawCross(context, x, y, size = CROSS) {
  const reach = size / 2;
  context.beginPath();
  context.moveTo(x - reach, y - reach);
  context.lineTo(x + reach, y + reach);
  context.moveTo(x - reach, y + reach);
  context.lineTo(x + reach, y - reach);
  context.stroke();
}

/** Crosses for findings at places of a row: those that do harm in red, drawn last. Where there is no room for all, some are left out. @param {CanvasRenderingContext2D} context @param {readonly {x: number, grade: import("../core/types.js").FindingGrade}[]} places @param {{y: number, width: number, size?: number}} room @param {(token: string) => string} colour */
export function drawFindings(context, places, { y, width, size = CROSS }, colour) {
  context.lineWidth = 2;
  for (const grade of /** @type {const} */ (["masked", "harmful"])) {
    context.strokeStyle = colour(grade === "harmful" ? "--alarm" : "--muted");
    let drawn = -size;
    for (const { x, grade: own } of places) {
      if (own !== grade || x - drawn < size) continue;
      drawn = x;
      drawCross(context, Math.max(size / 2 + 1, Math.min(x, width - size / 2 - 1)), y, size);
    }
  }
}
