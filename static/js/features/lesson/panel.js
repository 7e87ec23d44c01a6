/** A lesson beside its program: one step at a time, with its text, positions, questions and exercise. */
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { reportError } from "../../core/messages.js";
import { forAudience } from "../../core/preferences.js";
import { isFile } from "../../core/source.js";
import { Icon } from "../../ui/icons.js";
import { RichText } from "../../ui/rich_text.js";
import { withCode } from "../../ui/with_code.js";
import { Ask } from "./ask.js";
import { Exercise } from "./exercise.js";
import { ChangeInFile } from "./exercise_in_file.js";
import { Needs, Onward } from "./onward.js";
import { isAt, showPlace } from "./places.js";
import { SaveResult } from "./result.js";
import * as state from "./state.js";
import { language, words } from "./words.js";
import { addPanel } from "../layout/panels.js";
/** @import {ChangeBlock, LessonBlock as Block} from "../../core/types.js" */

addPanel({ id: "lesson", title: "Lesson", dock: "lesson", order: 1, help: "lesson", Panel: LessonPanel, keeps: true });

export function LessonPanel() {
  const shown = state.lesson.value;
  const page = state.shownPage.value;
  const body = useRef(/** @type {HTMLElement|null} */ (null));
  const before = useRef(/** @type {string|undefined} */ (undefined));
  useEffect(() => {
    if (before.current !== undefined && before.current !== page?.page.id) focusStep(body.current);
    before.current = page?.page.id;
  }, [page?.page.id]);
  if (!shown || !page) return html`<p class="empty">This lesson has no steps.</p>`;
  const { id, title, blocks } = page.page;
  return html`<${Progress} at=${page.at} />
    <article class="lesson-body" key=${id} ref=${body} lang=${shown.language} tabindex=${forAudience.value ? 0 : undefined} aria-labelledby="lesson-step">
      <h2 id="lesson-step" tabindex="-1">${withCode(title)}</h2>
      ${id === state.INTRODUCTION && html`<${About} />`}
      ${blocks.map((block, at) => html`<${BlockView} key=${at} block=${block} waits=${state.isWaiting(block)} />`)}
      ${isLastOfFinished(page.at) && html`<${SaveResult} />`}
    </article>
    <${Ways} at=${page.at} />`;
}

/** Whether the lesson is done, and the server judges its exercises; a room keeps its own records. @param {number} at */
function isLastOfFinished(at) {
  const { done, of } = state.progress.value;
  const { canCheck, copy } = state.exercises;
  return !isFile() && canCheck && copy === null && done.length >= of && at === state.pages.value.length - 1;
}

/** Move the focus to the top of the new step after a button press. @param {HTMLElement|null} body */
function focusStep(body) {
  const panel = body?.closest(".panel");
  body?.scrollTo(0, 0);
  if (panel?.contains(document.activeElement) || document.activeElement === document.body)
    /** @type {HTMLElement|null} */ (body?.querySelector("h2"))?.focus();
}

/** The progress with a button per step, and the language. @param {{at: number}} props */
function Progress({ at }) {
  const { done, of } = state.progress.value;
  return html`<header class="lesson-head" lang=${language.value}>
    <progress max=${of} value=${done.length} aria-label=${words("doneOf", done.length, of)}></progress>
    <nav aria-label=${words("steps")}><ol>${state.pages.value.map(
      (page, number) =>
        html`<li key=${page.id}><${StepButton} page=${page} isHere=${number === at} isDone=${done.includes(page.id)} /></li>`,
    )}</ol></nav>
    <${Language} />
  </header>`;
}

/** @param {{page: import("../../core/types.js").LessonStep, isHere: boolean, isDone: boolean}} props */
function StepButton({ page: { id, title }, isHere, isDone }) {
  const number = id === state.INTRODUCTION ? 0 : numberOf(id);
  const plain = title.replaceAll("`", "");
  const name = words("named", number === 0 ? words("introduction") : `${words("step")} ${number}`, plain);
  return html`<button class=${isDone ? "done" : ""} aria-current=${isHere ? "step" : undefined} title=${name}
    onClick=${() => state.goToLessonStep(id)}><span aria-hidden="true">${number === 0 ? "i" : isDone ? "✓" : number}</span><span class="hidden">${name}${isDone && `, ${words("done")}`}</span></button>`;
}

/** @param {string} id */
const numberOf = (id) => (state.lesson.value?.steps ?? []).findIndex((step) => step.id === id) + 1;

