/**
 * Glances ahead. The marked op is about to run, but the recording has its results already: the page draws them, and
 * says everywhere that they lie ahead.
 */
import { parseAddress } from "../addresses.js";
import * as store from "../store.js";
import { after } from "./stepping.js";
/** @import {Outline} from "./outline.js" */

/** Whether a value is the result of an op that has not run, or not ended, at a position of its process. @param {Outline} outline @param {number} position @param {string} address */
export function comesAfter(outline, position, address) {
  const { step } = parseAddress(address);
  if (step === null) return false;
  if (step >= position) return true;
  const end = after(outline, step);
  return end === null || end > position;
}

/** Whether a value lies ahead of the position of its process. @param {string|null} address @param {number} [from] the position of the shown process @returns {boolean} */
export function isAhead(address, from = store.position.value) {
  if (address === null) return false;
  const { process } = parseAddress(address);
  if (process !== store.process.value) {
    const tick = store.ticks.value[process] ?? 0;
    return (
      store.inGrid((grid) => comesAfter(grid.outline(process), grid.positionAt(process, tick).step, address)) ?? false
    );
  }
  return store.atPosition((outline, at) => comesAfter(outline, at, address), from) ?? false;
}

/** @param {string} name of the value */
export const aheadWords = (name) => `A glance ahead: the op that gives ${name} has not run yet.`;
