/** Buttons that go to the next NaN or infinity, and to its origin. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { nonfiniteElement } from "../../core/api.js";
import { numberOf } from "../../core/tensor/axes.js";
import { countText } from "../../core/tensor/elements.js";
import { useResource } from "../../ui/resource.js";
import { OriginButton } from "./origin.js";
/** @import {NonfiniteElement} from "../../core/types.js" */
/** @import {Known} from "./recorded_value.js" */

/** Whether the cursor is on a non-finite element, whose readout links to its origin. */
export const onBadElement = signal(false);

/** The number of non-finite elements of a value. @param {import("../../core/types.js").ValueSummary} summary @returns {number} */
export const nonfiniteCount = ({ statistics }) =>
  Number(statistics?.nan ?? 0) + Number(statistics?.posinf ?? 0) + Number(statistics?.neginf ?? 0);

/** @param {{known: Known, goTo: (index: number[]) => void}} props */
export function NonfiniteElements({ known, goTo }) {
  if (nonfiniteCount(known.summary) === 0) return null;
  return html`<${Walk} key=${`${known.key} ${known.summary.address}`} known=${known} goTo=${goTo} />`;
}

/** @param {{known: Known, goTo: (index: number[]) => void}} props */
function Walk({ known, goTo }) {
  const { summary, key } = known;
  const [at, setAt] = useState(/** @type {NonfiniteElement|null} */ (null));
  const { value: first } = useResource(`${key} ${summary.address}`, (signal) =>
    nonfiniteElement(key, summary.address, -1, "forward", signal),
  );
  const shown = at ?? first ?? null;
  if (!shown?.index) return null;
  const go = (/** @type {NonfiniteElement} */ found) => {
    setAt(found);
    if (found.index) goTo(found.index);
  };
  const step = (/** @type {"forward"|"back"} */ direction) => async () => {
    if (at === null) return go(shown);
    return go(await nonfiniteElement(key, summary.address, numberOf(summary.shape, at.index ?? []), direction));
  };
  return html`<div class="tensor-nonfinite" role="group" aria-label="Non-finite elements">
    <span class="alarming" role="status">${sentence(shown, at !== null)}</span>
    ${
      at === null
        ? html`<button class="plain" onClick=${() => go(shown)}>Go there</button>`
        : html`<button onClick=${step("back")} title="Previous non-finite element">Previous</button><button onClick=${step("forward")} title="Next non-finite element">Next</button>`
    }
    ${!onBadElement.value && html`<${OriginButton} known=${known} index=${shown.index} />`}</div>`;
}

/** `12 elements are not finite, the first at [2, 3]`, then `2 of 12: [2, 4] is NaN`. @param {NonfiniteElement} found @param {boolean} isThere @returns {string} */
function sentence({ index, text, number, count }, isThere) {
  const place = `[${index?.join(", ")}]`;
  if (isThere) return `${countText(number)} of ${countText(count)}: ${place} is ${text}`;
  return count === 1
    ? `One element is not finite, at ${place}`
    : `${countText(count)} elements are not finite, the first at ${place}`;
}
