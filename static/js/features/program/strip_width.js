/** How wide the film strip is: what it shows follows from its width, by a choice or by dragging its border. */
import { computed } from "@preact/signals";
import { paneSize } from "../../ui/splitter.js";

/** @typedef {"narrow"|"normal"|"wide"} StripMode */

/** What a strip of a mode shows, and how wide it is at first. @type {Record<StripMode, {title: string, shows: string, width: number}>} */
export const STRIP_MODES = {
  narrow: { title: "Narrow", shows: "picture", width: 64 },
  normal: { title: "Normal", shows: "picture, range", width: 182 },
  wide: { title: "Wide", shows: "picture, type, range, mean", width: 360 },
};
/** From these widths on there is room for more. */
const NORMAL_FROM = 112;
const WIDE_FROM = 264;

export const stripPane = paneSize("strip", STRIP_MODES.normal.width, 40, () => window.innerWidth * 0.4);

export const stripMode = computed(() => {
  const width = stripPane.size.value;
  return /** @type {StripMode} */ (width < NORMAL_FROM ? "narrow" : width < WIDE_FROM ? "normal" : "wide");
});

/** @param {StripMode} mode */
export function chooseStripMode(mode) {
  stripPane.set(STRIP_MODES[mode].width);
}

/** The next one, round and round. */
export function nextStripMode() {
  const modes = /** @type {StripMode[]} */ (Object.keys(STRIP_MODES));
  chooseStripMode(modes[(modes.indexOf(stripMode.value) + 1) % modes.length] ?? "normal");
}
