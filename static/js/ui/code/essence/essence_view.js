/**
 * The editor shows the essence of its lines. The text never changes: copying, searching and editing use the full text,
 * and the edited line is shown in full. Only visible lines are processed.
 */
import { forEachDiagnostic } from "@codemirror/lint";
import { EditorSelection, Prec, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, hoverTooltip, keymap, ViewPlugin, WidgetType } from "@codemirror/view";
import { hiddenSizes, withoutSizes } from "../../../core/hidden_values.js";
import { element } from "../element.js";
import { programLanguage } from "../languages.js";
import { essenceOf } from "./essence.js";
/** @import {EditorState, Line} from "@codemirror/state" */

/** @typedef {(state: EditorState, offset: number, side: -1|1) => boolean} HasCard */

/** Whether all lines are shown in full. @type {import("@codemirror/state").StateEffectType<boolean>} */
export const setWholeText = StateEffect.define();
/** Show the line at a position in full until the cursor leaves it. @type {import("@codemirror/state").StateEffectType<number|null>} */
export const openLine = StateEffect.define();
/**
 * Names that replace those in the text, by the range of the function in which they apply.
 *
 * @typedef {{from: number, to: number, names: ReadonlyMap<string, string>}} NamesWithin
 * @type {import("@codemirror/state").StateEffectType<readonly NamesWithin[]>}
 */
export const setShownNames = StateEffect.define();

/** Draw again: a question covers other sizes. @type {import("@codemirror/state").StateEffectType<null>} */
export const coverAnew = StateEffect.define();

const MOST_HOVERED = 4_000;
const NAME = /%?[A-Za-z_\d][-\w.$]*/g;

const wholeText = StateField.define({
  create: () => false,
  update: (value, { effects }) => effects.find((effect) => effect.is(setWholeText))?.value ?? value,
});

/** Whether all lines are shown in full. @param {EditorState} state @returns {boolean} */
export const isWholeText = (state) => state.field(wholeText, false) ?? false;

const shownNames = StateField.define({
  create: () => /** @type {readonly NamesWithin[]} */ ([]),
  update(value, { effects, changes, docChanged }) {
    for (const effect of effects) if (effect.is(setShownNames)) return effect.value;
    if (!docChanged || value.length === 0) return value;
    return value.map(({ from, to, names }) => ({ from: changes.mapPos(from), to: changes.mapPos(to), names }));
  },
});

/** Whether any name is replaced. @param {EditorState} state @returns {boolean} */
export const hasShownNames = (state) => (state.field(shownNames, false) ?? []).length > 0;

/** A position in the line that is shown in full, or null. @type {StateField<number|null>} */
const opened = StateField.define({
  create: () => /** @type {number|null} */ (null),
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(openLine)) return effect.value;
    const { newSelection, docChanged, selection } = transaction;
    const { head, empty } = newSelection.main;
    const at = value === null ? null : transaction.changes.mapPos(value);
    if (docChanged)
      return ["input", "delete", "move", "undo", "redo"].some((kind) => transaction.isUserEvent(kind)) ? head : at;
    if (!selection) return at;
    // A click selects a value: the text must not move under the pointer.
    if (transaction.isUserEvent("select.pointer"))
      return at !== null && isSameLine(transaction.newDoc, at, head) ? at : null;
    return transaction.isUserEvent("select") || !empty ? head : at;
  },
});

/** @param {import("@codemirror/state").Text} doc @param {number} one @param {number} other @returns {boolean} */
const isSameLine = (doc, one, other) => doc.lineAt(one).from === doc.lineAt(other).from;

/** Lines with diagnostics are shown in full, so that underlined text is visible. @param {EditorState} state @returns {Set<number>} where these lines begin */
function faultyLines(state) {
  const lines = new Set();
  forEachDiagnostic(state, (_, from) => void lines.add(state.doc.lineAt(Math.min(from, state.doc.length)).from));
  return lines;
}

class Shown extends WidgetType {
  /** @param {string} text @param {string} className */
  constructor(text, className) {
    super();
    this.text = text;
    this.className = className;
  }

  /** @param {Shown} other */
  eq(other) {
    return other.text === this.text && other.className === this.className;
  }

  toDOM() {
    return element("span", this.className, this.text);
  }

  ignoreEvent() {
    return false;
  }
}

const HIDDEN = Decoration.replace({});

