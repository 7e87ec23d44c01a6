/** The list of lessons: topic, duration, prerequisites, and progress. */
import { html, render } from "htm/preact";
import { useState } from "preact/hooks";
import { recall, remember } from "../core/preferences.js";
import { keptProgress, progressWords } from "../features/lesson/progress.js";
import { useJson } from "../ui/resource.js";
import "./common.js";
/** @import {LessonTitle} from "../core/types.js" */

const LANGUAGE = "lesson-language";

function Lessons() {
  const [language, setLanguage] = useState(recall(LANGUAGE) ?? "");
  const { value, error } = useJson(`/api/lessons${language ? `?language=${encodeURIComponent(language)}` : ""}`);
  /** @type {LessonTitle[]} */
  const lessons = value ?? [];
  const choose = (/** @type {string} */ next) => {
    remember(LANGUAGE, next);
    setLanguage(next);
  };
  if (error) return html`<p class="alarm" role="alert">${error.message}</p>`;
  if (!value) return html`<p class="quiet" role="status">Loading lessons…</p>`;
  return html`<${Language} lessons=${lessons} chosen=${language} choose=${choose} />
    <ol class="lessons">${lessons.map((lesson) => html`<${Card} key=${lesson.name} lesson=${lesson} lessons=${lessons} />`)}</ol>`;
}

/** @param {{lessons: LessonTitle[], chosen: string, choose: (language: string) => void}} props */
function Language({ lessons, chosen, choose }) {
  const languages = [...new Set(lessons.flatMap((lesson) => lesson.languages))].sort();
  if (languages.length < 2) return null;
  const names = new Intl.DisplayNames(["en"], { type: "language" });
  return html`<p><label>Language <select onChange=${(/** @type {Event} */ event) => choose(/** @type {HTMLSelectElement} */ (event.currentTarget).value)}>
    ${languages.map((language) => html`<option value=${language} selected=${language === (chosen || "en")}>${names.of(language)}</option>`)}</select></label></p>`;
}

/** @param {{lesson: LessonTitle, lessons: LessonTitle[]}} props */
function Card({ lesson: { name, title, summary, minutes, needs, language, version, steps }, lessons }) {
  const kept = keptProgress(name, version);
  const done = (kept?.done ?? []).filter((id) => steps.includes(id));
  const isDone = done.length >= steps.length && steps.length > 0;
  const before = needs.map((need) => lessons.find((other) => other.name === need) ?? { name: need, title: need });
  const words = kept ? (isDone ? "Done" : progressWords({ done, of: steps.length })) : `${steps.length} steps`;
  return html`<li class=${isDone ? "done" : ""}>
    <h2><a href=${`/lessons/${name}`} lang=${language}>${title}</a></h2>
    <p lang=${language}>${summary}</p>
    <p class="quiet lesson-facts"><span>${minutes} minutes</span><span>${words}</span><a href=${`/lessons/${name}/handout?language=${language}`} aria-label=${`A handout of ${title}, to print`}>Handout</a>
      ${before.length > 0 && html`<span>Read before: ${before.map(({ name: other, title: called }, at) => html`${at > 0 && ", "}<a href=${`/lessons/${other}`}>${called}</a>`)}</span>`}</p>
    ${kept && html`<progress class="lesson-bar" max=${steps.length} value=${done.length} aria-label=${`${title}, progress`}></progress>`}
  </li>`;
}

const root = document.getElementById("lessons");
if (root) render(html`<${Lessons} />`, root);
