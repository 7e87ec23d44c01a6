/** Names under the pointer: hover says what the value is, a click looks at it. */
import { syntaxTree } from "@codemirror/language";
import { EditorView, hoverTooltip } from "@codemirror/view";
import { locate, program, recordingKey } from "../store.js";
import { paint, summary, thumbnail } from "../run/thumbnails.js";
import { programLanguage } from "./languages.js";
import { offsetInRun } from "./mapping.js";

const NAME = /%[-\w.$]+(?:#\d+)?/g;

/** The name of a value around `offset`, and where it stands. @param {import("@codemirror/state").EditorState} state @param {number} offset */
function nameAt(state, offset) {
  if (state.facet(programLanguage) === "hlo") return hloNameAt(state, offset);
  const line = state.doc.lineAt(offset);
  for (const found of line.text.matchAll(NAME)) {
    const from = line.from + found.index;
    if (from <= offset && offset <= from + found[0].length) return { name: found[0], from, to: from + found[0].length };
  }
  return null;
}

/** HLO text may leave the percent sign out; opcodes and computations may have a value's name. @param {import("@codemirror/state").EditorState} state @param {number} offset */
function hloNameAt(state, offset) {
  const tree = syntaxTree(state);
  const node = [tree.resolveInner(offset, 1), tree.resolveInner(offset, -1)].find(({ name }) => name === "variableName");
  if (!node) return null;
  const { from, to } = node;
  return { name: `%${state.sliceDoc(from, to).replace(/^%/, "")}`, from, to };
}

/** @param {import("@codemirror/state").EditorState} state @param {number} offset */
function valueAt(state, offset) {
  const found = nameAt(state, offset);
  const inRun = found && offsetInRun(state, found.from);
  if (!found || inRun === null) return null;
  const value = program.value?.valueNamed(found.name, inRun) ?? null;
  return value === null ? null : { ...found, value };
}

const hover = hoverTooltip(async (view, offset) => {
  const found = valueAt(view.state, offset);
  if (!found) return null;
  const located = locate(found.value);
  const info = located && !program.value?.value(found.value).elements ? await arrived(located.address) : null;
  const create = () => {
    const dom = card(found, located, info ?? null);
    return { dom, mount: () => void (located && info === undefined && fill(dom, found, located)) };
  };
  return { pos: found.from, end: found.to, above: true, create };
}, { hoverTime: 250 });

/** What is still on its way when the card is shown is told as soon as it is here. @param {HTMLElement} dom @param {{name: string, value: number}} found @param {import("../types.js").SelectedValue} located */
async function fill(dom, found, located) {
  while (dom.isConnected) {
    const info = await arrived(located.address);
    if (info !== undefined) return dom.replaceChildren(...card(found, located, info).childNodes);
  }
}

/** Undefined: not here yet. @param {string} address @returns {Promise<import("../types.js").ThumbnailInfo|null|undefined>} */
async function arrived(address) {
  const key = recordingKey.value ?? "";
  for (let tries = 0; tries < 20; tries++) {
    const info = thumbnail(key, address);
    if (info !== undefined) return info;
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  return undefined;
}

/** @param {{name: string, value: number}} found @param {import("../types.js").SelectedValue|null} located @param {import("../types.js").ThumbnailInfo|null} info */
function card({ name, value }, located, info) {
  const elements = program.value?.value(value).elements;
  const dom = document.createElement("div");
  dom.className = "value";
  dom.append(span("name", name), " ", span("type", program.value?.value(value).type ?? ""));
  dom.append(document.createElement("br"));
  dom.append(located ? (elements ? `a tuple of ${elements.length}` : info ? summary(info).range : "…") : "has no value here yet");
  if (located?.when === "earlier") dom.append(span("type", " (last run of this region)"));
  if (info && info.width * info.height > 1) dom.append(painted(info));
  return dom;
}

/** @param {import("../types.js").ThumbnailInfo} info */
function painted(info) {
  const canvas = document.createElement("canvas");
  paint(canvas, info);
  return canvas;
}

/** @param {string} className @param {string} text */
function span(className, text) {
  const made = document.createElement("span");
  made.className = className;
  made.textContent = text;
  return made;
}

/** @param {(value: number) => void} choose */
export function names(choose) {
  return [hover, EditorView.domEventHandlers({
    click: (event, view) => {
      const offset = view.posAtCoords({ x: event.clientX, y: event.clientY });
      if (offset === null || !view.state.selection.main.empty) return;
      const found = valueAt(view.state, offset);
      if (found) choose(found.value);
    },
  })];
}
