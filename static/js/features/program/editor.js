/** The editor. It is in a shadow root, where its styles need no permission of the page's policy. */
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnosticsEffect } from "@codemirror/lint";
import { highlightSelectionMatches, openSearchPanel, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, StateField } from "@codemirror/state";
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  tooltips,
} from "@codemirror/view";
import * as store from "../../core/store.js";
import { essence } from "../../ui/code/essence/essence_view.js";
import { languageByContent } from "../../ui/code/languages.js";
import { opCards, opNear } from "../../ui/code/op_card.js";
import { replaceSelected } from "../../ui/code/replace_selected.js";
import { editorTheme } from "../../ui/code/editor_theme.js";
import { openExecutionsMenu, openLineMenu } from "../../ui/executions_menu.js";
import { breakpointGutter } from "./breakpoint_gutter.js";
import { filmStrip } from "./film_strip.js";
import { keptInView } from "./kept_in_view.js";
import { leftOut } from "./left_out.js";
import { textSearch } from "./search_panel.js";
import { sourceStripes } from "./source_stripes.js";
import { runText } from "./positions_in_text.js";
import { valueAt } from "./name_at.js";
import { definitionAt, peekAt, usesAt } from "./navigation.js";
import { renameAt } from "./rename.js";
import { describeValueAtCursor, hasName, isInside, names } from "./value_names.js";

const wrapping = new Compartment();

/** Whether long lines wrap: in presenter mode nothing is cut. @param {boolean} on */
export const wrapLines = (on) => wrapping.reconfigure(on ? EditorView.lineWrapping : []);

/**
 * @typedef {{toggleBreakpoint: (line: number) => void, choose: (value: number) => void,
 *   updated: (update: import("@codemirror/view").ViewUpdate) => void}} Handlers
 */

/** @param {HTMLElement} host @param {string} text @param {Handlers} handlers @returns {EditorView} */
export function createEditor(host, text, handlers) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const place = document.createElement("div");
  root.replaceChildren(place);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, hostSheet()];
  return new EditorView({
    parent: place,
    root,
    state: EditorState.create({ doc: text, extensions: extensions(text, handlers) }),
  });
}

/** Whether the pointer is on an op that has a card. @param {EditorState} state @param {number} offset @param {-1|1} side @returns {boolean} */
function hasOp(state, offset, side) {
  const op = opNear(state, offset);
  return op !== null && op.touches && isInside(op, offset, side);
}

/** @param {number} line @param {MouseEvent} event */
function openMenuOfLine(line, { clientX, clientY, target }) {
  const root = target instanceof Element ? target.getRootNode() : null;
  const back = root instanceof ShadowRoot ? /** @type {HTMLElement|null} */ (root.querySelector(".cm-content")) : null;
  openLineMenu(line, { x: clientX, y: clientY, back });
}

/** The area for cards: over any panel, but not over the step buttons. @param {EditorView} view */
function besideToolbar(view) {
  const { top } = view.dom.getBoundingClientRect();
  return { top, left: 0, bottom: window.innerHeight, right: window.innerWidth };
}

/** @param {EditorView} view @param {import("@codemirror/view").BlockInfo} block @param {Event} event @returns {boolean} */
function onNumber(view, block, event) {
  openMenuOfLine(view.state.doc.lineAt(block.from).number, /** @type {MouseEvent} */ (event));
  event.preventDefault();
  return true;
}

/** @param {EditorView} view @returns {import("../../core/cursor.js").AtCursor} */
export const commandsAtCursor = (view) => ({
  menu: () => openMenuAtCursor(view),
  describe: () => void describeValueAtCursor(view),
  definition: () => definitionAt(view),
  uses: () => usesAt(view),
  peek: () => peekAt(view),
  rename: () => renameAt(view),
  search: () => void openSearchPanel(view),
});

/** The context menu of the line at the cursor, by keyboard; on the name of a value, its menu. @param {EditorView} view */
function openMenuAtCursor(view) {
  const { head } = view.state.selection.main;
  const at = view.coordsAtPos(head);
  const place = { x: at?.left ?? 0, y: (at?.bottom ?? 0) + 2, back: view.contentDOM };
  const named = valueAt(view.state, head);
  if (named) openExecutionsMenu(named.value, place);
  else openLineMenu(view.state.doc.lineAt(head).number, place);
}

/** Fill the host with its child. @returns {CSSStyleSheet} */
function hostSheet() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(":host { display: block; } :host > div { height: 100%; } [hidden] { display: none; }");
  return sheet;
}

/** The gutter of diagnostics appears with the first one and stays: otherwise text would move while one types. */
const hasHadFaults = StateField.define({
  create: () => false,
  update: (had, { effects }) => had || effects.some((each) => each.is(setDiagnosticsEffect) && each.value.length > 0),
  provide: (field) => EditorView.editorAttributes.from(field, (had) => ({ class: had ? "has-faults" : "" })),
});

/** @param {string} text @param {Handlers} handlers */
function extensions(text, { toggleBreakpoint, choose, updated }) {
  return [
    breakpointGutter(toggleBreakpoint, openMenuOfLine),
    lineNumbers({ domEventHandlers: { contextmenu: onNumber } }),
    lintGutter(),
    hasHadFaults,
    filmStrip(choose),
    keptInView,
    runText,
    wrapping.of([]),
    sourceStripes,
    leftOut,
    history(),
    drawSelection(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    bracketMatching(),
    closeBrackets(),
    highlightSelectionMatches({ minSelectionLength: 2 }),
    textSearch(),
    indentUnit.of("  "),
    languageByContent(text),
    editorTheme,
    essence((state, offset, side) => hasName(state, offset, side) || hasOp(state, offset, side)),
    names(choose),
    opCards(),
    tooltips({ tooltipSpace: besideToolbar }),
    // Tab leaves the editor, for keyboard users.
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"),
      ...historyKeymap,
      ...searchKeymap,
      ...lintKeymap,
    ]),
    EditorState.readOnly.of(store.readOnly.peek()),
    EditorView.contentAttributes.of({
      "aria-label": "Program",
      tabindex: "0",
      spellcheck: "false",
      autocapitalize: "off",
      autocorrect: "off",
    }),
    EditorView.domEventHandlers({ beforeinput: replaceSelected }),
    EditorView.updateListener.of(updated),
  ];
}