function Language() {
  const shown = state.lesson.value;
  if (!shown || shown.languages.length < 2) return null;
  const choose = (/** @type {Event} */ event) =>
    state.chooseLanguage(/** @type {HTMLSelectElement} */ (event.currentTarget).value).catch(reportError);
  return html`<label class="lesson-language"><span class="hidden">${words("language")}</span><select onChange=${choose}>
    ${shown.languages.map((language) => html`<option value=${language} lang=${language} selected=${language === shown.language}>${nameOfLanguage(language)}</option>`)}</select></label>`;
}

/** The name of a language in that language. @param {string} language @returns {string} */
export function nameOfLanguage(language) {
  try {
    return new Intl.DisplayNames([language], { type: "language" }).of(language) ?? language;
  } catch {
    return language;
  }
}

/** The introduction of a lesson. */
function About() {
  const shown = state.lesson.value;
  if (!shown) return null;
  return html`<p class="quiet" lang=${language.value}>${words("about", shown.minutes)}${isFile() || html`<${Needs} />`}</p>`;
}

/** @param {{block: Block, waits: boolean}} props */
function BlockView({ block, waits }) {
  if (block.kind === "text") return html`<div class="lesson-text"><${RichText} text=${block.html} /></div>`;
  if (block.kind === "note")
    return html`<aside class="lesson-note" aria-label=${words("note")}><${RichText} text=${block.html} /></aside>`;
  if (block.kind === "ask") return html`<${Ask} ask=${block} />`;
  if (block.kind === "change") return html`<${Change} change=${block} />`;
  return html`<${Look} look=${block} waits=${waits} />`;
}

/** @param {{look: import("../../core/types.js").LookBlock, waits: boolean}} props waits: hidden until an earlier question is answered, which it would give away */
function Look({ look: { label, place, playground }, waits }) {
  if (playground)
    return isFile()
      ? html`<p class="lesson-look quiet">${words("named", label, "")}<span lang=${language.value}>${words("playgroundNeeds")}</span></p>`
      : html`<p class="lesson-look"><button class="plain" onClick=${() => state.showPlayground(playground)}><${Icon} name="view" /><span><span lang=${language.value}>${words("named", words("show"), "")}</span> ${label}</span></button></p>`;
  if (!place) return null;
  if (waits)
    return html`<p class="lesson-look"><button class="plain" aria-disabled="true"><${Icon} name="view" /><span><span lang=${language.value}>${words("named", words("show"), "")}</span> ${label}</span></button> <span class="quiet" lang=${language.value}>${words("waits")}</span></p>`;
  return html`<p class="lesson-look"><button class="plain" onClick=${() => void showPlace(place)}><${Icon} name="view" /><span><span lang=${language.value}>${words("named", words("show"), "")}</span> ${label}</span></button>
    ${isAt(place) && html`<span class="quiet" lang=${language.value}>${words("there")}</span>`}</p>`;
}

/** Buttons for the previous and the next step. @param {{at: number}} props */
function Ways({ at }) {
  const pages = state.pages.value;
  const [before, after] = [pages[at - 1], pages[at + 1]];
  return html`<footer class="lesson-foot" lang=${language.value}>
    <button aria-disabled=${!before} onClick=${() => before && state.goToLessonStep(before.id)}><${Icon} name="previous" />${words("back")}</button>
    <span class="quiet" role="status">${words("doneOf", state.progress.value.done.length, state.progress.value.of)}</span>
    ${
      after
        ? html`<button class="primary" onClick=${() => state.goToLessonStep(after.id)}>${words("next")}<${Icon} name="next" /></button>`
        : html`<${End} page=${pages[at]} />`
    }
  </footer>`;
}

/** The end of the lesson. @param {{page: import("../../core/types.js").LessonStep}} props */
function End({ page }) {
  const { done, of } = state.progress.value;
  const isRead = done.includes(page.id) || state.isOpen(page);
  if (!isRead) return html`<button class="primary" onClick=${state.markRead}>${words("finish")}</button>`;
  return html`<span class="lesson-end">${done.length >= of && html`<button onClick=${state.startAnew}>${words("again")}</button>`}
    ${isFile() || html`<${Onward} />`}</span>`;
}

/** @param {{change: ChangeBlock}} props */
function Change({ change }) {
  const name = `change-${change.id.replaceAll(/[^\w-]/g, "-")}`;
  return html`<section class=${`lesson-ask lesson-change ${state.answerTo(change.id).state}`} aria-labelledby=${name}>
    <div class="lesson-question" id=${name}><${RichText} text=${change.html} /></div>
    ${isFile() ? html`<${ChangeInFile} change=${change} />` : html`<${Exercise} change=${change} />`}
  </section>`;
}