/** @param {string} text @param {string} className */
const replacement = (text, className) =>
  text === "" ? HIDDEN : Decoration.replace({ widget: new Shown(text, className) });

/** The replacements of a line: its essence unless it is shown in full, and replaced names. @param {EditorState} state @param {Line} line @param {boolean} whole */
function piecesOf(state, line, whole) {
  const pieces = whole ? [] : essenceOf(line.text, state.facet(programLanguage));
  const found = pieces.map(({ from, to, text }) => ({ from, to, text: withoutSizes(text), className: "cm-essence" }));
  const sizes = hiddenSizes(line.text)
    .filter(({ from, to }) => !pieces.some((piece) => piece.from < to && from < piece.to))
    .map((size) => ({ ...size, className: "cm-covered" }));
  const names = whole ? [] : namePieces(state, line, pieces);
  return [...found, ...sizes, ...names].sort((one, other) => one.from - other.from);
}

/** @param {EditorState} state @param {Line} line @param {readonly import("./scanning.js").Piece[]} pieces */
function namePieces(state, line, pieces) {
  const within = state.field(shownNames).find(({ from, to }) => from <= line.to && line.from <= to);
  if (!within) return [];
  const found = [];
  for (const { index, 0: name } of line.text.matchAll(NAME)) {
    const shown = within.names.get(name);
    const [from, to] = [index, index + name.length];
    const isHidden = pieces.some((piece) => piece.from < to && from < piece.to);
    if (shown !== undefined && !isHidden && line.text[from - 1] !== "@" && line.text[to] !== "(")
      found.push({ from, to, text: shown, className: "cm-shown-name" });
  }
  return found;
}

/** @param {EditorState} state @returns {(line: Line) => boolean} */
function wholeLines(state) {
  if (state.field(wholeText)) return () => true;
  const at = state.field(opened);
  const open = at === null ? -1 : state.doc.lineAt(Math.min(at, state.doc.length)).from;
  const faulty = faultyLines(state);
  return ({ from }) => from === open || faulty.has(from);
}

/** @param {EditorView} view */
function decorate({ state, viewport }) {
  /** @type {RangeSetBuilder<Decoration>} */
  const builder = new RangeSetBuilder();
  const isWhole = wholeLines(state);
  for (const line of drawnLines(state, viewport))
    for (const { from, to, text, className } of piecesOf(state, line, isWhole(line)))
      if (to > from) builder.add(line.from + from, line.from + to, replacement(text, className));
  return builder.finish();
}

/** The rendered lines: the visible ones, and those where the selection begins and ends, which set the width of the text. @param {EditorState} state @param {{from: number, to: number}} viewport @returns {Line[]} */
function drawnLines({ doc, selection }, { from, to }) {
  const starts = new Set([selection.main.from, selection.main.to].map((at) => doc.lineAt(at).from));
  for (let at = from; at <= to; at = doc.lineAt(at).to + 1) starts.add(doc.lineAt(at).from);
  return [...starts].sort((one, other) => one - other).map((at) => doc.lineAt(at));
}

/** Whether the selection begins or ends in a line that is not visible. @param {import("@codemirror/view").ViewUpdate} update @returns {boolean} */
function selectsUnseen({ selectionSet, state, view }) {
  const { from, to } = state.selection.main;
  return selectionSet && [from, to].some((at) => at < view.viewport.from || at > view.viewport.to);
}

/** Whether other lines are shown in full than before, or names have changed. @param {import("@codemirror/view").ViewUpdate} update @returns {boolean} */
const looksOtherwise = ({ startState, state, transactions }) =>
  [wholeText, shownNames, opened].some(
    (field) =>
      startState.field(/** @type {StateField<unknown>} */ (field)) !==
      state.field(/** @type {StateField<unknown>} */ (field)),
  ) ||
  startState.facet(programLanguage) !== state.facet(programLanguage) ||
  String([...faultyLines(startState)]) !== String([...faultyLines(state)]) ||
  transactions.some(({ reconfigured, effects }) => reconfigured || effects.some((effect) => effect.is(coverAnew)));

const shown = ViewPlugin.define(
  (view) => ({
    decorations: decorate(view),
    /** @param {import("@codemirror/view").ViewUpdate} update */
    update(update) {
      if (update.docChanged || update.viewportChanged || selectsUnseen(update) || looksOtherwise(update))
        this.decorations = decorate(update.view);
    },
  }),
  { decorations: (plugin) => plugin.decorations },
);

