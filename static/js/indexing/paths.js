/** A path that can be drawn on a canvas and written down: its commands are kept. */
export class Path {
  constructor() {
    this.canvas = new Path2D();
    /** @type {string[]} */
    this.commands = [];
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  rect(x, y, width, height) {
    this.canvas.rect(x, y, width, height);
    this.commands.push(`M${x} ${y}h${width}v${height}h${-width}z`);
  }

  /** @param {Path} other */
  addPath(other) {
    this.canvas.addPath(other.canvas);
    this.commands.push(...other.commands);
  }
}
