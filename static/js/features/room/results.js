/** What the class has answered: bars, or a list beside the marks on the tensor, and then what is recorded. */
import { html } from "htm/preact";
import { counted } from "./model.js";
import * as state from "./state.js";

/** @typedef {import("../../core/types.js").PollResultsMessage} PollResults */
/** @typedef {{label: string, count: number, right: boolean|null}} Bar */

const MOST_CELLS = 6;

/** @param {{poll: import("../../core/types.js").RoomPoll}} props */
export function Results({ poll }) {
  const { results } = state.view.value;
  if (!results) return null;
  const bars = barsOf(results, poll.options);
  const most = Math.max(1, ...bars.map(({ count }) => count));
  return html`${poll.revealed && html`<${Truth} results=${results} poll=${poll} />`}
    ${
      bars.length > 0 &&
      html`<ol class="room-bars" aria-label="Answers">${bars.map(
        ({ label, count, right }) => html`<li class=${right ? "right" : ""} key=${label}>
        <span class="label">${label}</span><span class="track"><span class="bar" style=${{ width: `${(100 * count) / most}%` }}></span></span>
        <span class="count">${count}${right && html`<span aria-hidden="true"> ✓</span><span class="hidden"> right</span>`}</span></li>`,
      )}</ol>`
    }
    ${bars.length === 0 && results.count > 0 && html`<p class="quiet">Fewer than five have answered: which answers these are stays hidden, so that nobody can tell whose.</p>`}
    ${results.heat && html`<p class="quiet">The discs on the tensor show where they clicked.</p>`}`;
}

/** @param {PollResults} results @param {readonly string[]} options @returns {Bar[]} */
export function barsOf({ histogram, choices, heat, truth }, options) {
  if (histogram) {
    const others = histogram.other > 0 ? [{ label: "other", count: histogram.other, right: null }] : [];
    return [...histogram.bins, ...others];
  }
  if (choices)
    return choices.map((count, at) => ({
      label: options[at] ?? String(at),
      count,
      right: truth ? truth.options.includes(at) : null,
    }));
  const right = new Set((truth?.cells ?? []).map(String));
  return [...(heat ?? [])]
    .sort((a, b) => b.count - a.count)
    .slice(0, MOST_CELLS)
    .map(({ element, count }) => ({
      label: `[${element.join(", ")}]`,
      count,
      right: truth ? right.has(String(element)) : null,
    }));
}

/** @param {{results: PollResults, poll: import("../../core/types.js").RoomPoll}} props */
function Truth({ results, poll }) {
  const { truth, count } = results;
  if (!truth) return html`<p>${counted(count, "answer")}. Nothing recorded decides which is right.</p>`;
  return html`<p class="room-truth">Recorded: <strong>${truthWords(truth, poll)}</strong>; <span class="quiet">${truth.right} of ${counted(count, "answer")} ${truth.right === 1 ? "was" : "were"} right.</span></p>`;
}

/** @param {import("../../core/types.js").PollTruth} truth @param {import("../../core/types.js").RoomPoll} poll @returns {string} */
function truthWords({ shown, options, cells }, poll) {
  if (poll.kind === "cell") {
    const named = cells.slice(0, 4).map((cell) => `[${cell.join(", ")}]`);
    return cells.length > 4 ? `${named.join(", ")} and ${cells.length - 4} more` : named.join(", ") || "no element";
  }
  return shown ?? (options.map((at) => poll.options[at]).join(", ") || "none of the options");
}
