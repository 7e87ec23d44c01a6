/** Small marks on canvases. */

/** Size of the mark of a finding, in pixels. */
export const CROSS = 7;

/** A cross in the context's colour and line width. @param {CanvasRenderingContext2D} context @param {number} x @param {number} y of its middle @param {number} [size] */
export function drawCross(context, x, y, size = CROSS) {
  const reach = size / 2;
  context.beginPath();
  context.moveTo(x - reach, y - reach);
  context.lineTo(x + reach, y + reach);
  context.moveTo(x - reach, y + reach);
  context.lineTo(x + reach, y - reach);
  context.stroke();
}

/** Draws dots for breakpoints in a row; one that would overlap the dot before is omitted, unless it is the first of its kind. @param {CanvasRenderingContext2D} context @param {number} width @param {number} y @returns {(x: number, isFirst?: boolean) => void} */
export function dotsIn(context, width, y) {
  let drawn = -4;
  return (x, isFirst = false) => {
    if (!isFirst && x - drawn < 3) return;
    drawn = x;
    context.beginPath();
    context.arc(Math.max(3, Math.min(x, width - 3)), y, 2.5, 0, 7);
    context.fill();
  };
}

/** Crosses for findings in a row; harmful ones are red and drawn last. Some are omitted where they would overlap. @param {CanvasRenderingContext2D} context @param {readonly {x: number, grade: import("../core/types.js").FindingGrade}[]} places @param {{y: number, width: number, size?: number}} room @param {(token: string) => string} colour */
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
