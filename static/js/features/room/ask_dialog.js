/** The dialog in which a teacher polls the class: for a number, one of several options, or an element to click. */
import { html } from "htm/preact";
import { useMemo, useState } from "preact/hooks";
import * as store from "../../core/store.js";
import { chooseValue, showTab } from "../../core/view_actions.js";
import { Dialog } from "../../ui/dialog.js";
import { askables, sourcesOf } from "./askable.js";
import * as lesson from "./lesson.js";
import { language, marked, words } from "./lesson.js";
import { newPoll, prefilled, textOfHtml } from "./questions.js";
import * as state from "./state.js";
import { valueOf } from "../../ui/fields.js";
/** @import {Askable} from "./askable.js" */
/** @import {Form} from "./questions.js" */

const close = () => (state.roomDialog.value = null);

const KINDS = /** @type {const} */ ([
  ["number", "byNumber", "byNumberSays"],
  ["choice", "byChoice", "byChoiceSays"],
  ["cell", "byCell", "byCellSays"],
]);

export function AskDialog() {
  const open = state.poll.value;
  return html`<${Dialog} title=${marked("askTitle")} close=${close}>
    <div class="share room-ask" lang=${language.value}>${open?.open ? html`<p>${words("alreadyAsked")}</p>` : html`<${LessonAsks} /><${Ask} />`}</div>
  <//>`;
}

/** The questions of the lesson's current step. */
function LessonAsks() {
  const blocks = lesson.shownPage.value?.page.blocks ?? [];
  const asks = blocks.flatMap((block) => (block.kind === "ask" ? [block] : []));
  if (asks.length === 0) return null;
  const ask = (/** @type {import("../../core/types.js").AskBlock} */ block) => {
    const options = block.ask === "choice" ? block.options.map((option) => textOfHtml(option.html)) : [];
    state.tell({
      type: "poll",
      poll: { kind: block.ask, question: textOfHtml(block.html), options, target: null, lesson_ask: block.id },
    });
    close();
  };
  return html`<section aria-labelledby="room-lesson-asks"><h3 id="room-lesson-asks">${words("lessonAsks")}</h3>
    ${asks.map((block) => html`<p class="room-lesson-ask"><span>${textOfHtml(block.html)}</span><button class="plain" onClick=${() => ask(block)}>${words("askThis")}</button></p>`)}</section>`;
}

function Ask() {
  const values = useMemo(askables, []);
  const [form, setForm] = useState(() => firstForm(values));
  const [problem, setProblem] = useState("");
  const change = (/** @type {Partial<Form>} */ changes) => {
    setProblem("");
    setForm((before) => prefilled({ ...before, ...changes }));
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const made = newPoll(form, store.run.peek()?.number ?? 0, store.process.peek());
    if ("problem" in made) return setProblem(made.problem);
    state.tell({ type: "poll", poll: made });
    if (form.kind === "cell" && form.source) showToAll(form.source);
    close();
  };
  if (values.length === 0 && form.kind !== "choice")
    return html`<p lang=${language.value}>${words("nothingToAsk")}</p>`;
  return html`<form onSubmit=${submit}>
    <${Kinds} form=${form} change=${change} />
    <${About} form=${form} values=${values} change=${change} />
    ${form.kind === "choice" && html`<${Options} form=${form} change=${change} />`}
    ${form.kind === "cell" && html`<${Clicked} form=${form} change=${change} />`}
    <label class="room-field"><span>${words("question")}</span><input type="text" maxlength="400" value=${form.question} onInput=${(/** @type {Event} */ event) => change({ question: valueOf(event), isOwn: true })} /></label>
    ${problem && html`<p class="alarm" role="alert">${problem}</p>`}
    <p class="quiet">${words(form.kind === "cell" ? "cellIsShown" : "valueIsCovered")} ${words("fromRecording")}</p>
    <p><button class="primary" type="submit">${words("ask")}</button></p>
  </form>`;
}

/** @param {Askable[]} values @returns {Form} */
const firstForm = (values) =>
  prefilled({
    kind: "number",
    about: values[0] ?? null,
    element: elementText(values[0]),
    source: values[0] ? (sourcesOf(values[0])[0] ?? null) : null,
    hasTruth: true,
    options: "",
    question: "",
    isOwn: false,
  });

/** The chosen element, else the first one. @param {Askable|undefined} of */
const elementText = (of) => (of ? (of.element ?? of.shape.map(() => 0)).join(", ") : "");

/** @param {Askable} source */
function showToAll({ value, path }) {
  chooseValue(value, path);
  showTab("tensor");
}

/** @typedef {{form: Form, change: (changes: Partial<Form>) => void}} Props */

/** @param {Props} props */
function Kinds({ form, change }) {
  return html`<fieldset class="room-kinds"><legend>${words("theyAnswer")}</legend>${KINDS.map(
    ([
      kind,
      title,
      says,
    ]) => html`<label><input type="radio" name="room-kind" checked=${form.kind === kind} onChange=${() => change({ kind })} />
      <span><strong>${words(title)}</strong><span class="quiet">${words(says)}</span></span></label>`,
  )}</fieldset>`;
}

/** The value and its element. @param {Props & {values: Askable[]}} props */
function About({ form, values, change }) {
  const choose = (/** @type {Event} */ event) => {
    const about = values.find(({ address }) => address === valueOf(event)) ?? null;
    if (about) change({ about, element: elementText(about), source: sourcesOf(about)[0] ?? null });
  };
  if (form.about === null) return null;
  const isScalar = form.about.shape.length === 0;
  return html`<div class="room-about"><label class="room-field"><span>${words("value")}</span><select onChange=${choose}>${values.map(({ address, name, shape }) => html`<option value=${address} selected=${address === form.about?.address}>${name} ${shape.length > 0 ? shape.join(" × ") : words("scalar")}</option>`)}</select></label>
    ${!isScalar && html`<label class="room-field"><span>${words("element")}</span><input type="text" value=${form.element} autocomplete="off" spellcheck="false" onInput=${(/** @type {Event} */ event) => change({ element: valueOf(event) })} /></label>`}
    ${form.kind === "choice" && html`<label class="room-check"><input type="checkbox" checked=${form.hasTruth} onChange=${(/** @type {Event} */ event) => change({ hasTruth: /** @type {HTMLInputElement} */ (event.currentTarget).checked })} /> ${words("optionIsValue")}</label>`}</div>`;
}

/** @param {Props} props */
function Options({ form, change }) {
  return html`<label class="room-field"><span>${words("optionLines")}</span><textarea rows="4" value=${form.options} onInput=${(/** @type {Event} */ event) => change({ options: valueOf(event) })}></textarea></label>`;
}

/** The value to click on. @param {Props} props */
function Clicked({ form, change }) {
  const sources = form.about ? sourcesOf(form.about) : [];
  if (sources.length === 0) return html`<p class="quiet">${words("notMadeHere")}</p>`;
  const choose = (/** @type {Event} */ event) =>
    change({ source: sources.find(({ address }) => address === valueOf(event)) ?? null });
  return html`<label class="room-field"><span>${words("theyClick")}</span><select onChange=${choose}>${sources.map(({ address, name, shape }) => html`<option value=${address} selected=${address === form.source?.address}>${name} ${shape.join(" × ") || words("scalar")}</option>`)}</select></label>`;
}
