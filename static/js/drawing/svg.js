/** Pictures as SVG files: drawing functions for canvases write into an `SvgContext`. */

/** @param {string} text @returns {string} */
function escapeXml(text) {
  /** @type {Record<string, string>} */
  const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (character) => names[character] ?? character);
}

/** @param {number} number */
const short = (number) => String(Math.round(number * 100) / 100);

/** Weight, size and family. */
const FONT = /(?:(\d{3}) )?(\d+(?:\.\d+)?)px (.*)$/;
const ANCHORS = { left: "start", start: "start", center: "middle", right: "end", end: "end" };

export class SvgContext {
  /** @param {{width: number, height: number}} size */
  constructor({ width, height }) {
    this.canvas = { width, height };
    /** @type {string[]} */
    this.written = [];
    /** @type {string[]} */
    this.path = [];
    this.clips = 0;
    this.fillStyle = "#000";
    this.strokeStyle = "#000";
    this.lineWidth = 1;
    this.globalAlpha = 1;
    this.font = "10px sans-serif";
    this.textAlign = /** @type {keyof typeof ANCHORS} */ ("left");
    this.textBaseline = "alphabetic";
    this.lineJoin = "miter";
    this.imageSmoothingEnabled = false;
    /** @type {number[]} */
    this.dash = [];
    /** @type {{fillStyle: string, strokeStyle: string, lineWidth: number, globalAlpha: number, font: string, textAlign: keyof typeof ANCHORS, dash: number[], open: number}[]} */
    this.saved = [];
    this.open = 0;
  }

  save() {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, dash, open } = this;
    this.saved.push({ fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, dash, open });
  }

  restore() {
    const before = this.saved.pop();
    if (!before) return;
    for (; this.open > before.open; this.open--) this.written.push("</g>");
    Object.assign(this, before);
  }

  /** @param {string} attributes */
  group(attributes) {
    this.written.push(`<g ${attributes}>`);
    this.open++;
  }

  /** @param {number} x @param {number} y */
  translate(x, y) {
    this.group(`transform="translate(${short(x)} ${short(y)})"`);
  }

  /** @param {number} x @param {number} y */
  scale(x, y) {
    if (x !== 1 || y !== 1) this.group(`transform="scale(${x} ${y})"`);
  }

  beginPath() {
    this.path = [];
  }

  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.path.push(`M${short(x)} ${short(y)}`);
  }

  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.path.push(`L${short(x)} ${short(y)}`);
  }

  /** @param {number[]} at the control points and the end */
  bezierCurveTo(...at) {
    this.path.push(`C${at.map(short).join(" ")}`);
  }

  closePath() {
    this.path.push("z");
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  rect(x, y, width, height) {
    this.path.push(`M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}z`);
  }

  /** @param {Path|null|undefined} path */
  pathText(path) {
    return (path ? path.commands : this.path).join("");
  }

  /** @param {Path} [path] */
  clip(path) {
    const id = `clip-${this.clips++}`;
    this.written.push(`<clipPath id="${id}"><path d="${this.pathText(path)}"/></clipPath>`);
    this.group(`clip-path="url(#${id})"`);
  }

  get opacity() {
    return this.globalAlpha < 1 ? ` opacity="${this.globalAlpha}"` : "";
  }

  get strokes() {
    const dash = this.dash.length > 0 ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    return `fill="none" stroke="${this.strokeStyle}" stroke-width="${short(this.lineWidth)}"${dash}${this.opacity}`;
  }

  /** @param {Path} [path] */
  stroke(path) {
    this.written.push(`<path d="${this.pathText(path)}" ${this.strokes}/>`);
  }

  /** @param {Path|null} [path] @param {string} [rule] */
  fill(path, rule) {
    this.written.push(
      `<path d="${this.pathText(path)}" fill="${this.fillStyle}"${rule ? ` fill-rule="${rule}"` : ""}${this.opacity}/>`,
    );
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  fillRect(x, y, width, height) {
    this.written.push(
      `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="${this.fillStyle}"${this.opacity}/>`,
    );
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  strokeRect(x, y, width, height) {
    this.written.push(
      `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" ${this.strokes}/>`,
    );
  }

  /** @param {number[]} dash */
  setLineDash(dash) {
    this.dash = dash;
  }

  /** @param {string} text */
  measureText(text) {
    const measuring = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
    measuring.font = this.font;
    return measuring.measureText(text);
  }

  /** A middle line is not written as such: not every program that reads SVG knows it. @param {string} text @param {number} x @param {number} y */
  fillText(text, x, y) {
    const [, weight = "", size = "10", family = "sans-serif"] = FONT.exec(this.font) ?? [];
    const base = this.textBaseline === "middle" ? y + 0.36 * Number(size) : y;
    this.written.push(
      `<text x="${short(x)}" y="${short(base)}" font-size="${size}px" font-family="${escapeXml(family)}"${weight && ` font-weight="${weight}"`} ` +
        `fill="${this.fillStyle}" text-anchor="${ANCHORS[this.textAlign]}">${escapeXml(text)}</text>`,
    );
  }

  /** @param {HTMLCanvasElement} image @param {number[]} where as for a canvas: perhaps the part of the image, and to where */
  drawImage(image, ...where) {
    const [x = 0, y = 0, width = 0, height = 0] = where.slice(-4);
    const [left = 0, top = 0, w = 0, h = 0] = where.length > 4 ? where : [0, 0, image.width, image.height];
    // Some programs smooth enlarged images: here they are enlarged already.
    const cut = document.createElement("canvas");
    cut.width = w * Math.ceil(Math.max(1, (2 * width) / w));
    cut.height = h * Math.ceil(Math.max(1, (2 * height) / h));
    const context = /** @type {CanvasRenderingContext2D} */ (cut.getContext("2d"));
    context.imageSmoothingEnabled = false;
    context.drawImage(image, left, top, w, h, 0, 0, cut.width, cut.height);
    this.written.push(
      `<image x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" preserveAspectRatio="none" image-rendering="pixelated" href="${cut.toDataURL("image/png")}"${this.opacity}/>`,
    );
  }

  /** Everything drawn so far. @param {string} title @returns {Blob} */
  file(title) {
    const { width, height } = this.canvas;
    const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`;
    const parts = [head, `<title>${escapeXml(title)}</title>`, ...this.written, "</g>".repeat(this.open), "</svg>\n"];
    return new Blob(parts, { type: "image/svg+xml" });
  }
}

/** A path for this context; a canvas uses its own. @param {{canvas: unknown}|SvgContext|CanvasRenderingContext2D} context @param {Path} path @returns {any} */
export const drawable = (context, path) => (context instanceof SvgContext ? path : path.canvas);

/** A path for canvas and SVG: it records its commands. */
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
