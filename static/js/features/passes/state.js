/** The page of a dump: its content, the progress of its examination, and the selection. */
import { batch, computed, signal } from "@preact/signals";
import { getJson, dumpPath as pathOf, sendJson } from "../../core/api.js";
import { afterPause } from "../../core/idle.js";
import { errorText } from "../../core/messages.js";
import { describeSession, rememberSession } from "../sessions/recents.js";
import { markOf } from "./model.js";
/** @import {DumpInfo, ExaminationProgress as Progress, StageFound as Found} from "../../core/types.js" */
/** @import {Mark} from "./model.js" */

/** Pause before a retry after a lost connection. */
const AGAIN_MS = 2_000;
const ACTIVE = ["waiting", "texts", "runs"];

export const dump = signal(/** @type {DumpInfo|null} */ (null));
/** The progress of the examination, without its results. */
export const progress = signal(/** @type {Progress|null} */ (null));
/** The results of stages, by `module.stage`. */
export const found = signal(/** @type {ReadonlyMap<string, Found>} */ (new Map()));
export const problem = signal("");

export const module = signal(0);
/** The selected stage; null: the first wrong one, else the first that changed. */
export const chosenStage = signal(/** @type {number|null} */ (null));
/** The selected file, shown instead of a stage. */
export const chosenFile = signal(/** @type {number|null} */ (null));
/** The shown list. */
export const list = signal(/** @type {"passes"|"files"|"memory"} */ ("passes"));
/** The selected line of the selected file, from 1. */
export const chosenLine = signal(/** @type {number|null} */ (null));
/** The id of the dump with which memory and traffic are compared. */
export const otherDump = signal(/** @type {string|null} */ (null));

export const words = signal("");
export const pipeline = signal("");
export const marks = signal(/** @type {ReadonlySet<Mark>} */ (new Set()));
export const changedOnly = signal(false);
/** The first stages of folds that are open. */
export const opened = signal(/** @type {ReadonlySet<number>} */ (new Set()));

export const isActive = computed(() => progress.value !== null && ACTIVE.includes(progress.value.kind));
export const stages = computed(() => dump.value?.modules[module.value]?.stages ?? []);

/** @param {string} [part] @returns {string} */
export const dumpPath = (part = "") => pathOf(dump.value?.id ?? "", part);

/** @param {number} stage @param {string} [part] */
export const stagePath = (stage, part = "") => dumpPath(`/modules/${module.value}/stages/${stage}${part}`);

/** The result of a stage of the shown module. @param {number} stage @returns {Found|undefined} */
export const foundAt = (stage) => found.value.get(`${module.value}.${stage}`);

/** The shown stage. */
export const stage = computed(() => {
  if (chosenStage.value !== null) return chosenStage.value;
  const first = progress.value?.first_wrong;
  if (first && first.module === module.value) return first.stage;
  const changed = stages.value.findIndex((_, at) => at > 0 && (markOf(foundAt(at)) ?? "same_text") !== "same_text");
  return Math.max(0, changed);
});

/** Open a dump, and start its examination if there was none. @param {string} id */
export async function open(id) {
  try {
    const told = /** @type {DumpInfo} */ (await getJson(pathOf(id)));
    batch(() => {
      dump.value = told;
      take(told.examination);
      readAddress();
    });
    rememberSession(id, { kind: "passes", name: told.name, place: placeWords() });
    if (told.examination.kind === "none") await examine(wishesOf(told.examination));
    else void follow();
  } catch (error) {
    problem.value = errorText(error);
  }
}

/** @param {Progress} told @returns {{seed: number, file: string|null, file_name: string, module: number}} */
export const wishesOf = ({ wishes }) => ({ ...wishes });

/** Examine it again, or on other inputs. @param {{seed: number, file: string|null, file_name: string, module: number}} wishes */
export async function examine(wishes) {
  try {
    const told = await sendJson(dumpPath("/examination"), wishes);
    batch(() => {
      problem.value = "";
      found.value = new Map();
      take(told);
    });
    void follow();
  } catch (error) {
    problem.value = errorText(error);
  }
}

/** Stop the examination; results so far are kept. */
export async function stop() {
  try {
    take(await sendJson(dumpPath("/examination"), null, { method: "DELETE" }));
  } catch (error) {
    problem.value = errorText(error);
  }
}

let following = 0;

