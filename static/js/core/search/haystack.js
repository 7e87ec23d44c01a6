/**
 * A search over many short texts at each keystroke: one long string, so that the browser's own search does the work.
 */

import { lowerBound } from "../prefix_sums.js";

/** The grade of a match, the best first: whole word, prefix, prefix of a part, anywhere. */
const GRADES = 4;

export class Haystack {
  /** @param {number} count @param {(entry: number) => string} textOf */
  constructor(count, textOf) {
    const texts = Array.from({ length: count }, (_, entry) => textOf(entry).toLowerCase());
    this.text = `\n${texts.join("\n")}\n`;
    /** The start of each text, and the end of the last. */
    this.starts = new Uint32Array(count + 1);
    this.starts[0] = 1;
    texts.forEach(
      (text, entry) => (this.starts[entry + 1] = /** @type {number} */ (this.starts[entry]) + text.length + 1),
    );
  }

  get count() {
    return this.starts.length - 1;
  }

  /** @param {number} entry @returns {string} */
  textAt(entry) {
    return this.text.slice(this.starts[entry], /** @type {number} */ (this.starts[entry + 1]) - 1);
  }

  /**
   * The entries that contain all the lower-case words, the best first; equal grades start at `near`.
   *
   * @param {readonly string[]} words @param {number} most @param {number} [near] an entry @returns {{entries: number[], total: number}}
   */
  find(words, most, near = 0) {
    const grades = this.graded(words);
    const total = grades.reduce((sum, { length }) => sum + length, 0);
    /** @type {number[]} */
    const entries = [];
    for (const grade of grades) {
      const from = lowerBound(grade, near) % (grade.length || 1);
      const order = from > 0 ? [...grade.slice(from, from + most), ...grade.slice(0, from)] : grade;
      entries.push(...order.slice(0, most - entries.length));
      if (entries.length >= most) break;
    }
    return { entries, total };
  }

  /** @param {readonly string[]} words @returns {number[][]} by grade, in order */
  graded(words) {
    /** @type {number[][]} */
    const grades = Array.from({ length: GRADES }, () => []);
    const [first = "", ...rest] = [...words].sort((a, b) => b.length - a.length);
    const others = rest.map((word) => new Set(this.entriesWith(word)));
    for (const { entry, at } of this.places(first)) {
      if (others.every((found) => found.has(entry))) grades[this.grade(entry, first, at)]?.push(entry);
    }
    return grades;
  }

  /** @param {string} word @returns {number[]} ascending */
  entriesWith(word) {
    return Array.from(this.places(word), ({ entry }) => entry);
  }

  /** The entries that contain a word, with the offset of the first match. @param {string} word @returns {Generator<{entry: number, at: number}>} */
  *places(word) {
    const { text, starts, count } = this;
    if (word === "") {
      for (let entry = 0; entry < count; entry++) yield { entry, at: /** @type {number} */ (starts[entry]) };
      return;
    }
    let entry = 0;
    for (let at = text.indexOf(word, 1); at >= 0; at = text.indexOf(word, starts[entry])) {
      while (/** @type {number} */ (starts[entry + 1]) <= at) entry++;
      yield { entry, at };
      if (++entry === count) return;
    }
  }

  /** @param {number} entry @param {string} word @param {number} at where it is found first @returns {number} */
  grade(entry, word, at) {
    const { text } = this;
    const start = /** @type {number} */ (this.starts[entry]);
    const end = /** @type {number} */ (this.starts[entry + 1]) - 1;
    // The sigil of a name counts only if it was typed.
    if (at === start || (at === start + 1 && isSigil(text.charCodeAt(start)))) return at + word.length === end ? 0 : 1;
    for (let place = at; place >= 0 && place < end; place = text.indexOf(word, place + 1)) {
      if (!isWordCharacter(text.charCodeAt(place - 1))) return 2;
    }
    return 3;
  }
}

/** `%` or `@`. @param {number} code */
const isSigil = (code) => code === 37 || code === 64;

/** A letter or a digit; characters beyond ASCII count as letters. @param {number} code */
const isWordCharacter = (code) => code > 127 || (code >= 48 && code < 58) || (code >= 97 && code < 123);
