/** Values that are covered for now: a lesson asks what they will be. Whatever draws a value looks here first. */
import { signal } from "@preact/signals";
import { isWithin } from "./addresses.js";

/** @type {import("@preact/signals").Signal<ReadonlySet<string>>} */
const hidden = signal(new Set());

/** @param {readonly string[]} names recordings and addresses, as `key address` */
export function hideValues(names) {
  const now = hidden.peek();
  if (names.length === now.size && names.every((name) => now.has(name))) return;
  hidden.value = new Set(names);
}

/** Whether a value is covered; parts of a tuple are with the tuple. @param {string} key @param {string} address @returns {boolean} */
export function isHidden(key, address) {
  if (hidden.value.size === 0) return false;
  return [...hidden.value].some((name) => isWithin(`${key} ${address}`, name));
}

/** Whether anything is: what tells of values without naming one is silent then. @returns {boolean} */
export const isAnythingHidden = () => hidden.value.size > 0;
