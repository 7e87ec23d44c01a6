/**
 * The page of a dump: what it holds, how far its examination is, and what is looked at.
 *
 * @typedef {import("../../core/types.js").ExaminationProgress} Progress
 * @typedef {import("../../core/types.js").StageFound} Found
 */
import { batch, computed, signal } from "@preact/signals";
import { getJson, dumpPath as pathOf, sendJson } from "../../core/api.js";
import { afterPause } from "../../core/idle.js";
import { describeSession, rememberSession } from "../sessions/recents.js";
import { markOf } from "./model.js";
/**
 * @import {DumpInfo} from "../../core/types.js"
 * @import {Mark} from "./model.js"
 */

/** After a lost connection it is asked again. */
const AGAIN_MS = 2_000;
const ACTIVE = ["waiting", "texts", "runs"];

export const dump = signal(/** @type {DumpInfo|null} */ (null));
/** How far the examination is, without what it has found. */
export const progress = signal(/** @type {Progress|null} */ (null));
/** What is known of stages, by `module.stage`. */
export const found = signal(/** @type {ReadonlyMap<string, Found>} */ (new Map()));
export const problem = signal("");

export const module = signal(0);
/** The stage that is looked at; null: the first one that is wrong, else the first that changed. */
export const chosenStage = signal(/** @type {number|null} */ (null));
/** The file that is looked at instead of a stage. */
export const chosenFile = signal(/** @type {number|null} */ (null));
/** Which list is shown. */
export const list = signal(/** @type {"passes"|"files"} */ ("passes"));

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

/** What is known of a stage of the module that is shown. @param {number} stage @returns {Found|undefined} */
export const foundAt = (stage) => found.value.get(`${module.value}.${stage}`);

/** The stage that is looked at. */
export const stage = computed(() => {
  if (chosenStage.value !== null) return chosenStage.value;
  const first = progress.value?.first_wrong;
  if (first && first.module === module.value) return first.stage;
  const changed = stages.value.findIndex((_, at) => at > 0 && (markOf(foundAt(at)) ?? "same_text") !== "same_text");
  return Math.max(0, changed);
});

/** Open a dump, and begin to examine it where that was not done yet. @param {string} id */
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
    problem.value = sentence(error);
  }
}

/** @param {Progress} told @returns {{seed: number, file: string|null, file_name: string, module: number}} */
export const wishesOf = ({ wishes }) => ({ ...wishes });

/** Examine it, on other inputs than before or again. @param {{seed: number, file: string|null, file_name: string, module: number}} wishes */
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
    problem.value = sentence(error);
  }
}

/** Stop the examination; what is known stays. */
export async function stop() {
  try {
    take(await sendJson(dumpPath("/examination"), null, { method: "DELETE" }));
  } catch (error) {
    problem.value = sentence(error);
  }
}

let following = 0;

/** Ask for what is new until all is known. */
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
      problem.value = sentence(error);
      await new Promise((resolve) => afterPause(() => resolve(null), AGAIN_MS));
    }
  }
  // The server was started anew meanwhile, and knows nothing of it.
  if (mine === following && progress.value?.kind === "none") return void examine(wishesOf(progress.value));
  const id = dump.value?.id;
  if (id && progress.value && !isActive.value) describeSession(id, { place: placeWords() });
}

/** What the list of recent sessions says of it. */
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

/** @param {unknown} error */
export const sentence = (error) => {
  const { message, hint } = /** @type {{message: string, hint?: string}} */ (error);
  return [message, hint].filter(Boolean).join(" ");
};

// Where one is.

/** Look at a stage. @param {number} at */
export function choose(at) {
  batch(() => {
    chosenStage.value = at;
    chosenFile.value = null;
  });
  writeAddress();
}

/** Look at a file. @param {number} file */
export function chooseFile(file) {
  chosenFile.value = file;
  writeAddress();
}

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

/** Go to the first stage that is wrong. */
export function goToFirstWrong() {
  const first = progress.value?.first_wrong;
  if (!first) return;
  batch(() => {
    list.value = "passes";
    chooseModule(first.module, first.stage);
  });
}

/** The address names what is looked at, so that a link leads there. */
function writeAddress() {
  const query = new URLSearchParams();
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
  if (chosenFile.value !== null) list.value = "files";
}

// Step through both.

export const isOpening = signal(false);

/** Open the texts before and after a pass as two runs of a session, side by side. @param {number} at */
export async function stepThrough(at) {
  if (isOpening.value) return;
  isOpening.value = true;
  problem.value = "";
  try {
    const { url, problem: told } = await sendJson(stagePath(at, "/session"), null);
    if (told) problem.value = told;
    location.assign(url);
  } catch (error) {
    problem.value = sentence(error);
  } finally {
    isOpening.value = false;
  }
}
