/** The gutter with the breakpoints, which move with their lines, and two marks: ➜ at the next op, ✓ at the one that just ran. */
import { RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, gutter } from "@codemirror/view";

/** @type {import("@codemirror/state").StateEffectType<number[]>} */
export const setBreakpoints = StateEffect.define();
/** Lines with a breakpoint at which nothing can stop, the line of the next op, and that of the op that just ran. */
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

/** @typedef {{current: number|null, ran: number|null, loose: number[]}} Marks */
/** @type {StateField<Marks>} */
const marks = StateField.define({
  create: () => /** @type {Marks} */ ({ current: null, ran: null, loose: [] }),
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
export function isSameMarks(state, { current, ran, loose }) {
  const here = state.field(marks);
  return here.current === current && here.ran === ran && String(here.loose) === String(loose);
}

class Mark extends GutterMarker {
  /** @param {"set"|"loose"|"none"} dot @param {{current: boolean, ran: boolean}} here */
  constructor(dot, { current, ran }) {
    super();
    this.dot = dot;
    this.current = current;
    this.ran = ran;
  }

  /** @param {Mark} other */
  eq(other) {
    return other.dot === this.dot && other.current === this.current && other.ran === this.ran;
  }

  toDOM() {
    const holder = document.createElement("span");
    holder.className = "mark";
    const dot = document.createElement("span");
    dot.className = `dot ${this.dot}`;
    holder.append(dot);
    if (this.current) holder.append(sign("arrow", "➜", "The next op"));
    else if (this.ran) holder.append(sign("ran", "✓", "Just ran"));
    return holder;
  }
}

/** @param {string} className @param {string} text @param {string} title @returns {HTMLElement} */
function sign(className, text, title) {
  const made = document.createElement("span");
  Object.assign(made, { className, textContent: text, title });
  return made;
}

/** @param {(line: number) => void} toggle @param {(line: number, event: MouseEvent) => void} openMenu */
export function breakpointGutter(toggle, openMenu) {
  return [
    breakpoints,
    marks,
    gutter({
      class: "cm-marks",
      lineMarker: (view, block) => {
        const { number } = view.state.doc.lineAt(block.from);
        const { current, ran, loose } = view.state.field(marks);
        const set = breakpointLines(view.state).includes(number);
        return new Mark(set ? (loose.includes(number) ? "loose" : "set") : "none", {
          current: current === number,
          ran: ran === number,
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
}
