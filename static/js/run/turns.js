/** The queue for a worker, in words. */

/** How many are before, and what of it. @param {number} before @returns {[string, string]} */
export function turnTexts(before) {
  if (before === 0) return ["Yours is next", " and goes on by itself."];
  return [`${before.toLocaleString("en")} before you`, "; yours goes on by itself."];
}
