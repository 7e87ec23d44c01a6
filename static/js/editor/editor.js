/** The editor, put together. It lives in a shadow root: there its styles need no leave of the page's policy. */
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { breakpointGutter } from "./breakpoints.js";
import { languageByContent } from "./languages.js";
import { runText } from "./mapping.js";
import { names } from "./names.js";
import { opCards } from "./op_card.js";
import { replaceSelected } from "./replace_selected.js";
import { filmStrip } from "./strip.js";
import { editorTheme } from "./theme.js";

/**
 * @typedef {{toggleBreakpoint: (line: number) => void, choose: (value: number) => void,
 *   updated: (update: import("@codemirror/view").ViewUpdate) => void}} Handlers
 */

/** @param {HTMLElement} host @param {string} text @param {Handlers} handlers @returns {EditorView} */
export function createEditor(host, text, handlers) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const place = document.createElement("div");
  root.replaceChildren(place);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, filling()];
  return new EditorView({ parent: place, root, state: EditorState.create({ doc: text, extensions: extensions(text, handlers) }) });
}

/** The host's child fills it. @returns {CSSStyleSheet} */
function filling() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(":host { display: block; } :host > div { height: 100%; } [hidden] { display: none; }");
  return sheet;
}

/** @param {string} text @param {Handlers} handlers */
function extensions(text, { toggleBreakpoint, choose, updated }) {
  return [
    breakpointGutter(toggleBreakpoint),
    lineNumbers(),
    lintGutter(),
    filmStrip(choose),
    runText,
    history(),
    drawSelection(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    bracketMatching(),
    closeBrackets(),
    highlightSelectionMatches({ minSelectionLength: 2 }),
    search({ top: false }),
    indentUnit.of("  "),
    languageByContent(text),
    editorTheme,
    names(choose),
    opCards(),
    // Tab leaves the editor: one must be able to get out of it by keyboard.
    keymap.of([...closeBracketsKeymap, ...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"), ...historyKeymap, ...searchKeymap, ...lintKeymap]),
    EditorView.contentAttributes.of({ "aria-label": "Program", tabindex: "0", spellcheck: "false", autocapitalize: "off", autocorrect: "off" }),
    EditorView.domEventHandlers({ beforeinput: replaceSelected }),
    EditorView.updateListener.of(updated),
  ];
}
