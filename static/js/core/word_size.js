/** The scale of text, for sizes in pixels beside it. */

/** Letter size in pixels without presenter mode. */
const USUAL_SIZE = 13;

/** The text size of an element relative to the default. @param {Element} element @returns {number} */
export const scaleOfWords = (element) => parseFloat(getComputedStyle(element).fontSize) / USUAL_SIZE;
