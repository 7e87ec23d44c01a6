/** What a value's elements are like, all of them, in one line. */
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { bitsOf, bytesText, countText, digitsOf } from "../../core/tensor/elements.js";
import { statisticsOpen } from "./settings.js";

/** @typedef {{name: string, text: string, whole?: string, alarming?: boolean}} Fact  whole: all digits */

/** What has no room in the line is behind a button. @param {{summary: import("../../core/types.js").ValueSummary}} props */
export function Statistics({ summary }) {
  const list = useRef(/** @type {HTMLElement|null} */ (null));
  const isCut = useIsCut(list);
  const isOpen = statisticsOpen.value;
  const facts = factsOf(summary);
  return html`<section class="tensor-statistics" aria-label="Statistics">
    <div class=${isOpen ? "lines" : "lines one"}><dl ref=${list}>${facts.map(drawFact)}</dl></div>
    ${(isCut || isOpen) && html`<button aria-expanded=${isOpen} aria-label="All statistics" title=${facts.map(({ name, text, whole }) => `${name} ${whole ?? text}`).join("\n")} onClick=${() => (statisticsOpen.value = !isOpen)}>…</button>`}
  </section>`;
}

/** @param {Fact} fact */
const drawFact = ({ name, text, whole, alarming }) =>
  html`<div key=${name} class=${alarming ? "alarming" : ""} title=${whole && whole !== text ? `${name} ${whole}` : undefined}><dt>${name}</dt><dd>${text}</dd></div>`;

/** Whether a list takes more lines than one. @param {{current: HTMLElement|null}} list @returns {boolean} */
function useIsCut(list) {
  const [isCut, setCut] = useState(false);
  useEffect(() => {
    const watched = list.current;
    if (!watched) return undefined;
    const line = () => /** @type {HTMLElement|null} */ (watched.firstElementChild)?.offsetHeight ?? 0;
    const observer = new ResizeObserver(() => setCut(watched.offsetHeight > 1.5 * line()));
    observer.observe(watched);
    return () => observer.disconnect();
  }, []);
  return isCut;
}

/** Those that matter most come first: the line may have no room for all. @param {import("../../core/types.js").ValueSummary} summary @returns {Fact[]} */
export function factsOf({ statistics, count, elementType, wire }) {
  const size = bytesText(Math.ceil((count * bitsOf(elementType)) / 8));
  const facts = [
    { name: "elements", text: countText(count) },
    { name: "bytes", text: size },
  ];
  const numbers = count > 0 && statistics ? numbersOf(statistics, elementType, wire.components === 2) : [];
  return [...numbers.filter(({ alarming }) => alarming), ...numbers.filter(({ alarming }) => !alarming), ...facts];
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
