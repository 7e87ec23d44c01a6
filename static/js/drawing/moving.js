/** Rectangles on their way. */

/** Ease in and out. @param {number} time from 0 to 1 @returns {number} */
export const ease = (time) => (time < 0.5 ? 2 * time * time : 1 - (2 - 2 * time) ** 2 / 2);

/** @typedef {{x: number, y: number, width: number, height: number}} Area */

/** Between two rectangles. @param {Area} from @param {Area} to @param {number} way @returns {Area} */
export function interpolate(from, to, way) {
  const mix = (/** @type {keyof Area} */ side) => from[side] + (to[side] - from[side]) * way;
  return { x: mix("x"), y: mix("y"), width: mix("width"), height: mix("height") };
}
