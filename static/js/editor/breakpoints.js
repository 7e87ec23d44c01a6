/** The gutter with the breakpoints, which move with their lines, and the arrow at the current op. */
import { RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, gutter } from "@codemirror/view";

/** @type {import("@codemirror/state").StateEffectType<number[]>} */
export const setBreakpoints = StateEffect.define();
/** Lines with a breakpoint at which nothing can stop, and the line of the current op. */
/** @type {import("@codemirror/state").StateEffectType<{current: number|null, loose: number[]}>} */
export const setMarks = StateEffect.define();

class Breakpoint extends GutterMarker {}
const BREAKPOINT = new Breakpoint();

/** @type {StateField<RangeSet<GutterMarker>>} */
const breakpoints = StateField.define({
  create: () => RangeSet.empty,
  update(set, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setBreakpoints)) return placed(transaction.newDoc, effect.value);
    }
    return transaction.docChanged ? set.map(transaction.changes) : set;
  },
});

/** @param {import("@codemirror/state").Text} doc @param {number[]} lines */
function placed(doc, lines) {
  const inside = lines.filter((line) => line >= 1 && line <= doc.lines);
  return RangeSet.of(inside.map((line) => BREAKPOINT.range(doc.line(line).from)), true);
}

/** @param {import("@codemirror/state").EditorState} state @returns {number[]} */
export function breakpointLines(state) {
  const lines = new Set();
  for (const at = state.field(breakpoints).iter(); at.value; at.next()) lines.add(state.doc.lineAt(at.from).number);
  return [...lines];
}

/** @typedef {{current: number|null, loose: number[]}} Marks */
/** @type {StateField<Marks>} */
const marks = StateField.define({
  create: () => /** @type {Marks} */ ({ current: null, loose: [] }),
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setMarks)) return effect.value;
    return value;
  },
  provide: (field) => EditorView.decorations.compute([field, "doc"], (state) => {
    const { current } = state.field(field);
    if (current === null || current > state.doc.lines) return Decoration.none;
    return Decoration.set(Decoration.line({ class: "cm-current-op" }).range(state.doc.line(current).from));
  }),
});

class Mark extends GutterMarker {
  /** @param {"set"|"loose"|"none"} dot @param {boolean} current */
  constructor(dot, current) {
    super();
    this.dot = dot;
    this.current = current;
  }

  /** @param {Mark} other */
  eq(other) {
    return other.dot === this.dot && other.current === this.current;
  }

  toDOM() {
    const holder = document.createElement("span");
    holder.className = "mark";
    const dot = document.createElement("span");
    dot.className = `dot ${this.dot}`;
    holder.append(dot);
    if (this.current) {
      const arrow = document.createElement("span");
      arrow.className = "arrow";
      arrow.textContent = "➜";
      holder.append(arrow);
    }
    return holder;
  }
}

/** @param {(line: number) => void} toggle */
export function breakpointGutter(toggle) {
  return [breakpoints, marks, gutter({
    class: "cm-marks",
    lineMarker: (view, block) => {
      const { number } = view.state.doc.lineAt(block.from);
      const { current, loose } = view.state.field(marks);
      const set = breakpointLines(view.state).includes(number);
      return new Mark(set ? (loose.includes(number) ? "loose" : "set") : "none", current === number);
    },
    lineMarkerChange: (update) => update.transactions.some(({ effects }) =>
      effects.some((effect) => effect.is(setBreakpoints) || effect.is(setMarks))),
    domEventHandlers: {
      mousedown: (view, block) => {
        toggle(view.state.doc.lineAt(block.from).number);
        return true;
      },
    },
  })];
}
