/** An exercise in a saved page, which runs no program: what came of the changes that the exercise offers is in the file. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { Checked } from "./checked.js";
import { Hints, Result } from "./outcome.js";
import * as state from "./state.js";
import { language, words } from "./words.js";
/** @import {ChangeBlock, ChangeChoice} from "../../core/types.js" */

/** @param {{change: ChangeBlock}} props */
export function ChangeInFile({ change }) {
  const { id, choices, hints, right_html: right, results = [] } = change;
  const [chosen, setChosen] = useState(choices.map(() => 0));
  const [judged, setJudged] = useState(-1);
  const at = numberOf(chosen, choices);
  const text = textOf(change, chosen);
  const found = judged === at ? results[at] : undefined;
  const check = (/** @type {Event} */ event) => {
    event.preventDefault();
    setJudged(at);
    if (state.answerTo(id).state !== "right") state.answer(id, results[at]?.passed ?? false, text);
  };
  const { name, server } = state.lesson.value ?? {};
  return html`<pre class="lesson-program" tabindex="0">${text}</pre>
    ${
      results.length > 0 &&
      html`<form onSubmit=${check}>${choices.map((choice, number) => html`<${Variants} choice=${choice} chosen=${chosen[number]} choose=${(/** @type {number} */ one) => setChosen(chosen.with(number, one))} />`)}
      <p class="lesson-acts"><button class="primary">${words("check")}</button></p></form>`
    }
    <div class="lesson-result" role="status">${found && html`<${Checked} checked=${found} />`}</div>
    <p class="quiet" lang=${language.value}>${words(results.length > 0 ? "othersNeed" : "exerciseNeeds")}${server && html`: <a href=${`${server}/lessons/${name}#${id}`} target="_blank" rel="noopener">${words("lessonThere")}</a>`}. ${words("theCheck")} <code>${change.passes}</code></p>
    ${state.answerTo(id).state === "open" && html`<p class="lesson-acts"><${Hints} id=${id} hints=${hints} /><button lang=${language.value} onClick=${() => state.giveUp(id)}>${words("skip")}</button></p>`}
    <${Result} id=${id} hints=${hints} wrong=${null} right=${right} />`;
}

/** @param {{choice: ChangeChoice, chosen: number|undefined, choose: (number: number) => void}} props */
function Variants({ choice: { lines, variants }, chosen, choose }) {
  return html`<p><label>${words(lines.length > 1 ? "lines" : "line", lines.join(", "))} <select onChange=${(/** @type {Event} */ event) => choose(/** @type {HTMLSelectElement} */ (event.currentTarget).selectedIndex)}>
    ${variants.map((text, number) => html`<option selected=${number === chosen}>${text}</option>`)}</select></label></p>`;
}

/** The number of a combination: the last choice varies fastest. @param {readonly number[]} chosen @param {readonly ChangeChoice[]} choices */
const numberOf = (chosen, choices) =>
  choices.reduce((sum, { variants }, at) => sum * variants.length + (chosen[at] ?? 0), 0);

/** The program with the chosen texts. @param {ChangeBlock} change @param {readonly number[]} chosen */
const textOf = ({ text, choices }, chosen) =>
  choices.reduce(
    (found, { variants: [first = "", ...others] }, at) =>
      found.replaceAll(first, () => [first, ...others][chosen[at] ?? 0] ?? first),
    text,
  );
