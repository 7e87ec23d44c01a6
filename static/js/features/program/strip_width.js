/** The width of the film strip, chosen or dragged, which determines its content. */
import { computed } from "@preact/signals";
import { paneSize } from "../../ui/splitter.js";

/** @typedef {"narrow"|"normal"|"wide"} StripMode */

/** The content of each mode, and its initial width. @type {Record<StripMode, {title: string, shows: string, width: number}>} */
export const STRIP_MODES = {
  narrow: { title: "Narrow", shows: "picture", width: 64 },
  normal: { title: "Normal", shows: "picture, range", width: 182 },
  wide: { title: "Wide", shows: "picture, type, range, mean", width: 360 },
};
/** Minimum widths for more content. */
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

/** Switch to the next mode. */
export function nextStripMode() {
  const modes = /** @type {StripMode[]} */ (Object.keys(STRIP_MODES));
  chooseStripMode(modes[(modes.indexOf(stripMode.value) + 1) % modes.length] ?? "normal");
}
