/** The gutter with the breakpoints, which move with their lines, and two marks: ➜ at the current op, which is about to run, ✓ at the previous one. */
import { RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, gutter } from "@codemirror/view";
import { SHAPES, SIGNS } from "../../ui/breakpoint_signs.js";
import { element } from "../../ui/code/element.js";
/** @import {Sign} from "../../ui/breakpoint_signs.js" */

/** @type {import("@codemirror/state").StateEffectType<number[]>} */
export const setBreakpoints = StateEffect.define();
/** The lines of the current and the previous op, and the signs of breakpoints. */
/** @type {import("@codemirror/state").StateEffectType<Marks>} */
export const setMarks = StateEffect.define();

class Breakpoint extends GutterMarker {}
const BREAKPOINT = new Breakpoint();

/** @type {StateField<RangeSet<GutterMarker>>} */
const breakpoints = StateField.define({
  create: () => RangeSet.empty,
  update(set, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setBreakpoints)) return placeBreakpoints(transaction.newDoc, effect.value);
    }
    return transaction.docChanged ? set.map(transaction.changes) : set;
  },
});

/** @param {import("@codemirror/state").Text} doc @param {number[]} lines */
function placeBreakpoints(doc, lines) {
  const inside = lines.filter((line) => line >= 1 && line <= doc.lines);
  return RangeSet.of(
    inside.map((line) => BREAKPOINT.range(doc.line(line).from)),
    true,
  );
}

/** @param {import("@codemirror/state").EditorState} state @returns {number[]} */
export function breakpointLines(state) {
  const lines = new Set();
  for (const at = state.field(breakpoints).iter(); at.value; at.next()) lines.add(state.doc.lineAt(at.from).number);
  return [...lines];
}

/** @typedef {{current: number|null, previous: number|null, signs: ReadonlyMap<number, Sign>}} Marks */
const marks = StateField.define({
  create: () => /** @type {Marks} */ ({ current: null, previous: null, signs: new Map() }),
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setMarks)) return effect.value;
    return value;
  },
  provide: (field) =>
    EditorView.decorations.compute([field, "doc"], (state) => {
      const { current } = state.field(field);
      if (current === null || current > state.doc.lines) return Decoration.none;
      return Decoration.set(Decoration.line({ class: "cm-current-op" }).range(state.doc.line(current).from));
    }),
});

/** Whether the editor shows these marks already. @param {import("@codemirror/state").EditorState} state @param {Marks} wanted @returns {boolean} */
export function isSameMarks(state, { current, previous, signs }) {
  const here = state.field(marks);
  const isSame = String([...here.signs]) === String([...signs]);
  return here.current === current && here.previous === previous && isSame;
}

class Mark extends GutterMarker {
  /** @param {Sign|"none"} dot @param {{current: boolean, previous: boolean}} here */
  constructor(dot, { current, previous }) {
    super();
    this.dot = dot;
    this.current = current;
    this.previous = previous;
  }

  /** @param {Mark} other */
  eq(other) {
    return other.dot === this.dot && other.current === this.current && other.previous === this.previous;
  }

  toDOM() {
    const dot = element("span", `dot ${this.dot}`);
    if (this.dot !== "none") {
      dot.title = SIGNS[this.dot];
      Object.assign(dot.style, SHAPES[this.dot]);
    }
    const holder = element("span", "mark", dot);
    if (this.current) holder.append(sign("arrow", "➜", "Current op: about to run"));
    else if (this.previous) holder.append(sign("previous", "✓", "Previous op: it ran last"));
    return holder;
  }
}

/** @param {string} className @param {string} text @param {string} title */
const sign = (className, text, title) => Object.assign(element("span", className, text), { title });

/** @param {(line: number) => void} toggle @param {(line: number, event: MouseEvent) => void} openMenu */
export const breakpointGutter = (toggle, openMenu) => [
  breakpoints,
  marks,
  gutter({
    class: "cm-marks",
    lineMarker: (view, block) => {
      const { number } = view.state.doc.lineAt(block.from);
      const { current, previous, signs } = view.state.field(marks);
      const sign = signs.get(number);
      const isSet = breakpointLines(view.state).includes(number);
      return new Mark(isSet ? (sign ?? "set") : sign === "value" ? sign : "none", {
        current: current === number,
        previous: previous === number,
      });
    },
    lineMarkerChange: (update) =>
      update.transactions.some(({ effects }) =>
        effects.some((effect) => effect.is(setBreakpoints) || effect.is(setMarks)),
      ),
    domEventHandlers: {
      contextmenu: (view, block, event) => {
        openMenu(view.state.doc.lineAt(block.from).number, /** @type {MouseEvent} */ (event));
        return true;
      },
      mousedown: (view, block, event) => {
        if (/** @type {MouseEvent} */ (event).button !== 0) return false;
        toggle(view.state.doc.lineAt(block.from).number);
        return true;
      },
    },
  }),
];
