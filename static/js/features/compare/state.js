/**
 * The state of the comparison of two runs: the runs, the rows loaded so far, and the selection.
 *
 * @typedef {Row["verdict"]} Verdict
 * @typedef {{number: number, key: string, title: string}} RunKey `number`: 0 of values that are from no run
 * @typedef {{before: RunKey, after: RunKey, shown: import("./model.js").Side}} Pair `shown`: which of both is the shown run
 * @typedef {{told: RunsCompared, rows: Row[]}} Compared `rows`: all that there are so far
 */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { arriveInRun, goToIn, runProgram, showProcess } from "../../core/actions.js";
import { parseAddress } from "../../core/addresses.js";
import {
  ApiError,
  getBytes,
  getJson,
  readWindow,
  recordingPath,
  sessionPath,
  valuePath,
  valueWindow,
} from "../../core/api.js";
import { reportError, say } from "../../core/messages.js";
import { VALUES } from "../../core/position_url.js";
import { inOrder, otherRun } from "../../core/run/other_run.js";
import { showRun } from "../../core/session.js";
import * as store from "../../core/store.js";
import { chooseValue, compareWith, editDraft, followElements } from "../../core/view_actions.js";
import { useJsonAt, useParts } from "../../ui/resource.js";
import { goToMark } from "../findings/go.js";
import { oneElement } from "../../core/tensor/element_sets.js";
import { queryOf, toleranceOf } from "./model.js";
/** @import {RunsCompared, ComparedRow as Row} from "../../core/types.js" */

/** Maximum number of rows loaded. */
const MOST_ROWS = 20_000;
/** Number of rows per request. */
const PAGE = 2_000;

/** The tolerance: computed for each value, or a typed error. */
export const tolerance = signal({ isGiven: false, absolute: "1e-6", relative: "1e-5" });
export const words = signal("");
export const verdicts = signal(/** @type {ReadonlySet<Verdict>} */ (new Set()));
/** The first rows of open folds. */
export const opened = signal(/** @type {ReadonlySet<number>} */ (new Set()));
/** The chosen row; null: the first wrong one. */
export const chosen = signal(/** @type {number|null} */ (null));
/** The number of wrong rows of the last comparison, for the badge. */
const wrongRows = signal({ of: "", count: 0 });

/** What the page compares now. */
const comparedHere = () => [store.run.value?.key, otherRun.value, store.comparedValues.value].join(" ");

/** The number of wrong rows; 0 where these runs have not been compared. @returns {number} */
export const wrongHere = () => (wrongRows.value.of === comparedHere() ? wrongRows.value.count : 0);

/** The two runs, in order; null while the other one is loading. @returns {{pair: Pair|null, error: Error|null}} */
export function usePair() {
  const shown = store.run.value;
  const other = otherRun.value;
  const values = store.comparedValues.value;
  const path =
    other === null || values !== null ? null : `${sessionPath(store.sessionId.value)}/runs/${other}?apart=true`;
  const { value, error } = useJsonAt(path);
  if (shown && values !== null) {
    const before = keyOf(shown);
    return {
      pair: { before, after: { number: 0, key: VALUES + values, title: "the other values" }, shown: "before" },
      error: null,
    };
  }
  if (!shown || other === null || !value) return { pair: null, error };
  const [ours, theirs] = [shown, value].map(keyOf);
  const first = inOrder(shown.number, other).before === shown.number;
  const pair = /** @type {Pair} */ (
    first ? { before: ours, after: theirs, shown: "before" } : { before: theirs, after: ours, shown: "after" }
  );
  return { pair, error: null };
}

/** @param {{number: number, key: string}} run @returns {RunKey} */
const keyOf = ({ number, key }) => ({ number, key, title: `run ${number}` });

/** Whether the other values come from a file instead of a run. @param {Pair} pair */
export const isOfFile = ({ after }) => after.key.startsWith(VALUES);

/** The path of a value of one side. @param {Pair} pair @param {import("./model.js").Side} side @param {string} address */
export const sidePath = (pair, side, address) =>
  side === "after" && isOfFile(pair) ? pathOf(pair, "/value", { address }) : valuePath(pair[side].key, address);

/**
 * A window of a value of one side.
 *
 * @param {Pair} pair @param {import("./model.js").Side} side @param {string} address
 * @param {import("../../core/tensor/axes.js").Slice & import("../../core/tensor/window_source.js").Request} view @param {AbortSignal} stop
 */
