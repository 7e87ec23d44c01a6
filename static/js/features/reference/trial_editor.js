/** The editor of an example: its text, the current line, and the results below each line. */
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, drawSelection, keymap, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";
import { languageByContent } from "../../ui/code/languages.js";
import { describeOpAtCursor, opCards } from "../../ui/code/op_card.js";
import { replaceSelected } from "../../ui/code/replace_selected.js";
import { editorTheme } from "../../ui/code/editor_theme.js";
import { wordsOf } from "./model.js";
/** @import {Step} from "./model.js" */

/** @typedef {{values: Map<number, Step>, current: number|null}} Shown */

/** Set the shown results. @type {import("@codemirror/state").StateEffectType<Shown>} */
export const setShown = StateEffect.define();

const shown = StateField.define({
  create: () => Decoration.none,
  update(decorations, transaction) {
    for (const effect of transaction.effects) if (effect.is(setShown)) return decorate(transaction.state, effect.value);
    // Values of a previous text are dropped.
    return transaction.docChanged ? Decoration.none : decorations;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** @param {EditorState} state @param {Shown} what */
function decorate(state, { values, current }) {
  const ranges = [...values]
    .filter(([line]) => line <= state.doc.lines)
    .map(([line, step]) =>
      Decoration.widget({ widget: new Below(step), block: true, side: 1 }).range(state.doc.line(line).to),
    );
  if (current !== null && current <= state.doc.lines) {
    ranges.push(Decoration.line({ class: "cm-current-op" }).range(state.doc.line(current).from));
  }
  return Decoration.set(ranges, true);
}

class Below extends WidgetType {
  /** @param {Step} step */
  constructor(step) {
    super();
    this.step = step;
  }

  /** @param {Below} other */
  eq(other) {
    return JSON.stringify(other.step) === JSON.stringify(this.step);
  }

  toDOM() {
    const holder = document.createElement("div");
    holder.className = "below";
    for (const { name, text, kind } of wordsOf(this.step)) {
      const row = document.createElement("div");
      row.className = kind;
      row.append(span("name", name), span("text", text));
      holder.append(row);
    }
    return holder;
  }
}

/** @param {string} className @param {string} text */
function span(className, text) {
  const made = document.createElement("span");
  made.className = className;
  made.textContent = text;
  return made;
}

const looks = EditorView.theme({
  "@media print": {
    ".cm-content": { whiteSpace: "pre-wrap !important", flexShrink: "1 !important" },
    ".cm-line": { overflowWrap: "anywhere", whiteSpace: "pre-wrap !important" },
  },
  "&": { height: "auto", backgroundColor: "transparent" },
  ".cm-gutters": { backgroundColor: "transparent" },
  ".below": {
    padding: "1px 8px 3px 20px",
    fontSize: "1em",
    color: "var(--text)",
    whiteSpace: "pre-wrap",
    overflowWrap: "anywhere",
  },
  ".below > div": {
    display: "flex",
    alignItems: "baseline",
    gap: "10px",
    borderLeft: "2px solid var(--accent)",
    paddingLeft: "8px",
  },
  ".below .name": { color: "var(--syntax-value)", flex: "none" },
  ".below .text": { minWidth: "0" },
  ".below .failed": { borderLeftColor: "var(--alarm)" },
  ".below .failed span": { color: "var(--alarm)", fontFamily: "var(--face)", whiteSpace: "normal", maxWidth: "72ch" },
  ".below .check": { borderLeftColor: "var(--good)" },
  ".below .check span": { color: "var(--good)" },
});

/**
 * An editor in the element that `host` refers to; `replace` sets its text.
 *
 * @typedef {{changed: (text: string) => void, run: () => void}} Handlers
 * @param {string} text @param {Handlers} handlers @param {Looks} [looks]
 */
export function useTrialEditor(text, handlers, looks) {
  const host = useRef(/** @type {HTMLElement|null} */ (null));
  const view = useRef(/** @type {EditorView|null} */ (null));
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    if (!host.current) return undefined;
    const current = {
      changed: (/** @type {string} */ now) => latest.current.changed(now),
      run: () => latest.current.run(),
    };
    const made = createTrialEditor(host.current, text, current, looks);
    view.current = made;
    return () => made.destroy();
  }, []);
  const replace = (/** @type {string} */ insert) =>
    view.current?.dispatch({ changes: { from: 0, to: view.current.state.doc.length, insert } });
  return { host, view, replace };
}

/**
 * @typedef {{label?: string, isNarrow?: boolean}} Looks isNarrow: wrap long lines
 * @param {HTMLElement} host @param {string} text @param {Handlers} handlers @param {Looks} [looks] @returns {EditorView}
 */
function createTrialEditor(host, text, { changed, run }, { label = "Example program", isNarrow = false } = {}) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const place = document.createElement("div");
  root.replaceChildren(place);
  const extensions = [
    lineNumbers(),
    history(),
    drawSelection(),
    bracketMatching(),
    closeBrackets(),
    indentUnit.of("  "),
    languageByContent(text),
    editorTheme,
    looks,
    shown,
    opCards(),
    isNarrow ? EditorView.lineWrapping : [],
    keymap.of([
      { key: "Mod-Enter", run: () => (run(), true) },
      { key: "Shift-F1", run: describeOpAtCursor },
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...historyKeymap,
    ]),
    EditorView.contentAttributes.of({
      "aria-label": label,
      tabindex: "0",
      spellcheck: "false",
      autocapitalize: "off",
      autocorrect: "off",
    }),
    EditorView.domEventHandlers({ beforeinput: replaceSelected }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) changed(update.state.doc.toString());
    }),
  ];
  return new EditorView({ parent: place, root, state: EditorState.create({ doc: text, extensions }) });
}
