/** Percentiles of finite numbers in order, as the server computes them: see `SpreadOfElements` in engine/colour_scales.py. @param {Float64Array} ordered */
export function spreadOf(ordered) {
  const sizes = ordered
    .filter((number) => number !== 0)
    .map(Math.abs)
    .sort();
  return {
    low: at(ordered, 0.005),
    high: at(ordered, 0.995),
    small: at(sizes, 0.1),
    median: at(sizes, 0.5),
    large: at(sizes, 0.99),
  };
}

/** @param {Float64Array} ordered @param {number} share */
const at = (ordered, share) => ordered[Math.round(share * (ordered.length - 1))] ?? NaN;
