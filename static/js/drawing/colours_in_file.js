/**
 * Replaces d3-interpolate and d3-color in a saved page, by static/bundle.mjs: of both, the colour maps of
 * d3-scale-chromatic need only these.
 */

/** A smooth curve through colours `#rrggbb`: a uniform B-spline for each channel. @param {readonly string[]} colours @returns {(at: number) => string} */
export function interpolateRgbBasis(colours) {
  const channels = [1, 3, 5].map((from) => colours.map((colour) => parseInt(colour.slice(from, from + 2), 16)));
  const at = (/** @type {number} */ place) => {
    const [r = 0, g = 0, b = 0] = channels.map((values) => splineAt(values, place));
    return `${Object.assign(rgb(), { r, g, b })}`;
  };
  return at;
}

/** @param {readonly number[]} values @param {number} at from 0 to 1 */
function splineAt(values, at) {
  const last = values.length - 1;
  const part = Math.min(last - 1, Math.max(0, Math.floor(at * last)));
  const t = at * last - part;
  const [b = 0, c = 0] = [values[part], values[part + 1]];
  const [a, d] = [values[part - 1] ?? 2 * b - c, values[part + 2] ?? 2 * c - b];
  return (
    ((1 - t) ** 3 * a + (4 - 6 * t ** 2 + 3 * t ** 3) * b + (1 + 3 * t + 3 * t ** 2 - 3 * t ** 3) * c + t ** 3 * d) / 6
  );
}

const channelText = (/** @type {number} */ value) => Math.max(0, Math.min(255, Math.round(value) || 0));

/** A colour that is written as CSS. */
export const rgb = () => ({
  r: 0,
  g: 0,
  b: 0,
  toString() {
    return `rgb(${[this.r, this.g, this.b].map(channelText).join(", ")})`;
  },
});

/** Only maps that the page does not use need these. */
const nothing = () => null;
export { nothing as cubehelix, nothing as interpolateCubehelixLong };