export async function sideWindow(pair, side, address, view, stop) {
  if (side === "before" || !isOfFile(pair)) return valueWindow(pair[side].key, address, view, stop);
  const { rows, columns, at, from, size, level } = view;
  const cut = { rows, columns, at: at.join(), from: from.join(), size: size.join(), level };
  return readWindow(await getBytes(pathOf(pair, "/value/window", { address, ...cut }), stop));
}

/** @param {Pair} pair @param {string} [part] @param {Record<string, string|number|null>} [more] @returns {string} */
const pathOf = ({ before, after }, part = "", more = {}) =>
  `${recordingPath(before.key)}/comparison${part}?${queryOf(after.key, more)}`;

/** The tolerance as query parameters. @returns {Record<string, number|null>} */
function toleranceQuery() {
  const { isGiven, absolute, relative } = tolerance.value;
  return isGiven ? { absolute: toleranceOf(absolute) ?? 0, relative: toleranceOf(relative) ?? 0 } : {};
}

/**
 * The comparison so far; it is polled until it is complete, and again when more is recorded.
 *
 * @param {Pair|null} pair @returns {{compared: Compared|null, error: Error|null}}
 */
export function useComparison(pair) {
  const query = toleranceQuery();
  const { kind } = store.recordingState.value;
  const name = pair && `${pathOf(pair, "", query)} ${kind}`;
  const { answered, value, error } = useParts(name, (stop, /** @type {(compared: Compared) => void} */ show) =>
    follow(/** @type {Pair} */ (pair), query, stop, show),
  );
  const isHere = pair !== null && answered === name;
  const compared = (isHere && value) || null;
  useEffect(() => {
    wrongRows.value = { of: comparedHere(), count: compared ? wrongIn(compared.told) : 0 };
  }, [compared]);
  return { compared, error: isHere ? error : null };
}

/** @param {RunsCompared} told @returns {number} */
const wrongIn = ({ counts: { wrong = 0, nan = 0, shape = 0 } }) => wrong + nan + shape;

/** @param {Pair} pair @param {Record<string, number|null>} query @param {AbortSignal} stop @param {(compared: Compared) => void} show */
async function follow(pair, query, stop, show) {
  /** @type {RunsCompared} */
  let told;
  do {
    told = await whenFree(pathOf(pair, "", { ...query, limit: PAGE }), stop);
    show({ told, rows: told.rows });
  } while (!told.done && !stop.aborted);
  const rows = [...told.rows];
  while (rows.length < Math.min(told.total, MOST_ROWS) && !stop.aborted) {
    /** @type {RunsCompared} */
    const page = await getJson(pathOf(pair, "", { ...query, from: rows.length, limit: PAGE }), stop);
    if (page.rows.length === 0) break;
    rows.push(...page.rows);
    show({ told, rows: [...rows] });
  }
}

/** Ask until the worker has time: a program may run several times before the next pair can be judged. @param {string} path @param {AbortSignal} stop @returns {Promise<any>} */
async function whenFree(path, stop) {
  for (;;) {
    try {
      return await getJson(path, stop);
    } catch (error) {
      if (!(error instanceof ApiError && error.limit === "request_time_limit_ms")) throw error;
    }
  }
}

/** The position in the other run that matches the current one. @param {Pair|null} pair @returns {import("../../core/types.js").MatchedStep|null} */
export function useMatchedStep(pair) {
  const at = { step: store.calmPosition.value, process: store.process.value, side: pair?.shown ?? "before" };
  const path = pair && pathOf(pair, "/step", at);
  return useJsonAt(path).value ?? null;
}

/** The executions of the op of a row. @param {Pair} pair @param {Row} row @returns {Row[]} */
export function useExecutions(pair, row) {
  const op = row.before?.op ?? null;
  const wants = op !== null && row.executions > 1 && row.after !== null;
  const path = wants ? pathOf(pair, "", { ...toleranceQuery(), op }) : null;
  return useJsonAt(path).value?.rows ?? [];
}

/** The difference of a pair of values, and the range of both. @param {Pair} pair @param {Row} row @returns {{difference: import("../../core/types.js").DifferenceInfo|null, error: Error|null}} */
export function useDifference(pair, { before, after, verdict }) {
  const [address, other] = [before?.address, after?.address];
  const path =
    address && other && verdict !== "shape" ? pathOf(pair, "/difference", { address, other_address: other }) : null;
  const { value = null, error } = useJsonAt(path);
  return { difference: value, error };
}

