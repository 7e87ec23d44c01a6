/** Lines whose ops are not recorded because the run starts behind them: they are grey and say why. */
import { RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";
import { toRun } from "./positions_in_text.js";

/** The first line of the run, the one behind the last, and the text; or none. @typedef {{from: number, to: number, words: string}|null} LeftOut */

/** @type {import("@codemirror/state").StateEffectType<LeftOut>} */
export const setLeftOut = StateEffect.define();

/** Maximum number of marked lines: those nearest to the start of the run. */
const MOST_LINES = 5_000;

const leftOutLines = StateField.define({
  create: () => ({ found: /** @type {LeftOut} */ (null), marks: Decoration.none }),
  update(value, { effects, docChanged, state }) {
    const effect = effects.find((each) => each.is(setLeftOut));
    if (!effect && !docChanged) return value;
    const found = effect ? effect.value : value.found;
    return { found, marks: marksOf(state, found) };
  },
  provide: (field) => EditorView.decorations.from(field, ({ marks }) => marks),
});

/** @param {import("@codemirror/state").EditorState} state */
export const hasLeftOut = (state) => state.field(leftOutLines, false)?.found !== null;

/** @param {import("@codemirror/state").EditorState} state @param {LeftOut} found */
function marksOf(state, found) {
  /** @type {RangeSetBuilder<Decoration>} */
  const builder = new RangeSetBuilder();
  if (found === null) return builder.finish();
  const mark = Decoration.line({ class: "cm-left-out", attributes: { title: found.words } });
  for (let number = Math.max(1, found.from - MOST_LINES); number <= state.doc.lines; number++) {
    const line = toRun(state, number);
    if (line !== null && line >= found.to) break;
    if (line !== null && line >= Math.max(found.from, found.to - MOST_LINES)) {
      const { from } = state.doc.line(number);
      builder.add(from, from, mark);
    }
  }
  return builder.finish();
}

const looks = EditorView.theme({
  ".cm-line.cm-left-out, .cm-line.cm-left-out *": { color: "var(--muted) !important", fontStyle: "italic" },
});

export const leftOut = [leftOutLines, looks];
