/** The film strip: at the right edge of each line that has run, its result: picture, type, range. */
import { StateEffect, StateField } from "@codemirror/state";
import { GutterMarker, gutter } from "@codemirror/view";
import { paint, summary, withoutMean } from "../run/thumbnails.js";

/**
 * `parts`: of a tuple, the first tensors in it.
 *
 * @typedef {import("../types.js").ThumbnailInfo} Info
 * @typedef {{value: number, name: string, type: string, address: string, info: Info|null|undefined,
 *   parts: (Info|null|undefined)[]|null, when: "now"|"earlier", more: number, chosen: boolean}} StripItem
 */

/** What stands at each line of the editor. @type {import("@codemirror/state").StateEffectType<Map<number, StripItem>>} */
export const setStrip = StateEffect.define();

/** @type {StateField<Map<number, StripItem>>} */
const items = StateField.define({
  create: () => new Map(),
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setStrip)) return effect.value;
    return value;
  },
});

/** Whether the strip shows these items already. @param {import("@codemirror/state").EditorState} state @param {Map<number, StripItem>} wanted @returns {boolean} */
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
  return one.value === other.value && one.address === other.address && one.info === other.info && sameParts && one.when === other.when && one.chosen === other.chosen;
}

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
    const { info, parts, when, more, chosen, name } = this.item;
    const holder = element("span", `strip ${when}${chosen ? " chosen" : ""}`, "");
    if (parts) return withParts(holder, this.item);
    if (!info) return holder;
    const canvas = document.createElement("canvas");
    paint(canvas, info);
    const { type, range } = summary(info);
    holder.title = `${name}: ${info.text}${when === "earlier" ? " (in the last run of this region)" : ""}`;
    holder.append(canvas, element("span", "type", more ? `${type} +${more}` : type));
    if (info.nonfinite && !/nan|inf/i.test(range)) holder.append(element("span", "alarm", "NaN/Inf"));
    holder.append(element("span", info.nonfinite ? "alarm" : "range", withoutMean(range)));
    return holder;
  }
}

/** A tuple: small pictures of the first tensors in it, its type, and the numbers that are scalars. @param {HTMLElement} holder @param {StripItem} item */
function withParts(holder, { name, type, parts, when }) {
  const here = (parts ?? []).filter((part) => part !== null && part !== undefined);
  const pictures = element("span", "parts", "");
  for (const part of here) {
    const canvas = document.createElement("canvas");
    paint(canvas, part);
    pictures.append(canvas);
  }
  const scalars = here.filter(({ width, height }) => width * height === 1).map((part) => summary(part).range);
  holder.title = `${name}: ${type}${when === "earlier" ? " (in the last run of this region)" : ""}`;
  holder.append(pictures, element("span", "type", type), element("span", "range", scalars.join(", ")));
  return holder;
}

/** @param {string} tag @param {string} className @param {string} text */
function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

/** @param {(value: number) => void} choose */
export function filmStrip(choose) {
  return [items, gutter({
    class: "cm-strip",
    side: "after",
    lineMarker: (view, block) => {
      const item = view.state.field(items).get(view.state.doc.lineAt(block.from).number);
      return item ? new Frame(item) : null;
    },
    lineMarkerChange: (update) => update.transactions.some(({ effects }) => effects.some((effect) => effect.is(setStrip))),
    domEventHandlers: {
      click: (view, block) => {
        const item = view.state.field(items).get(view.state.doc.lineAt(block.from).number);
        if (item) choose(item.value);
        return item !== undefined;
      },
    },
  })];
}
