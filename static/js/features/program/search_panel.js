/** The search in the editor's text, with its count, in the style of the page. */
import {
  closeSearchPanel,
  findNext,
  findPrevious,
  getSearchQuery,
  replaceAll,
  replaceNext,
  search,
  SearchQuery,
  setSearchQuery,
} from "@codemirror/search";
import { html } from "htm/preact";
import { render } from "preact";
import { counted, countText } from "../../core/tensor/elements.js";
import { Icon } from "../../ui/icons.js";
import { valueOf } from "../../ui/fields.js";
/** @import {EditorView} from "@codemirror/view" */

/** Maximum number of matches that are counted. */
const MOST = 10_000;

/** The search with this panel. */
export const textSearch = () => search({ top: false, createPanel });

/** @param {EditorView} view @returns {import("@codemirror/view").Panel} */
function createPanel(view) {
  const dom = document.createElement("div");
  dom.className = "cm-search";
  dom.addEventListener("keydown", (event) => onKey(event, view));
  const draw = () => render(html`<${Panel} view=${view} query=${getSearchQuery(view.state)} />`, dom);
  draw();
  return {
    dom,
    mount: () => dom.querySelector("input")?.select(),
    update: ({ transactions, docChanged, selectionSet }) => {
      const asks = transactions.some(({ effects }) => effects.some((effect) => effect.is(setSearchQuery)));
      if (asks || docChanged || selectionSet) draw();
    },
  };
}

/** @param {KeyboardEvent} event @param {EditorView} view */
function onKey(event, view) {
  if (event.key === "Escape") closeSearchPanel(view);
  else if (event.key === "Enter" && event.target instanceof HTMLInputElement)
    (event.target.name === "replace" ? replaceNext : event.shiftKey ? findPrevious : findNext)(view);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** @param {{view: EditorView, query: SearchQuery}} props */
function Panel({ view, query }) {
  const change = (/** @type {Partial<SearchQuery>} */ part) => {
    const { search: text, replace, caseSensitive, wholeWord, regexp } = { ...query, ...part };
    const next = new SearchQuery({ search: text, replace, caseSensitive, wholeWord, regexp });
    view.dispatch({ effects: setSearchQuery.of(next) });
  };
  const field = (/** @type {"search"|"replace"} */ name, /** @type {string} */ label) =>
    html`<input name=${name} main-field=${name === "search"} class="cm-textfield" aria-label=${label} placeholder=${label} value=${query[name]} spellcheck=${false} autocomplete="off"
      onInput=${(/** @type {Event} */ event) => change({ [name]: valueOf(event) })} />`;
  /** @param {"caseSensitive"|"wholeWord"|"regexp"} name @param {string} sign @param {string} title */
  const toggle = (name, sign, title) =>
    html`<button aria-pressed=${query[name]} aria-label=${title} title=${title} onClick=${() => change({ [name]: !query[name] })}>${sign}</button>`;
  /** @param {import("@codemirror/view").Command} run @param {string} title @param {unknown} face */
  const act = (run, title, face) =>
    html`<button aria-label=${title} title=${title} onClick=${() => run(view)}>${face}</button>`;
  return html`<div>${field("search", "Find in the text")}<span class="count" role="status">${countWords(view, query)}</span>
      ${act(findPrevious, "Previous match (Shift+Enter)", html`<${Icon} name="previous" />`)}${act(findNext, "Next match (Enter)", html`<${Icon} name="next" />`)}
      ${toggle("caseSensitive", "Aa", "Match case")}${toggle("wholeWord", "ab", "Whole words")}${toggle("regexp", ".*", "Regular expression")}
      <span class="spring"></span>${act(closeSearchPanel, "Close", html`<${Icon} name="close" />`)}</div>
    ${!view.state.readOnly && html`<div>${field("replace", "Replace with")}${act(replaceNext, "Replace this match", "Replace")}${act(replaceAll, "Replace all matches", "Replace all")}</div>`}`;
}

/** `3 of 17`. @param {EditorView} view @param {SearchQuery} query @returns {string} */
function countWords({ state }, query) {
  if (query.search === "") return "";
  if (!query.valid) return "not a regular expression";
  const { from, to } = state.selection.main;
  let [count, at] = [0, 0];
  const matches = query.getCursor(state);
  for (let match = matches.next(); !match.done && count < MOST; match = matches.next()) {
    count++;
    if (match.value.from === from && match.value.to === to) at = count;
  }
  if (count === 0) return "No matches";
  const all = matches.next().done ? countText(count) : `more than ${countText(count)}`;
  return at > 0 ? `${countText(at)} of ${all}` : count === MOST ? all : counted(count, "match", "matches");
}
