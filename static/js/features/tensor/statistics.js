/** What a value's elements are like, all of them, in one line. */
import { html } from "htm/preact";
import { bitsOf, bytesText, countText, digitsOf } from "../../core/tensor/elements.js";

/** @typedef {{name: string, text: string, whole?: string, alarming?: boolean}} Fact  whole: all digits */

/** @param {{summary: import("../../core/types.js").ValueSummary, children?: import("preact").ComponentChildren}} props */
export function Statistics({ summary, children }) {
  return html`<section class="tensor-statistics" aria-label="Statistics">
    <dl>${factsOf(summary).map(({ name, text, whole, alarming }) => html`<div key=${name} class=${alarming ? "alarming" : ""} title=${whole && whole !== text ? `${name} ${whole}` : undefined}><dt>${name}</dt><dd>${text}</dd></div>`)}</dl>
    ${children}
  </section>`;
}

/** @param {import("../../core/types.js").ValueSummary} summary @returns {Fact[]} */
export function factsOf({ statistics, count, elementType, wire }) {
  const size = bytesText(Math.ceil((count * bitsOf(elementType)) / 8));
  const facts = [
    { name: "elements", text: countText(count) },
    { name: "bytes", text: size },
  ];
  return count > 0 && statistics ? [...facts, ...numbersOf(statistics, elementType, wire.components === 2)] : facts;
}

/** @param {Record<string, string|number|null>} statistics @param {string} elementType @param {boolean} isComplex @returns {Fact[]} */
function numbersOf(statistics, elementType, isComplex) {
  const count = (/** @type {string} */ name) => Number(statistics[name] ?? 0);
  const number = (/** @type {string} */ name, /** @type {string} */ type) => ({
    name: isComplex ? `|${name}|` : name,
    ...digitsOf(statistics[name], type),
  });
  /** @type {[string, number][]} */
  const special = [
    ["NaN", count("nan")],
    ["+Inf", count("posinf")],
    ["-Inf", count("neginf")],
  ];
  const own = isComplex ? "f64" : elementType;
  const isFinite = special.every(([, found]) => found === 0);
  return [
    number("min", own),
    number("max", own),
    number("mean", "f64"),
    number("std", "f64"),
    { name: "zeros", text: countText(count("zeros")) },
    // Zeros are not worth three places.
    ...(isFinite
      ? [{ name: "non-finite", text: "0" }]
      : special.map(([name, found]) => ({ name, text: countText(found), alarming: found > 0 }))),
  ];
}
