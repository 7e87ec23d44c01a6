/** The page of an op: its examples run in place, in StableHLO and in HLO text, and at the end a question. */
import { html, render } from "htm/preact";
import { ExampleTrial } from "../features/reference/example_trial.js";
import { Question } from "../features/reference/question.js";
import { pageData } from "./common.js";

const { example, hloExample, question } = pageData();
show("example", example);
show("hlo-example", hloExample);
const asked = document.getElementById("question");
if (asked && question) render(html`<${Question} question=${question} />`, asked);

/** @param {string} id @param {{text: string, file: string}|null} found */
function show(id, found) {
  const root = document.getElementById(id);
  if (!root || !found) return;
  root.replaceChildren();
  render(html`<${ExampleTrial} file=${found.file} text=${found.text} />`, root);
}
