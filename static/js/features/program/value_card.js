/** The card of a value: picture, range, type, the step and op that made it, its next reader, and links to them. */
import { html } from "htm/preact";
import { goTo } from "../../core/actions.js";
import { isAhead } from "../../core/run/ahead.js";
import { shownName } from "../../core/run/value_names.js";
import { wayToMaker, wayToReader } from "../../core/run/value_ways.js";
import * as store from "../../core/store.js";
import { card } from "../../ui/code/element.js";
import { arrivals, summary, Thumbnail, thumbnail } from "../../ui/thumbnails.js";
import { openExecutionsMenu } from "../../ui/executions_menu.js";

/** Timeout for the picture of a card. */
const PATIENCE_MS = 800;

/** @param {number} value @returns {Promise<void>} */
export async function waitForPicture(value) {
  const until = Date.now() + PATIENCE_MS;
  while (pictureOf(value) === undefined && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 40));
}

/** Undefined: still loading. @param {number} value @returns {import("../../core/types.js").ThumbnailInfo|null|undefined} */
function pictureOf(value) {
  const located = store.locate(value);
  if (!located || store.program.value?.value(value).elements) return null;
  return thumbnail(store.recordingKey.value ?? "", located.address);
}

/** @param {number} value */
export const valueCard = (value) => card("value", html`<${Card} value=${value} />`);

/** @param {{value: number}} props */
function Card({ value }) {
  arrivals.value;
  const program = store.program.value;
  if (program === null || program.values[value] === undefined) return null;
  const located = store.locate(value);
  const info = pictureOf(value);
  const { name: inText, type, elements } = program.value(value);
  const name = shownName(program, value);
  const numbers = located
    ? elements
      ? `a tuple of ${elements.length}`
      : info
        ? summary(info).range
        : "…"
    : "has no value here yet";
  return html`<div class="value-head"><span class="name">${name}</span>${name !== inText && html` <span class="type">${inText}</span>`} <span class="type">${type}</span></div>
    <div class=${info?.nonfinite ? "alarm" : ""}>${numbers}${located?.when === "earlier" && html`<span class="type"> (last run of this region)</span>`}${located && isAhead(located.address) && html`<span class="type"> (ahead: its op has not run yet)</span>`}</div>
    ${info && info.width * info.height > 1 && html`<${Thumbnail} info=${info} />`}
    ${located && html`<${Made} located=${located} /><${Read} located=${located} />`}
    <div class="value-acts"><button onClick=${(/** @type {MouseEvent} */ event) => chooseTime(event, value)}>When it was made…</button></div>`;
}

/** @param {MouseEvent} event @param {number} value */
function chooseTime(event, value) {
  const { left, bottom } = /** @type {HTMLElement} */ (event.currentTarget).getBoundingClientRect();
  openExecutionsMenu(value, { x: left, y: bottom, back: null });
}

/** @param {{located: import("../../core/view_types.js").SelectedValue}} props */
function Made({ located }) {
  const made = store.atPosition(() => wayToMaker(located.address));
  const begin = store.program.value?.begin;
  if (made === null && begin?.values.includes(located.value))
    return html`<div>Not recorded: computed by ${begin.by}.</div>`;
  if (made === null && begin?.constants.includes(located.value)) return html`<div>A constant of the program.</div>`;
  if (made === null) return html`<div>An input of the run.</div>`;
  const { step, words, isGiven } = made;
  return html`<div class="value-way"><span>${isAhead(located.address) ? "Will be made" : isGiven ? "Given" : "Made"} in ${words}</span>
    <button onClick=${() => void goTo(step)}>${isGiven ? "Go to where it was given" : "Go to where it was made"}</button></div>`;
}

/** @param {{located: import("../../core/view_types.js").SelectedValue}} props */
function Read({ located }) {
  const read = store.atPosition(() => wayToReader(located));
  if (read === null) return html`<div class="type">Nothing reads it from here on.</div>`;
  return html`<div class="value-way"><span>Read next in ${read.words}</span><button onClick=${() => void goTo(read.step)}>Go to its next reader</button></div>`;
}
