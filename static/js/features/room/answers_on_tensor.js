/** The elements that a class has clicked, as marks on the picture of the value. */
import { heldAxes } from "../../core/tensor/axes.js";
import { placeInPicture } from "../tensor/cursor_target.js";
import * as state from "./state.js";
/**
 * @import {Layout} from "../../core/tensor/axes.js"
 * @import {Mark} from "../tensor/marks.js"
 */

/** The answers of the open poll, if it is about the value at `address`. @param {string} address @param {Layout} layout @returns {Mark[]|null} */
export function answerMarks(address, layout) {
  const poll = state.poll.value;
  const { results } = state.view.value;
  return poll?.kind === "cell" && poll.target?.address === address && results ? marksOf(results, layout) : null;
}

/** Only the marks in the shown slice. @param {import("../../core/types.js").PollResultsMessage} results @param {Layout} layout @returns {Mark[]} */
function marksOf({ heat = [], truth }, layout) {
  const right = new Set((truth?.cells ?? []).map(String));
  const most = Math.max(1, ...heat.map(({ count }) => count));
  const counts = new Map(heat.map(({ element, count }) => [String(element), count]));
  const clicked = heat.map(({ element }) => element);
  const unclicked = (truth?.cells ?? []).filter((cell) => !counts.has(String(cell)));
  return [...clicked, ...unclicked]
    .filter((element) => heldAxes(layout.slice).every((axis) => element[axis] === layout.slice.at[axis]))
    .map((element) => {
      const count = counts.get(String(element)) ?? 0;
      return { ...placeInPicture(element, layout), count, share: count / most, right: right.has(String(element)) };
    });
}
