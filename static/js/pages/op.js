/** The page of an op: its examples in StableHLO and HLO text, which run in place, and a question. */
import { html, render } from "htm/preact";
import { useState } from "preact/hooks";
import { Attributes, PagePicture } from "../features/playground/page_picture.js";
import * as play from "../features/playground/state.js";
import { FORMS, verdict } from "../features/reference/answers.js";
import { ExampleTrial } from "../features/reference/example_trial.js";
import { Icon } from "../ui/icons.js";
import { pageData } from "./common.js";
import { valueOf } from "../ui/fields.js";
/** @import {ExampleQuestion} from "../core/types.js" */
/** @import {Verdict} from "../features/reference/answers.js" */

/** @param {string} id @param {{text: string, file: string}|null} found */
function show(id, found) {
  const root = document.getElementById(id);
  if (!root || !found) return;
  root.replaceChildren();
  render(html`<${ExampleTrial} file=${found.file} text=${found.text} />`, root);
}

/** @param {{question: ExampleQuestion}} props */
function Question({ question }) {
  const [given, setGiven] = useState("");
  const [judged, setJudged] = useState(
    /** @type {{verdict: Verdict|"shown", given: string, count: number}|null} */ (null),
  );
  const count = (judged?.count ?? 0) + 1;
  const check = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (given.trim() !== "") setJudged({ verdict: verdict(question, given), given, count });
  };
  // A changed answer has no verdict.
  const said = judged !== null && (judged.verdict === "shown" || judged.given === given) ? judged : null;
  const isWrong = said?.verdict === "wrong" || said?.verdict === "unreadable";
  return html`<form class="answer" onSubmit=${check} aria-labelledby="op-question">
    ${
      question.kind === "choice"
        ? html`<${Options} options=${question.options} given=${given} choose=${setGiven} />`
        : html`<label>Your answer <input type="text" value=${given} autocomplete="off" autocapitalize="off" spellcheck="false" size="16"
            aria-describedby="answer-form" aria-invalid=${isWrong} onInput=${(/** @type {Event} */ event) => setGiven(valueOf(event))} /></label>
            <span class="quiet" id="answer-form">${formWords(question)}</span>`
    }
    <span class="answer-buttons"><button class="primary" type="submit" aria-disabled=${given.trim() === ""}>Check</button>
      ${(judged?.count ?? 0) > 0 && said?.verdict !== "right" && said?.verdict !== "shown" && html`<button type="button" onClick=${() => setJudged({ verdict: "shown", given, count })}>Show the answer</button>`}</span>
    <p class=${`verdict ${said?.verdict ?? ""}`} role="status">${said && html`<${Icon} name=${ICONS[said.verdict]} />${sentence(question, said)}`}</p>
  </form>`;
}

const ICONS = /** @type {const} */ ({ right: "check", wrong: "close", unreadable: "close", shown: "check" });

/** @param {ExampleQuestion} question */
const formWords = ({ kind, digits }) => FORMS[kind] + (digits === null ? "" : `; ${digits} significant digits will do`);

/** @param {ExampleQuestion} question @param {{verdict: Verdict|"shown", given: string, count: number}} said @returns {string} */
function sentence({ kind, truth }, { verdict: judged, given, count }) {
  if (judged === "right") return `Right: ${truth}.`;
  if (judged === "shown") return `The answer is ${truth}.`;
  if (judged === "unreadable") return `“${given.trim()}” is not ${FORMS[kind]}.`;
  const again = count > 1 ? " Still not." : "";
  return `No, it is not ${given.trim()}.${again} Step through the example, and try again.`;
}

/** @param {{options: readonly string[], given: string, choose: (option: string) => void}} props */
function Options({ options, given, choose }) {
  return html`<fieldset><legend class="hidden">Your answer</legend>${options.map(
    (option) =>
      html`<label class="option"><input type="radio" name="answer" value=${option} checked=${option === given} onChange=${() => choose(option)} /><code>${option}</code></label>`,
  )}</fieldset>`;
}

const { example, hloExample, question, picture, runs, sentences } = pageData();
const [drawn, named] = ["picture", "attributes"].map((id) => document.getElementById(id));
if (picture && drawn) {
  play.isAnswered.value = runs;
  play.startWith(picture.form, picture.answer);
  render(html`<${PagePicture} />`, drawn);
  named?.replaceChildren();
  if (named) render(html`<${Attributes} sentences=${sentences} />`, named);
}
show("example", example);
show("hlo-example", hloExample);
const asked = document.getElementById("question");
if (asked && question) render(html`<${Question} question=${question} />`, asked);
