/** Values that are hidden while a lesson or a poll asks for them. Everything that draws a value checks here first. */
import { computed, signal } from "@preact/signals";
import { isMadeBy, isWithin } from "./addresses.js";

/** By who asks. @type {import("@preact/signals").Signal<ReadonlyMap<string, readonly string[]>>} */
const asked = signal(new Map());
const hidden = computed(() => new Set([...asked.value.values()].flat()));

/** @param {readonly string[]} names recordings and addresses, as `key address` @param {"lesson"|"room"} [asker] each source hides its own set */
export function hideValues(names, asker = "lesson") {
  const now = asked.peek().get(asker) ?? [];
  if (names.length === now.length && names.every((name) => now.includes(name))) return;
  asked.value = new Map(asked.peek()).set(asker, names);
}

/** Whether a value is hidden; elements of a hidden tuple are too. @param {string} key @param {string} address @returns {boolean} */
export function isHidden(key, address) {
  if (hidden.value.size === 0) return false;
  return [...hidden.value].some((name) => isWithin(`${key} ${address}`, name));
}

/** Whether a result of the step is hidden, so that text about the step would reveal it. @param {string} key @param {number} process @param {number} step @returns {boolean} */
export const isStepHidden = (key, process, step) =>
  [...hidden.value].some((name) => name.startsWith(`${key} `) && isMadeBy(name.slice(key.length + 1), process, step));

/** Values whose index maps are hidden, because a poll asks which elements their ops read. @type {import("@preact/signals").Signal<readonly string[]>} */
const askedWays = signal([]);

/** @param {readonly string[]} names recordings and addresses, as `key address` */
export function hideWays(names) {
  if (String(names) !== String(askedWays.peek())) askedWays.value = names;
}

/** The addresses in a recording whose index maps are hidden. @param {string} key @returns {string[]} */
export const hiddenWays = (key) =>
  askedWays.value.filter((name) => name.startsWith(`${key} `)).map((name) => name.slice(key.length + 1));

/** Whether a lesson or a poll hides anything. @param {"lesson"|"room"} asker @returns {boolean} */
export const isHiddenBy = (asker) => (asked.value.get(asker) ?? []).length > 0;

/** Whether anything is hidden: output that names no value is withheld then. @returns {boolean} */
export const isAnythingHidden = () => hidden.value.size > 0;
