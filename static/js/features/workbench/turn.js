/** The text for a session in the queue for a worker. */
import { countText, ordinal } from "../../core/tensor/elements.js";

/** The position in the queue, the approximate waiting time, and what happens then. @param {import("../../core/types.js").Turn} turn */
export function turnTexts({ before, of, seconds }) {
  const time = seconds === null ? "" : `, about ${spokenTime(seconds)}`;
  if (before === 0) return { place: "Your run is next", time, rest: "; it continues automatically." };
  const place = `${ordinal(before + 1)} of ${countText(of)} runs waiting`;
  return { place, time, rest: "; your run continues automatically." };
}

/** @param {number} seconds */
const spokenTime = (seconds) => (seconds < 120 ? `${seconds} s` : `${countText(Math.round(seconds / 60))} min`);
