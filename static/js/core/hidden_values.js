/** Values that are hidden while a lesson or a poll asks for them. Everything that draws a value checks here first. */
import { computed, signal } from "@preact/signals";
import { isMadeBy, isWithin, parseAddress } from "./addresses.js";

/**
 * What a lesson or a poll hides: values; values whose sources a question asks for, both as `key address`; sizes of types, as `4x1`;
 * keys of recordings of which a question asks for a step, so that no finding may mark one; rules of ops, by the first words of their sentence;
 * all results of a process from a step on, and arguments from a frame on.
 *
 * @typedef {{key: string, process: number, step: number, frame: number}} Beyond
 * @typedef {{values: readonly string[], ways: readonly string[], sizes: readonly string[], marks: readonly string[], rules: readonly string[], beyond: readonly Beyond[]}} Hidden
 * @type {import("@preact/signals").Signal<ReadonlyMap<string, Hidden>>}
 */
const asked = signal(new Map());
/** @param {Exclude<keyof Hidden, "beyond">} kind */
const allOf = (kind) => computed(() => new Set([...asked.value.values()].flatMap((hidden) => hidden[kind])));
const [hidden, ways, marks, rules] = [allOf("values"), allOf("ways"), allOf("marks"), allOf("rules")];
const beyond = computed(() => [...asked.value.values()].flatMap((hidden) => hidden.beyond));
export const coveredSizes = allOf("sizes");

/** @param {Partial<Hidden>} found @param {"lesson"|"room"} [asker] each source hides its own */
export function hide(found, asker = "lesson") {
  const all = { values: [], ways: [], sizes: [], marks: [], rules: [], beyond: [], ...found };
  if (JSON.stringify(all) !== JSON.stringify(asked.peek().get(asker)))
    asked.value = new Map(asked.peek()).set(asker, all);
}

/** Whether a value is hidden; elements of a hidden tuple are too. @param {string} key @param {string} address @returns {boolean} */
export function isHidden(key, address) {
  if (hidden.value.size === 0) return false;
  return [...hidden.value].some((name) => isWithin(`${key} ${address}`, name)) || isBeyond(key, parseAddress(address));
}

/** @param {string} key @param {Pick<import("./addresses.js").Address, "process"|"step"|"frame">} at */
const isBeyond = (key, { process, step, frame }) =>
  beyond.value.some(
    (from) =>
      from.key === key && from.process === process && ((step ?? -1) >= from.step || (frame ?? -1) >= from.frame),
  );

/** Whether a result of the step is hidden, so that text about the step would reveal it. @param {string} key @param {number} process @param {number} step @returns {boolean} */
export const isStepHidden = (key, process, step) =>
  isBeyond(key, { process, step, frame: null }) ||
  [...hidden.value].some((name) => name.startsWith(`${key} `) && isMadeBy(name.slice(key.length + 1), process, step));

/** The hidden value of an op's step whose index map would reveal its elements or their sources. @param {string} key @param {(address: string) => boolean} isMade @returns {boolean} */
export const isMapHidden = (key, isMade) =>
  [...hidden.value, ...ways.value].some((name) => name.startsWith(`${key} `) && isMade(name.slice(key.length + 1)));

/** Whether the sources of elements are asked for, which any path, back or forward, might reveal. @param {string} key @returns {boolean} */
export const isWayHidden = (key) => [...ways.value].some((name) => name.startsWith(`${key} `));

/** Whether a question asks for a step of the recording, which findings might mark. @param {string} key @returns {boolean} */
export const areMarksHidden = (key) => marks.value.has(key);

/** The sentences without those about rules that a question asks for. @param {string} text @returns {string} */
export const withoutRules = (text) =>
  [...rules.value].reduce((kept, rule) => kept.replace(new RegExp(` ?${rule}.*?\\.(?= [A-Z]|$)`, "gm"), ""), text);

/** Sizes in the type of a tensor, in MLIR, in short and in HLO: `tensor<4x1xi64>`, `4x1xi64`, `s64[4,1]`. */
const TYPE =
  /(?<=tensor<)((?:\d+x)*)(?=[a-z])|(?<![\w.%])((?:\d+x)+)(?=[a-z]+\d)|(?<=\b(?:pred|[suf]\d+\w*|bf16|[ci]\d+|ui\d+)\[)([\d,]*)(?=\])/g;
const COVER = "…";

/** The hidden sizes in a text, as ranges. @param {string} text @returns {{from: number, to: number, text: string}[]} */
export function hiddenSizes(text) {
  if (coveredSizes.value.size === 0) return [];
  return [...text.matchAll(TYPE)].flatMap(({ 0: found, index, 3: inHlo }) =>
    coveredSizes.value.has(found.replaceAll(",", "x").replace(/x$/, ""))
      ? [{ from: index, to: index + found.length, text: inHlo === undefined ? `${COVER}x` : COVER }]
      : [],
  );
}

/** A text without the sizes that are asked for. @param {string} text @returns {string} */
export const withoutSizes = (text) =>
  hiddenSizes(text).reduceRight(
    (kept, { from, to, text: cover }) => kept.slice(0, from) + cover + kept.slice(to),
    text,
  );

/** Whether a lesson or a poll hides anything. @param {"lesson"|"room"} asker @returns {boolean} */
export const isHiddenBy = (asker) => (asked.value.get(asker)?.values ?? []).length > 0;

/** Whether anything is hidden: output that names no value is withheld then. @returns {boolean} */
export const isAnythingHidden = () => hidden.value.size > 0;
