/** How large words are, for what is measured in pixels and stands beside them. */

/** Pixels of letters where nobody presents. */
const USUAL_SIZE = 13;

/** The words of an element, to those of the usual size. @param {Element} element @returns {number} */
export const scaleOfWords = (element) => parseFloat(getComputedStyle(element).fontSize) / USUAL_SIZE;