/** Whether a part of the line is hidden. @param {EditorState} state @param {Line} line @returns {boolean} */
const isFolded = (state, line) => !wholeLines(state)(line) && piecesOf(state, line, false).length > 0;

/** The hidden text of the line between `from` and `to`. @param {EditorState} state @param {number} from @param {number} to @returns {boolean} */
function hides(state, from, to) {
  const line = state.doc.lineAt(from);
  if (!isFolded(state, line)) return false;
  return piecesOf(state, line, false).some((piece) => line.from + piece.from < to && from < line.from + piece.to);
}

/** The full line under the pointer; names and ops show cards instead. @param {HasCard} hasCard */
const hoverWhole = (hasCard) =>
  hoverTooltip(
    (view, offset, side) => {
      const line = view.state.doc.lineAt(offset);
      if (hasCard(view.state, offset, side) || !isFolded(view.state, line)) return null;
      const text = withoutSizes(line.text.trim()).slice(0, MOST_HOVERED);
      const create = () => ({ dom: element("div", "whole-line", text) });
      return { pos: line.from + (line.text.length - line.text.trimStart().length), end: line.to, above: true, create };
    },
    { hoverTime: 400 },
  );

const acts = EditorView.domEventHandlers({
  // A click on a shortened part shows the line in full.
  click: (event, view) => {
    if (!(event.target instanceof Element) || !event.target.closest(".cm-essence")) return false;
    const offset = view.posAtDOM(event.target);
    view.dispatch({ effects: openLine.of(offset), selection: { anchor: offset } });
    return true;
  },
  // Never delete hidden text: the first key press shows it.
  keydown: (event, view) => {
    const { main } = view.state.selection;
    const before = event.key === "Backspace";
    if ((!before && event.key !== "Delete") || !main.empty) return false;
    const [from, to] = before ? [main.head - 1, main.head] : [main.head, main.head + 1];
    if (from < 0 || to > view.state.doc.length || !hides(view.state, from, to)) return false;
    view.dispatch({ effects: openLine.of(main.head) });
    return true;
  },
});

/**
 * Move the cursor up or down to the same column of the line, which the move shows in full. Where the short form of the line ends
 * before that column, the default would go to the end of the line, and scroll sideways to it.
 *
 * @param {EditorView} view @param {boolean} forward @param {boolean} extend the selection @returns {boolean}
 */
function moveByLine(view, forward, extend) {
  const { doc, selection } = view.state;
  const { main } = selection;
  if (view.lineWrapping || isWholeText(view.state) || !(main.empty || extend)) return false;
  const { head, goalColumn = 0 } = view.moveVertically(main, forward);
  const [here, there] = [doc.lineAt(main.head), doc.lineAt(head)];
  if (here.from === there.from) return false;
  const margin = (view.coordsAtPos(here.from)?.left ?? 0) - view.contentDOM.getBoundingClientRect().left;
  const column = Math.max(0, Math.round((goalColumn - margin) / view.defaultCharacterWidth));
  const to = Math.min(there.from + column, there.to);
  const moved = EditorSelection.range(extend ? main.anchor : to, to, goalColumn);
  view.dispatch({ selection: EditorSelection.create([moved]), scrollIntoView: true, userEvent: "select" });
  return true;
}

/** @param {string} key @param {boolean} forward @returns {import("@codemirror/view").KeyBinding} */
const moving = (key, forward) => ({
  key,
  run: (view) => moveByLine(view, forward, false),
  shift: (view) => moveByLine(view, forward, true),
});
const moves = keymap.of([moving("ArrowUp", false), moving("ArrowDown", true)]);

const looks = EditorView.theme({
  ".cm-essence": { color: "var(--muted)", cursor: "pointer" },
  ".cm-shown-name": { color: "var(--syntax-value)" },
  ".cm-tooltip .whole-line, .cm-tooltip.whole-line": {
    padding: "6px 10px",
    whiteSpace: "pre-wrap",
    overflowWrap: "anywhere",
    maxWidth: "min(88ch, 100vw - 24px)",
    maxHeight: "40vh",
    overflow: "auto",
  },
});

/** @param {HasCard} hasCard whether a card is shown for what stands there */
export function essence(hasCard) {
  const onFocus = EditorView.focusChangeEffect.of((_, focusing) => (focusing ? null : openLine.of(null)));
  return [wholeText, shownNames, opened, shown, hoverWhole(hasCard), Prec.high([acts, moves]), onFocus, looks];
}
