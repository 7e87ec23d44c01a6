/**
 * The store of the playground: the op, its form, its fields, and the last answer. Its address is kept up to date; a
 * change of another field adds a history entry, so that Back undoes changes.
 */
import { batch, effect, signal } from "@preact/signals";
import { AnswerCache, LatestAnswer } from "../../core/answers.js";
import { getJson, sendJson } from "../../core/api.js";
import { decode } from "./answer_sources.js";
import { flatten, gaps } from "./model.js";
import { fromHash, toHash } from "./url_state.js";
/** @import {PlaygroundAnswer as Answer, OpForm as Form, FieldPlace as Place, FormProblemInfo as Problem, FormState as State} from "../../core/types.js" */

/** @type {import("@preact/signals").Signal<Form|null>} */
export const form = signal(null);
/** @type {import("@preact/signals").Signal<State>} */
export const state = signal({ operands: {}, fields: {} });
/** The last answer with a picture, which is drawn. @type {import("@preact/signals").Signal<Answer|null>} */
export const good = signal(null);
/** The request of that answer. @type {import("@preact/signals").Signal<{op: string, operands: any, fields: any}|null>} */
export const drawn = signal(null);
/** @type {import("@preact/signals").Signal<Problem[]>} */
export const problems = signal([]);
/** The dimensions that the attribute under the pointer names, with what it says of each. @type {import("@preact/signals").Signal<import("../../ui/tensor_grid/state.js").LitAxes>} */
export const lit = signal([]);
/** Whether the server answers forms here. */
export const isAnswered = signal(true);
/** The field changed last. @type {import("@preact/signals").Signal<Place|null>} */
export const changed = signal(null);
/** The reason why no request was sent, or the ignored parts of a link. */
export const trouble = signal("");

/** Whether the address is that of the playground. */
let hasAddress = true;

/** Requests wait while the user types. */
const PAUSE_MS = 60;
const KEPT_FORMS = 400;

/** The shown answer. @type {LatestAnswer<Answer>} */
const latest = new LatestAnswer();
export const busy = latest.isLoading;
/** @type {AnswerCache<Form>} */
const forms = new AnswerCache(KEPT_FORMS, { asksAgain: true });

/** @param {string} op @returns {string} */
export const pathOf = (op) => `/playground/${op.replace(/^stablehlo\./, "")}`;

/** The op in an address. @param {string} path @returns {string} */
const opOf = (path) => `stablehlo.${decodeURIComponent(path.split("/")[2] ?? "gather").replace(/^stablehlo\./, "")}`;

/** @param {Form|null} given the form that came with the page */
export function start(given) {
  if (given) {
    forms.keep(given.op, given);
    show(given, fromHash(given, location.hash));
  }
  addEventListener("popstate", () => void goTo(opOf(location.pathname), location.hash, false));
}

/** Show a playground inside another page, which keeps its own address. @param {string} address of a playground */
export function openWithin(address) {
  hasAddress = false;
  const { pathname, hash } = new URL(address, location.href);
  return goTo(opOf(pathname), hash, false);
}

/** Show the answer that came with a page, which keeps its own address. @param {Form} known @param {Answer} answer */
export function startWith(known, answer) {
  hasAddress = false;
  batch(() => {
    form.value = known;
    state.value = structuredClone(known.first);
    takeIn(answer, JSON.stringify({ op: known.op, ...known.first }));
  });
}

/** Switch to another op, as in a link. @param {string} op @param {string} [hash] @param {boolean} [asEntry] */
export async function goTo(op, hash = "", asEntry = true) {
  try {
    const found = await forms.fetch(op, () => getJson(`/api/playground/${encodeURIComponent(op)}`));
    if (asEntry) history.pushState(null, "", pathOf(op) + hash);
    if (hasAddress) document.title = `${op} · playground · hloscope`;
    show(found, fromHash(found, hash));
  } catch (error) {
    trouble.value = error instanceof Error ? error.message : String(error);
  }
}

/** @param {Form} found @param {{state: State, ignored: string[]}} read */
function show(found, { state: next, ignored }) {
  batch(() => {
    if (form.value?.op !== found.op) good.value = null;
    form.value = found;
    state.value = next;
    changed.value = null;
    trouble.value =
      ignored.length > 0 ? `The link's values for ${ignored.join(", ")} do not fit this op and were ignored.` : "";
  });
  ask(0);
}

/** Fill the form with an example. @param {State} next */
export function fill(next) {
  changed.value = null;
  keep(structuredClone(next), true);
  ask(0);
}

/** Change a field. @param {State} next @param {Place} place */
export function change(next, place) {
  const before = changed.value;
  const other = !before || before.name !== place.name || before.index !== place.index || before.part !== place.part;
  changed.value = place;
  keep(next, other);
  ask();
}

/** @param {State} next @param {boolean} asEntry */
function keep(next, asEntry) {
  state.value = next;
  const known = form.value;
  if (!hasAddress || !known || gaps(known, next).length > 0) return;
  const address = pathOf(known.op) + toHash(known, next);
  if (asEntry) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}

/** @param {number} [pause] */
function ask(pause = PAUSE_MS) {
  const known = form.value;
  if (!known) return;
  const missing = gaps(known, state.value);
  if (missing.length > 0) {
    latest.stop();
    problems.value = missing;
    return;
  }
  const body = { op: known.op, ...state.value };
  latest.ask(JSON.stringify(body), (stop) => sendJson("/api/playground", body, { signal: stop }), pause);
}

effect(() => {
  const { question, value, error } = latest.outcome.value;
  if (question === null) return;
  if (error) trouble.value = error.message;
  else if (value) takeIn(value, question);
});

/** @param {Answer} answer @param {string} request */
function takeIn(answer, request) {
  batch(() => {
    problems.value = answer.problems;
    if (!answer.picture) return;
    good.value = answer;
    drawn.value = JSON.parse(request);
  });
}

/** The values of an operand in the last answer. @param {Form} form @param {string} name @param {number} index */
export function shownValue(form, name, index) {
  const at = flatten(form, state.value).findIndex((item) => item.operand.name === name && item.index === index);
  const found = good.value?.picture?.inline?.operands?.[at];
  return found?.length === 1 && found[0]?.components === 1 ? decode(found[0]) : null;
}
