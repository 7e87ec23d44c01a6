/** Open a result: the step that produced it if it ran, else its line; then its element. */
import { goTo, goToIn } from "../../core/actions.js";
import { parseAddress } from "../../core/addresses.js";
import { reportError } from "../../core/messages.js";
import { nearestRun } from "../../core/run/occurrences.js";
import { whenHere } from "../../core/run/recording.js";
import * as store from "../../core/store.js";
import { chooseValue, noteAtStop } from "../../core/view_actions.js";
import { revealInRun, revealLine } from "../../core/cursor.js";
import { openElementOf } from "../tensor/cursor_target.js";
/** @import {Result} from "./results.js" */

/** @param {Result} result @param {{onlyLine?: boolean}} [options] show its line and stay at this step */
export function goToResult(result, { onlyLine = false } = {}) {
  if (result.command) return result.command.run();
  if (result.range) return revealInRun(result.range);
  if (onlyLine && result.line !== null) return revealLine(store.draftLine(result.line));
  if (result.hit) return goToHit(result.hit);
  if (result.step !== undefined) return goTo(result.step);
  if (result.ops) return void goToOps(result).catch(reportError);
  if (result.line !== null) revealLine(result.line);
}

/** @param {Result} result */
async function goToOps({ ops, value, kind, line, label }) {
  const wanted = new Set(ops);
  const step =
    wanted.size === 0 ? null : await whenHere(() => nearestRun(store.outline.value, store.position.value, wanted));
  if (step !== null) goTo(step);
  if (line !== null && step === null) revealLine(store.draftLine(line), { focus: false });
  if (kind === "value" && value !== undefined) chooseValue(value);
  if (step === null && wanted.size > 0) noteAtStop(`${label} has not run in the steps recorded so far.`);
}

/** @param {import("../../core/search/value_search.js").Hit} hit */
export function goToHit(hit) {
  const { path } = parseAddress(hit.address);
  goToIn(hit.process, hit.step ?? 0);
  openElementOf({ value: hit.value, path }, hit.process, hit.index);
}
