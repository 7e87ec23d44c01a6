/** The film strip: the result of each executed line, beside it or below it in a narrow page: picture, type, range, mean. */
import { Facet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, gutter, WidgetType } from "@codemirror/view";
import { element } from "../../ui/code/element.js";
import { greyed, picture, summary, shortRange } from "../../ui/thumbnails.js";
/** @import {ThumbnailInfo as Info} from "../../core/types.js" */

/**
 * `parts`: the first tensors in a tuple
 *
 * @typedef {{value: number, name: string, type: string, address: string, info: Info|null|undefined,
 *   parts: (Info|null|undefined)[]|null, when: "now"|"earlier", ahead: boolean, more: number, chosen: boolean,
 *   wrong: ReturnType<typeof import("../../core/run/badness.js").badnessOf>}} StripItem
 */

/** The result of each line of the editor. @type {import("@codemirror/state").StateEffectType<Map<number, StripItem>>} */
export const setStrip = StateEffect.define();

/** @type {StateField<Map<number, StripItem>>} */
const items = StateField.define({
  create: () => new Map(),
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setStrip)) return effect.value;
    return value;
  },
});

/** Whether the strip already shows these items. @param {import("@codemirror/state").EditorState} state @param {Map<number, StripItem>} wanted @returns {boolean} */
export function isSameStrip(state, wanted) {
  const here = state.field(items);
  if (here.size !== wanted.size) return false;
  for (const [line, item] of wanted) {
    const before = here.get(line);
    if (!before || !isSame(before, item)) return false;
  }
  return true;
}

/** @param {StripItem} one @param {StripItem} other @returns {boolean} */
function isSame(one, other) {
  const sameParts = String(one.parts?.map((part) => part?.text)) === String(other.parts?.map((part) => part?.text));
  return (
    one.value === other.value &&
    one.address === other.address &&
    one.info === other.info &&
    sameParts &&
    one.when === other.when &&
    one.ahead === other.ahead &&
    one.wrong?.badness === other.wrong?.badness &&
    one.wrong?.words === other.wrong?.words &&
    one.chosen === other.chosen
  );
}

/** Whether results are below their lines instead of beside them. @type {import("@codemirror/state").StateEffectType<boolean>} */
export const setStripUnder = StateEffect.define();

const isUnder = StateField.define({
  create: () => false,
  update: (value, { effects }) => effects.find((effect) => effect.is(setStripUnder))?.value ?? value,
  provide: (field) => [
    EditorView.editorAttributes.from(field, (under) => ({ class: under ? "strip-under" : "" })),
    EditorView.decorations.compute([field, items], (state) =>
      state.field(field) ? framesUnder(state) : Decoration.none,
    ),
  ],
});

/** @param {import("@codemirror/state").EditorState} state */
function framesUnder(state) {
  const lines = [...state.field(items)]
    .filter(([line]) => line <= state.doc.lines)
    .sort(([one], [other]) => one - other);
  return Decoration.set(
    lines.map(([line, item]) =>
      Decoration.widget({ widget: new FrameUnder(item), block: true, side: 1 }).range(state.doc.line(line).to),
    ),
  );
}

class FrameUnder extends WidgetType {
  /** @param {StripItem} item */
  constructor(item) {
    super();
    this.item = item;
  }

  /** @param {FrameUnder} other */
  eq({ item }) {
    return isSame(this.item, item);
  }

  /** @param {EditorView} view */
  toDOM(view) {
    const made = new Frame(this.item).toDOM();
    made.addEventListener("click", () => view.state.facet(chooser)(this.item.value));
    return made;
  }

  get estimatedHeight() {
    return UNDER_HEIGHT;
  }
}

/** Height of a result below its line, in pixels. */
const UNDER_HEIGHT = 22;

/** Called when a value is clicked. @type {Facet<(value: number) => void, (value: number) => void>} */
const chooser = Facet.define({ combine: ([choose]) => choose ?? (() => {}) });

class Frame extends GutterMarker {
  /** @param {StripItem} item */
  constructor(item) {
    super();
    this.item = item;
  }

  /** @param {Frame} other */
  eq({ item }) {
    return isSame(this.item, item);
  }

  toDOM() {
    const { info, parts, when, ahead, more, chosen, name, wrong } = this.item;
    const bad = wrong ? ` ${wrong.badness}` : "";
    const holder = element("span", `strip ${when}${ahead ? " ahead" : ""}${chosen ? " chosen" : ""}${bad}`);
    if (parts) return withParts(holder, this.item);
    if (!info) return holder;
    const { type, range } = summary(info);
    const words = wrong?.words ? `; ${wrong.words}` : "";
    holder.title = `${name}: ${info.text}${words}${when === "earlier" ? " (in the last run of this region)" : ""}${ahead ? " (ahead: this op is about to run)" : ""}`;
    holder.append(
      picture(wrong?.badness === "neutral" ? greyed(info) : info),
      element("span", "type", more ? `${type} +${more}` : type),
    );
    if (wrong?.words && wrong.badness !== "neutral") holder.append(element("span", "cross", "✖"));
    if (info.nonfinite && !/nan|inf/i.test(range)) holder.append(element("span", "range", "NaN/Inf"));
    const [first = "", rest] = partsOf(shortRange(range));
    holder.append(element("span", "range", first));
    if (rest) holder.append(element("span", "range rest", rest));
    holder.append(element("span", "mean", / mean \S+/.exec(range)?.[0].trim() ?? ""));
    return holder;
  }
}

/** NaN and infinities first, then the range of the other elements. @param {string} range @returns {string[]} */
const partsOf = (range) => /^([^…]*(?:NaN|Inf)[^…]*), (.*….*)$/.exec(range)?.slice(1) ?? [range];

/** A tuple: thumbnails of its first tensors, its type, and its scalars. @param {HTMLElement} holder @param {StripItem} item */
function withParts(holder, { name, type, parts, when }) {
  const here = (parts ?? []).filter((part) => part !== null && part !== undefined);
  const scalars = here.filter(({ width, height }) => width * height === 1).map((part) => summary(part).range);
  holder.title = `${name}: ${type}${when === "earlier" ? " (in the last run of this region)" : ""}`;
  holder.append(
    element("span", "parts", ...here.map(picture)),
    element("span", "type", type),
    element("span", "range", scalars.join(", ")),
  );
  return holder;
}

/** @param {(value: number) => void} choose */
export const filmStrip = (choose) => [
  items,
  isUnder,
  chooser.of(choose),
  gutter({
    class: "cm-strip",
    side: "after",
    lineMarker: (view, block) => {
      if (view.state.field(isUnder)) return null;
      const item = view.state.field(items).get(view.state.doc.lineAt(block.from).number);
      return item ? new Frame(item) : null;
    },
    lineMarkerChange: (update) =>
      update.transactions.some(({ effects }) =>
        effects.some((effect) => effect.is(setStrip) || effect.is(setStripUnder)),
      ),
    domEventHandlers: {
      click: (view, block) => {
        const item = view.state.field(items).get(view.state.doc.lineAt(block.from).number);
        if (item) choose(item.value);
        return item !== undefined;
      },
    },
  }),
];
