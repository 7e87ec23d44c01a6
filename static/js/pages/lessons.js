/** The ladder of lessons: groups, durations, prerequisites, progress, and links to give away. */
import { html, render } from "htm/preact";
import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import { getJson } from "../core/api.js";
import { errorText } from "../core/messages.js";
import { recall, remember } from "../core/preferences.js";
import { counted } from "../core/tensor/elements.js";
import { grouped, nextRung, progressFragment, readFragment, rungs, takeOver } from "../features/lesson/ladder.js";
import { ladderWords } from "../features/lesson/ladder_words.js";
import { isCopied, selectAll } from "../ui/copied.js";
import { useJson } from "../ui/resource.js";
import { pageData } from "./common.js";
import { Choice } from "../ui/fields.js";
/** @import {LessonTitle} from "../core/types.js" */
/** @import {Rung} from "../features/lesson/ladder.js" */

const LANGUAGE = "lesson-language";
/** The words of the page, in the language of the lessons. */
const Words = createContext(ladderWords("en"));
/** Whether anybody may play the lessons of this server. */
const isOpen = pageData().open === true;

function Lessons() {
  const [language, setLanguage] = useState(recall(LANGUAGE) ?? "");
  const [, draw] = useState(0);
  const { value, error } = useJson(`/api/lessons${language ? `?language=${encodeURIComponent(language)}` : ""}`);
  /** @type {LessonTitle[]} */
  const lessons = value ?? [];
  const choose = (/** @type {string} */ next) => {
    remember(LANGUAGE, next);
    setLanguage(next);
  };
  const words = ladderWords(language);
  if (error) return html`<${Heading} words=${words} /><p class="alarm" role="alert">${error.message}</p>`;
  if (!value) return html`<${Heading} words=${words} /><p class="quiet" role="status">Loading lessons…</p>`;
  const all = rungs(lessons);
  return html`<${Words.Provider} value=${words}><div lang=${language || "en"}>
    <${Heading} words=${words} />
    <${Restore} lessons=${lessons} done=${() => draw((count) => count + 1)} />
    <${Summary} all=${all} />
    <${Language} lessons=${lessons} chosen=${language} choose=${choose} />
    ${grouped(all).map(
      (group) => html`<section class="lesson-group" key=${group.title}><h2>${group.title ?? words.more}</h2>
        <ol class="lessons" start=${group.rungs[0]?.number}>${group.rungs.map((rung) => html`<${Card} key=${rung.lesson.name} rung=${rung} all=${all} />`)}</ol></section>`,
    )}</div><//>`;
}

/** @param {{words: ReturnType<typeof ladderWords>}} props */
function Heading({ words: { title, about, open, closed } }) {
  return html`<h1>${title[0]}<code>a + b</code>${title[1]}</h1>
    <p>${about} ${isOpen ? open : html`${closed[0]}<code>--set open_lessons=1</code>${closed[1]}`}</p>`;
}

/** The progress in the address, to be added to that of this browser. @param {{lessons: LessonTitle[], done: () => void}} props */
function Restore({ lessons, done }) {
  const [fragment, setFragment] = useState(location.hash);
  const read = readFragment(fragment, lessons);
  if (!read) return null;
  const close = () => {
    history.replaceState(history.state, "", location.pathname + location.search);
    setFragment("");
    done();
  };
  const { found, unknown } = read;
  const steps = found.reduce((sum, each) => sum + each.done.length, 0);
  const missing =
    unknown > 0 &&
    ` ${counted(unknown, "lesson")} of the link ${unknown === 1 ? "is" : "are"} not here, or changed since, and cannot be restored.`;
  return html`<section class="lesson-restore" lang="en" aria-label="Progress in this link">
    <p>${found.length > 0 && `This link has the progress of ${counted(found.length, "lesson")}: ${counted(steps, "step")} done.`}${missing}</p>
    <p>${found.length > 0 && html`<button class="primary" onClick=${() => (takeOver(found), close())}>Add it to this browser</button>`} <button class="plain" onClick=${close}>${found.length > 0 ? "No" : "Close"}</button></p></section>`;
}

