/** Values that are covered for now: a lesson or a class is asked what they will be. Whatever draws a value looks here first. */
import { computed, signal } from "@preact/signals";
import { isMadeBy, isWithin } from "./addresses.js";

/** By who asks. @type {import("@preact/signals").Signal<ReadonlyMap<string, readonly string[]>>} */
const asked = signal(new Map());
const hidden = computed(() => new Set([...asked.value.values()].flat()));

/** @param {readonly string[]} names recordings and addresses, as `key address` @param {"lesson"|"room"} [asker] each covers its own */
export function hideValues(names, asker = "lesson") {
  const now = asked.peek().get(asker) ?? [];
  if (names.length === now.length && names.every((name) => now.includes(name))) return;
  asked.value = new Map(asked.peek()).set(asker, names);
}

/** Whether a value is covered; parts of a tuple are with the tuple. @param {string} key @param {string} address @returns {boolean} */
export function isHidden(key, address) {
  if (hidden.value.size === 0) return false;
  return [...hidden.value].some((name) => isWithin(`${key} ${address}`, name));
}

/** Whether something is covered that a step has made: what is said of the step would tell it. @param {string} key @param {number} process @param {number} step @returns {boolean} */
export const isStepHidden = (key, process, step) =>
  [...hidden.value].some((name) => name.startsWith(`${key} `) && isMadeBy(name.slice(key.length + 1), process, step));

/** Values of which a class is asked what they are made of: which elements their ops read is covered as well. @type {import("@preact/signals").Signal<readonly string[]>} */
const askedWays = signal([]);

/** @param {readonly string[]} names recordings and addresses, as `key address` */
export function hideWays(names) {
  if (String(names) !== String(askedWays.peek())) askedWays.value = names;
}

/** The addresses in a recording whose ways are covered. @param {string} key @returns {string[]} */
export const hiddenWays = (key) =>
  askedWays.value.filter((name) => name.startsWith(`${key} `)).map((name) => name.slice(key.length + 1));

/** Whether a lesson or a class covers anything. @param {"lesson"|"room"} asker @returns {boolean} */
export const isHiddenBy = (asker) => (asked.value.get(asker) ?? []).length > 0;

/** Whether anything is: what tells of values without naming one is silent then. @returns {boolean} */
export const isAnythingHidden = () => hidden.value.size > 0;
