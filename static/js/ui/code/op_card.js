/** Cards of ops under the pointer, or at the cursor by key, with a link to the page of the op. */
import { ensureSyntaxTree } from "@codemirror/language";
import { closeHoverTooltips, EditorView, hasHoverTooltips, hoverTooltip, ViewPlugin } from "@codemirror/view";
import { AnswerCache } from "../../core/answers.js";
import { getJson } from "../../core/api.js";
import { opDataPath, pageHere } from "../../core/reference_paths.js";
import { isFile } from "../../core/source.js";
import { element } from "./element.js";
import { pinCard, pinnedCard } from "./pinned_card.js";
import { programLanguage } from "./languages.js";
/** @import {OpPage as OpEntry} from "../../core/types.js" */

/** The names in the reference, and the ops of HLO opcodes. @type {AnswerCache<Map<string, string>>} */
const names = new AnswerCache(1, { asksAgain: true });
/** @type {AnswerCache<OpEntry>} */
const entries = new AnswerCache(1_000, { asksAgain: true });

/** @returns {Promise<Map<string, string>>} */
async function fetchNames() {
  /** @type {(OpEntry & {reads: string[]})[]} */
  const ops = await getJson(opDataPath());
  return new Map(
    ops.flatMap(({ name, reads }) => [
      [name, name],
      ...reads.map((opcode) => /** @type {[string, string]} */ ([opcodeKey(opcode), name])),
    ]),
  );
}

/** A key that is not the name of an op. @param {string} opcode */
const opcodeKey = (opcode) => `HLO ${opcode}`;

/** @param {Found} found @returns {Promise<OpEntry|null>} */
async function entryOf(found) {
  const known = await names.fetch("", fetchNames).catch(() => null);
  const name = known?.get(found.opcode ? opcodeKey(found.name) : found.name);
  if (name === undefined) return null;
  return entries.fetch(name, () => getJson(opDataPath(name))).catch(() => null);
}

const hover = hoverTooltip(
  async (view, offset, side) => {
    const found = opNear(view.state, offset);
    const past = found !== null && (side > 0 ? offset >= found.to : offset <= found.from);
    const entry = found?.touches && !past ? await entryOf(found) : null;
    if (!found || !entry || view.state.field(pinnedCard)) return null;
    return { pos: found.from, end: found.to, above: true, create: () => ({ dom: card(entry) }) };
  },
  { hoverTime: 250 },
);

/** @param {OpEntry} entry @returns {HTMLElement} */
function card({ name, sentence, signature, family, url, opcode }) {
  const dom = element("div", "op-card");
  const more = element("p", "more", ...(isFile() ? [] : [linkTo(url)]));
  if (opcode) more.append(element("span", "type", `HLO: ${opcode}`));
  dom.append(
    element("p", "", element("span", "name", name), element("span", "type", family)),
    element("p", "signature", signature),
    element("p", "", ...withCode(sentence)),
    more,
  );
  return dom;
}

/** A link to the page of the op. @param {string} url */
function linkTo(url) {
  const link = element("a", "", "Constraints, example, indexing maps");
  return Object.assign(link, { href: pageHere(url) ?? url, target: "_blank", rel: "noreferrer" });
}

/** Text between backticks is code. @param {string} text @returns {(string|HTMLElement)[]} */
const withCode = (text) => text.split("`").map((part, at) => (at % 2 ? element("code", "", part) : part));

/** The editors of the page; the last one is the most recent. @type {EditorView[]} */
const views = [];

/** Registers the editor; Escape closes a hover card, wherever the focus is. */
const known = ViewPlugin.define((view) => {
  views.push(view);
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape" && hasHoverTooltips(view.state)) view.dispatch({ effects: closeHoverTooltips });
  };
  window.addEventListener("keydown", onKey, { capture: true });
  return {
    destroy() {
      views.splice(views.indexOf(view), 1);
      window.removeEventListener("keydown", onKey, { capture: true });
    },
  };
});

/** Show the card of the op at the cursor, or else of the first op on its line. @param {EditorView} view @returns {boolean} */
export function describeOpAtCursor(view) {
  void describe(view);
  return true;
}