/** Poll for new results until the examination ends. */
async function follow() {
  const mine = ++following;
  while (isActive.value && mine === following) {
    try {
      const seen = progress.value?.version ?? 0;
      const told = /** @type {Progress} */ (await getJson(dumpPath(`/examination?seen=${seen}`)));
      if (mine !== following) return;
      problem.value = "";
      take(told);
    } catch (error) {
      problem.value = errorText(error);
      await new Promise((resolve) => afterPause(() => resolve(null), AGAIN_MS));
    }
  }
  // The server was restarted and has no results.
  if (mine === following && progress.value?.kind === "none") return void examine(wishesOf(progress.value));
  const id = dump.value?.id;
  if (id && progress.value && !isActive.value) describeSession(id, { place: placeWords() });
}

/** The summary in the list of recent sessions. */
const placeWords = () => progress.value?.sentence.replaceAll("`", "") || "not examined yet";

/** @param {Progress} told */
function take(told) {
  batch(() => {
    const all = new Map(found.value);
    for (const each of told.found) all.set(`${each.module}.${each.stage}`, each);
    found.value = all;
    progress.value = { ...told, found: [] };
  });
}

// Where one is.

/** Select a stage. @param {number} at */
export function choose(at) {
  batch(() => {
    chosenStage.value = at;
    chosenFile.value = null;
  });
  writeAddress();
}

/** Select a file. @param {number} file */
export function chooseFile(file) {
  batch(() => {
    chosenFile.value = file;
    chosenLine.value = null;
  });
  writeAddress();
}

/** Show a list; the page of passes has a selected stage. @param {"passes"|"files"|"memory"} shown */
export function showList(shown) {
  list.value = shown;
  if (shown === "passes") choose(stage.value);
  else writeAddress();
}

/** Compare memory and traffic with another dump. @param {string} id */
export function compareWith(id) {
  otherDump.value = id;
  writeAddress();
}

/** The address of a line of a file of a dump. @param {string} id @param {number} file @param {number} line */
export const lineAddress = (id, file, line) => `/passes/${id}?file=${file}&line=${line}`;

/** Show another module. @param {number} at @param {number|null} [chosen] */
export function chooseModule(at, chosen = null) {
  batch(() => {
    module.value = at;
    chosenStage.value = chosen;
    chosenFile.value = null;
    opened.value = new Set();
    pipeline.value = "";
  });
  writeAddress();
}

/** Select the first wrong stage. */
export function goToFirstWrong() {
  const first = progress.value?.first_wrong;
  if (!first) return;
  batch(() => {
    list.value = "passes";
    chooseModule(first.module, first.stage);
  });
}

/** Keep the selection in the address, so that it can be linked. */
function writeAddress() {
  const query = new URLSearchParams();
  if (list.value === "memory" && otherDump.value !== null) query.set("other", otherDump.value);
  if (module.value > 0) query.set("module", String(module.value));
  if (chosenFile.value !== null) query.set("file", String(chosenFile.value));
  else if (chosenStage.value !== null) query.set("stage", String(chosenStage.value));
  history.replaceState(null, "", `${location.pathname}${query.size > 0 ? `?${query}` : ""}`);
}

function readAddress() {
  const query = new URLSearchParams(location.search);
  const number = (/** @type {string} */ name, /** @type {number} */ count) => {
    const at = Number(query.get(name) ?? NaN);
    return Number.isInteger(at) && at >= 0 && at < count ? at : null;
  };
  const { modules, files } = /** @type {DumpInfo} */ (dump.value);
  const first = progress.value?.first_wrong?.module;
  const withStages = modules.findIndex((each) => each.stages.length > 1);
  module.value = number("module", modules.length) ?? first ?? Math.max(0, withStages);
  chosenStage.value = number("stage", stages.value.length);
  chosenFile.value = number("file", files.length);
  const line = number("line", Infinity);
  chosenLine.value = line || null;
  otherDump.value = query.get("other");
  if (otherDump.value !== null) list.value = "memory";
  else if (chosenFile.value !== null) list.value = "files";
}

// Step through both.

export const isOpening = signal(false);

/** Open the texts before and after a pass as two runs of a session. @param {number} at */
export async function stepThrough(at) {
  if (isOpening.value) return;
  isOpening.value = true;
  problem.value = "";
  try {
    const { url, problem: told } = await sendJson(stagePath(at, "/session"), null);
    if (told) problem.value = told;
    location.assign(url);
  } catch (error) {
    problem.value = errorText(error);
  } finally {
    isOpening.value = false;
  }
}