/** The progress in all lessons, what comes next, and a link for another machine. @param {{all: Rung[]}} props */
function Summary({ all }) {
  const words = useContext(Words);
  const of = all.reduce((sum, { lesson }) => sum + lesson.steps.length, 0);
  const done = all.reduce((sum, rung) => sum + rung.done.length, 0);
  const minutes = all.reduce((sum, { lesson }) => sum + lesson.minutes, 0);
  const finished = all.filter(({ isDone }) => isDone).length;
  const next = nextRung(all);
  const link = () => Promise.resolve(`${location.origin}/lessons${progressFragment(all)}`);
  return html`<section class="lesson-summary" aria-label=${words.yourProgress}>
    <progress class="lesson-bar" max=${of} value=${done} aria-label=${words.allProgress}></progress>
    <p>${words.summary(finished, all.length, done, of, Math.round(minutes / 60))}</p>
    <div class="lesson-tools">${next && html`<a class="primary" href=${`/lessons/${next.lesson.name}`}>${(done > 0 ? words.goOn : words.begin)(next.lesson.title)}</a>`}
      ${done > 0 && html`<${CopyLink} text=${words.copyProgress} label=${words.progressLink} find=${link} />`}</div>
    ${done > 0 && html`<p class="quiet">${words.stored}</p>`}
  </section>`;
}

/** @param {{lessons: LessonTitle[], chosen: string, choose: (language: string) => void}} props */
function Language({ lessons, chosen, choose }) {
  const languages = [...new Set(lessons.flatMap((lesson) => lesson.languages))].sort();
  const words = useContext(Words);
  if (languages.length < 2) return null;
  const names = new Intl.DisplayNames([chosen || "en"], { type: "language" });
  const options = languages.map((language) => [language, names.of(language)]);
  return html`<p><label>${words.language} <${Choice} options=${options} value=${chosen || "en"} choose=${choose} /></label></p>`;
}

/** @param {{rung: Rung, all: Rung[]}} props */
function Card({ rung, all }) {
  const { lesson, number, done, isBegun, isDone } = rung;
  const { name, title, summary, minutes, needs, language, steps } = lesson;
  const words = useContext(Words);
  const progress = isBegun ? words.doneOf(done.length, steps.length) : words.steps(steps.length);
  return html`<li class=${isDone ? "done" : ""}>
    <h3><span class="lesson-number" aria-hidden="true">${isDone ? "✓" : number}</span><a href=${`/lessons/${name}`} lang=${language}>${title}</a></h3>
    <p lang=${language}>${summary}</p>
    ${needs.length > 0 && html`<p class="quiet lesson-needs">${words.needs} ${needs.map((need, at) => html`${at > 0 && ", "}<${Need} name=${need} all=${all} />`)}</p>`}
    <div class="quiet lesson-facts"><span>${words.minutes(minutes)}</span><span>${isDone ? words.done : progress}</span><a href=${`/lessons/${name}/handout?language=${language}`} aria-label=${words.handoutOf(title)}>${words.handout}</a>
      <${CopyLink} text=${words.copyLink} name=${words.copyLinkTo(title)} label=${words.linkTo(title)} find=${() => linkOf(name)} /></div>
    ${isBegun && html`<progress class="lesson-bar" max=${steps.length} value=${done.length} aria-label=${words.progressOf(title)}></progress>`}
  </li>`;
}

/** A lesson to read before. @param {{name: string, all: Rung[]}} props */
function Need({ name, all }) {
  const words = useContext(Words);
  const found = all.find(({ lesson }) => lesson.name === name);
  return html`<a href=${`/lessons/${name}`}>${found?.lesson.title ?? name}</a>${found?.isDone && html` <span aria-label=${words.isDone}>✓</span>`}`;
}

/** The address of a lesson for people without the token. @param {string} name @returns {Promise<string>} */
async function linkOf(name) {
  if (isOpen) return `${location.origin}/lessons/${name}`;
  const { session } = await getJson(`/api/lessons/${name}`);
  return `${location.origin}/s/${session}?lesson=${name}`;
}

/** A button that copies a link, and shows it for browsers that do not allow that. @param {{text: string, name?: string, label: string, find: () => Promise<string>}} props */
function CopyLink({ text, name, label, find }) {
  const words = useContext(Words);
  const [{ address, said }, setShown] = useState({ address: "", said: "" });
  const copy = async () => {
    try {
      const found = await find();
      setShown({ address: found, said: (await isCopied(found)) ? words.copied : words.copyByHand });
    } catch (error) {
      setShown({ address: "", said: errorText(error) });
    }
  };
  return html`<span class="copy-link"><button class="plain" aria-label=${name} onClick=${copy}>${text}</button>
    <span role="status">${said}</span>${address && html`<input readonly aria-label=${label} value=${address} onFocus=${selectAll} />`}</span>`;
}

const root = document.getElementById("lessons");
if (root) render(html`<${Lessons} />`, root);