/** @param {EditorView} view */
async function describe(view) {
  const { head } = view.state.selection.main;
  const found = opNear(view.state, head);
  const entry = found && (await entryOf(found));
  if (!found || !entry) return;
  view.dispatch({ effects: EditorView.scrollIntoView(found.from) });
  pinCard(view, { from: found.from, label: entry.name, card: () => ({ dom: card(entry) }) });
}

/** The same for the most recent editor of the page. */
export function describeOp() {
  const view = views.at(-1);
  if (view) void describe(view);
}

const looks = EditorView.theme({
  ".op-card, .cm-tooltip.op-card": {
    padding: "8px 12px",
    fontFamily: "var(--face)",
    fontSize: "var(--size)",
    lineHeight: "1.5",
    maxWidth: "min(52ch, 100vw - 24px)",
    whiteSpace: "normal",
  },
  ".op-card p": { margin: "0" },
  ".op-card p + p": { marginTop: "4px" },
  ".op-card .name": { fontFamily: "var(--mono)", fontWeight: "600", marginRight: "12px" },
  ".op-card .type": { color: "var(--muted)" },
  ".op-card .signature, .op-card code": { fontFamily: "var(--mono)", fontSize: "0.94em" },
  ".op-card .signature": { color: "var(--syntax-value)" },
  ".op-card .more": { display: "flex", flexWrap: "wrap", justifyContent: "space-between", gap: "2px 16px" },
  ".op-card a": { color: "var(--accent)" },
  ".op-card a:focus-visible, .op-card:focus-visible": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
});

export const opCards = () => [hover, pinnedCard, known, looks];

/** The names of ops in a program: in MLIR's short and generic form, and as opcodes in HLO text. */

/**
 * `touches`: the offset is on the name. `opcode`: `name` is an HLO opcode.
 *
 * @typedef {{name: string, from: number, to: number, touches: boolean, opcode: boolean}} Found
 */

/** Timeout for parsing up to a distant line. */
const PATIENCE_MS = 100;

// Not `#stablehlo.gather<…>` or `!stablehlo.token`, which are attributes and types.
const DIALECT_OP =
  /(?<![\w.@%#!$-])(?:stablehlo|chlo|func|check|interpreter|shape|tensor|arith|sdy)\.[a-z_][\w-]*(?:\.[\w-]+)*/g;
const BARE_OP = /(?<=^\s*|=\s*)(?:call|return)\b/g;
const BARE = /** @type {Record<string, string>} */ ({ call: "func.call", return: "func.return" });

/** The names of ops in a line, in order. @param {string} line @returns {{name: string, at: number, length: number}[]} */
export function opNamesIn(line) {
  const comment = line.indexOf("//");
  const text = comment < 0 ? line : line.slice(0, comment);
  const found = [...text.matchAll(DIALECT_OP), ...text.matchAll(BARE_OP)];
  return found
    .map((match) => ({ name: BARE[match[0]] ?? match[0], at: match.index, length: match[0].length }))
    .sort((a, b) => a.at - b.at);
}

/** The opcodes in a line of HLO text. @param {import("@codemirror/state").EditorState} state @param {{from: number, to: number}} line */
function opcodesIn(state, { from, to }) {
  /** @type {{name: string, at: number, length: number}[]} */
  const found = [];
  ensureSyntaxTree(state, to, PATIENCE_MS)?.iterate({
    from,
    to,
    enter: (node) => {
      if (node.name === "operatorKeyword")
        found.push({ name: state.sliceDoc(node.from, node.to), at: node.from - from, length: node.to - node.from });
    },
  });
  return found;
}

/** The op at `offset`, else the first one of its line. @param {import("@codemirror/state").EditorState} state @param {number} offset @returns {Found|null} */
export function opNear(state, offset) {
  const line = state.doc.lineAt(offset);
  const opcode = state.facet(programLanguage) === "hlo";
  const ops = opcode ? opcodesIn(state, line) : opNamesIn(line.text);
  const here = ops.find(({ at, length }) => line.from + at <= offset && offset <= line.from + at + length);
  const op = here ?? ops[0];
  return op
    ? { name: op.name, from: line.from + op.at, to: line.from + op.at + op.length, touches: op === here, opcode }
    : null;
}
