/** The ways from a lesson to others: those to read before it, and from its end. */
import { html } from "htm/preact";
import { pageHere } from "../../core/reference_paths.js";
import { Icon } from "../../ui/icons.js";
import { lesson } from "./state.js";
import { words } from "./words.js";

/** The lessons to read first, for readers who may open them. */
export function Needs() {
  const needs = lesson.value?.needs ?? [];
  if (needs.length === 0 || pageHere("/lessons") === null) return null;
  return html` · ${words("needs")} ${needs.map(({ name, title, language }, at) => html`${at > 0 && ", "}<a href=${`/lessons/${name}`} lang=${language}>${title}</a>`)}`;
}

/** The ways to other lessons, for readers who may open them. */
export function Onward() {
  const next = lesson.value?.next;
  if (pageHere("/lessons") === null) return null;
  const own = pageHere("/function");
  return html`${own !== null && html`<a href=${own}>${words("yours")}</a>`} <a href="/lessons">${words("all")}</a>
    ${next && html`<a class="primary" href=${`/lessons/${next.name}`} title=${next.title}>${words("nextLesson")}<${Icon} name="next" /></a>`}`;
}
