/**
 * A picture as SVG text, to be kept as a file: a rectangle an element where there are few, else one image.
 *
 * @typedef {{x: number, y: number, width: number, height: number, colour: string, text: string|null, ink: string}} SvgCell
 * @typedef {{title: string, cells: SvgCell[]|null, image: string|null, width: number, height: number,
 *   legend: {stops: string[], low: string, high: string}|null, text: string, ground: string, font: string}} SvgParts
 */

const HEAD = 28;
const FOOT = 34;

/** @param {SvgParts} parts @returns {string} */
export function svgPicture(parts) {
  const { title, cells, image, width, legend, text, ground, font } = parts;
  const height = parts.height + HEAD + FOOT;
  const body = cells ? cells.map(cellSvg).join("") : `<image y="${HEAD}" width="${width}" height="${parts.height}" href="${image ?? ""}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escaped(font)}">` +
    `<title>${escaped(title)}</title><rect width="${width}" height="${height}" fill="${ground.trim()}"/>` +
    `<text x="8" y="${HEAD / 2}" dominant-baseline="central" font-size="13" fill="${text.trim()}">${escaped(title)}</text>` +
    `${cells ? `<g transform="translate(0 ${HEAD})">${body}</g>` : body}${legend ? legendSvg(legend, HEAD + parts.height + 12, text.trim()) : ""}</svg>\n`;
}

/** @param {SvgCell} cell @returns {string} */
function cellSvg({ x, y, width, height, colour, text, ink }) {
  const box = `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${colour}"/>`;
  if (!text) return box;
  return `${box}<text x="${x + width / 2}" y="${y + height / 2}" text-anchor="middle" dominant-baseline="central" font-size="10" fill="${ink}">${escaped(text)}</text>`;
}

/** @param {{stops: string[], low: string, high: string}} legend @param {number} top @param {string} text @returns {string} */
function legendSvg({ stops, low, high }, top, text) {
  const bar = stops.map((colour, at) => `<rect x="${60 + at * 3}" y="${top}" width="3.2" height="10" fill="${colour}"/>`).join("");
  const end = (/** @type {number} */ x, /** @type {string} */ anchor, /** @type {string} */ value) =>
    `<text x="${x}" y="${top + 5}" text-anchor="${anchor}" dominant-baseline="central" font-size="12" fill="${text}">${value}</text>`;
  return bar + end(54, "end", low) + end(66 + stops.length * 3, "start", high);
}

/** @param {string} text @returns {string} */
function escaped(text) {
  /** @type {Record<string, string>} */
  const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (character) => names[character] ?? character);
}