/**
 * A window of the difference of two values.
 *
 * @param {Pair} pair @param {{address: string, other: string}} values @param {import("../../core/tensor/axes.js").Slice} slice
 * @param {import("../../core/tensor/window_source.js").Request} request @param {AbortSignal} signal
 */
export async function differenceWindow(pair, { address, other }, { rows, columns, at }, { level, from, size }, signal) {
  const cut = { rows, columns, at: at.join(), from: from.join(), size: size.join(), level };
  return readWindow(await getBytes(pathOf(pair, "/window", { address, other_address: other, ...cut }), signal));
}

/** Choose a row: the shown run goes to the step that produced its value. @param {Pair} pair @param {Row} row @param {number} at */
export function choose(pair, row, at) {
  chosen.value = at;
  const side = row[pair.shown];
  if (side) goToSide(side, row.worst?.index);
}

/** @param {import("../../core/types.js").ComparedSide} side a value of the shown run @param {number[]} [element] for the cursor */
export function goToSide({ address, process, step, name }, element = []) {
  if (address === null) return;
  if (step !== null) return void goToMark({ process, step, address, index: element });
  showProcess(process);
  const value = store.program.value?.values.findIndex((each) => each.name === name) ?? -1;
  if (value >= 0) chooseValue(value);
}

/** Show the other run at the matching position; the same two runs stay compared. @param {Pair} pair @param {{process: number, step: number|null}} at */
export async function switchRuns(pair, { process, step }) {
  const [shown, other] = pair.shown === "before" ? [pair.before, pair.after] : [pair.after, pair.before];
  try {
    compareWith(shown.number);
    await showRun(other.number);
    arriveInRun();
    goToIn(process, step ?? 0);
  } catch (error) {
    reportError(error);
  }
}

/** Like `switchRuns`, from the current position, which may be newer than the label of the button. @param {Pair} pair */
export async function switchHere(pair) {
  const at = { step: store.position.value, process: store.process.value, side: pair.shown };
  try {
    await switchRuns(pair, await getJson(pathOf(pair, "/step", at)));
  } catch (error) {
    reportError(error);
  }
}

/** Follow the worst element of a row back to its sources, in one of the runs. @param {Pair} pair @param {Row} row @param {import("./model.js").Side} side @param {number[]} shape */
export async function followBack(pair, row, side, shape) {
  const [there, element] = [row[side], row.worst];
  if (!there?.address || !element) return;
  if (pair.shown !== side) await switchRuns(pair, { process: there.process, step: there.step });
  else if (there.step !== null) goToIn(there.process, there.step);
  const { index } = parseAddress(there.address);
  if (index === 0 && there.step !== null) chooseValue(null);
  const text = `[${element.index.join(", ")}] of ${there.name} in run ${pair[side].number}`;
  followElements({ address: there.address, elements: oneElement(element.index, shape), text });
}

/** Run a program from a file as a new run of this session, and go to the step that matches the current one. @param {File} file */
export async function addProgram(file) {
  if (store.changed.value)
    return say({
      kind: "error",
      text: "The program in the editor has changes that were not run. Run them first, or undo them: the file would replace them.",
    });
  const before = store.run.value;
  const at = { step: store.position.value, process: store.process.value };
  const text = await file.text();
  editDraft({ text, breakpoints: [], lineMap: store.lineMap.value });
  compareWith(before?.number ?? null);
  if (!(await runProgram())) return;
  const after = store.run.value;
  say({ kind: "info", text: `${file.name} is run ${after?.number} of this session.` });
  if (before && after && at.step > 0) await goToMatched(before, after, at);
}

/**
 * Go to the step of a new run that matches one of the previous run, unless there is none or the user has moved.
 *
 * @param {{number: number, key: string}} before @param {{number: number, key: string}} after @param {{step: number, process: number}} at
 */
async function goToMatched(before, after, at) {
  const pair = /** @type {Pair} */ ({ before: keyOf(before), after: keyOf(after), shown: "after" });
  const arrived = store.position.value;
  try {
    /** @type {import("../../core/types.js").MatchedStep} */
    const { process, step } = await getJson(pathOf(pair, "/step", { ...at, side: "before" }));
    const isHere = store.run.value?.key === after.key && store.position.value === arrived;
    if (step !== null && isHere) goToIn(process, step);
  } catch (error) {
    reportError(error);
  }
}
