/** The film strip: at the right edge of each line that has run, its result: picture, type, range. */
import { StateEffect, StateField } from "@codemirror/state";
import { GutterMarker, gutter } from "@codemirror/view";
import { paint, summary, withoutMean } from "../run/thumbnails.js";

/**
 * @typedef {{value: number, name: string, address: string, info: import("../types.js").ThumbnailInfo|null|undefined,
 *   when: "now"|"earlier", more: number, chosen: boolean}} StripItem
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

class Frame extends GutterMarker {
  /** @param {StripItem} item */
  constructor(item) {
    super();
    this.item = item;
  }

  /** @param {Frame} other */
  eq({ item }) {
    const { address, info, when, chosen } = this.item;
    return item.address === address && item.info === info && item.when === when && item.chosen === chosen;
  }

  toDOM() {
    const { info, when, more, chosen, name } = this.item;
    const holder = element("span", `strip ${when}${chosen ? " chosen" : ""}`, "");
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
