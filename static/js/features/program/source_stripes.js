/** A stripe beside the lines of the program that come from one source line; colours alternate. */
import { RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin } from "@codemirror/view";
import { toRun } from "./positions_in_text.js";

/** Groups of lines of the run, or none. @type {import("@codemirror/state").StateEffectType<ReadonlyMap<number, number>|null>} */
export const setSourceGroups = StateEffect.define();

const COLOURS = ["elementwise", "contraction", "reduction", "control", "collective", "movement"];
const STRIPES = COLOURS.map((_, at) => Decoration.line({ class: `cm-source-line cm-source-${at}` }));

const groups = StateField.define({
  create: () => /** @type {ReadonlyMap<number, number>|null} */ (null),
  update(value, { effects }) {
    for (const effect of effects) if (effect.is(setSourceGroups)) return effect.value;
    return value;
  },
});

/** Whether lines have stripes. @param {import("@codemirror/state").EditorState} state @returns {boolean} */
export const hasSourceGroups = (state) => (state.field(groups, false) ?? null) !== null;

/** @param {EditorView} view */
function decorate({ state, viewport }) {
  /** @type {RangeSetBuilder<Decoration>} */
  const builder = new RangeSetBuilder();
  const found = state.field(groups);
  if (found === null) return builder.finish();
  for (let at = viewport.from; at <= viewport.to;) {
    const line = state.doc.lineAt(at);
    const group = found.get(toRun(state, line.number) ?? -1);
    const stripe = group === undefined ? undefined : STRIPES[group % STRIPES.length];
    if (stripe) builder.add(line.from, line.from, stripe);
    at = line.to + 1;
  }
  return builder.finish();
}

const stripes = ViewPlugin.define(
  (view) => ({
    decorations: decorate(view),
    /** @param {import("@codemirror/view").ViewUpdate} update */
    update(update) {
      const others = update.startState.field(groups) !== update.state.field(groups);
      if (others || update.docChanged || update.viewportChanged) this.decorations = decorate(update.view);
    },
  }),
  { decorations: (plugin) => plugin.decorations },
);

const looks = EditorView.theme(
  Object.fromEntries(
    COLOURS.map((name, at) => [
      `.cm-line.cm-source-${at}`,
      {
        boxShadow: `inset 3px 0 var(--family-${name})`,
        backgroundColor: `color-mix(in srgb, var(--family-${name}) 9%, transparent)`,
      },
    ]),
  ),
);

export const sourceStripes = [groups, stripes, looks];
