/** Words of the precision panel. */
import { countText, decimalText, short } from "../../core/tensor/elements.js";
/** @import {BitsInfo, LossInfo} from "../../core/types.js" */

/** `16.3 bits lost`. @param {LossInfo} loss @returns {string} */
export const lostText = ({ lostBits }) => (lostBits === null ? "out of range" : `${decimalText(lostBits)} bits lost`);

/** `7.7 of 24 agree`. @param {BitsInfo} bits @returns {string} */
export const agreedText = ({ agreeingBits, bits }) => `${decimalText(agreeingBits)} of ${bits} agree`;

/** The errors behind the bits. @param {LossInfo} loss @returns {string} */
export function lossTitle({ error, handedOn, step }) {
  const [made, given] = [error, handedOn].map((each) => (each === null ? "infinite" : short(each, 2)));
  return `Step ${countText(step)}: relative error ${made} of the result, ${given} of its operands`;
}
