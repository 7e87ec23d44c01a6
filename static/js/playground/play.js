/**
 * The playground's own store: the op, its form, what is filled in, and the last answer. Its address is kept up to date:
 * what follows on a change of another field is an entry of the history of its own, so that Back takes changes back.
 *
 * @typedef {import("./form_model.js").Form} Form
 * @typedef {import("./form_model.js").State} State
 * @typedef {import("./form_model.js").Place} Place
 * @typedef {import("./form_model.js").Problem} Problem
 * @typedef {import("./form_model.js").Answer} Answer
 */
import { batch, signal } from "@preact/signals";
import { getJson } from "../api.js";
import { Asker } from "./asking.js";
import { gaps } from "./form_model.js";
import { fromHash, toHash } from "./url_state.js";

/** @type {import("@preact/signals").Signal<Form|null>} */
export const form = signal(null);
/** @type {import("@preact/signals").Signal<State>} */
export const state = signal({ operands: {}, fields: {} });
/** The last answer that had a picture: what is drawn. @type {import("@preact/signals").Signal<Answer|null>} */
export const good = signal(null);
/** @type {import("@preact/signals").Signal<Problem[]>} */
export const problems = signal([]);
/** What was changed last. @type {import("@preact/signals").Signal<Place|null>} */
export const changed = signal(null);
/** Why nothing could be asked, or what of a link was left out. */
export const trouble = signal("");
export const busy = signal(false);

const asker = new Asker(taken, failed);
/** @type {Map<string, Form>} */
const forms = new Map();

/** @param {string} op @returns {string} */
export const pathOf = (op) => `/playground/${op.replace(/^stablehlo\./, "")}`;

/** The op of an address. @param {string} path @returns {string} */
const opOf = (path) => `stablehlo.${decodeURIComponent(path.split("/")[2] ?? "gather").replace(/^stablehlo\./, "")}`;

/** @param {Form|null} given the form that came with the page */
export function start(given) {
  if (given) {
    forms.set(given.op, given);
    show(given, fromHash(given, location.hash));
  }
  addEventListener("popstate", () => void goTo(opOf(location.pathname), location.hash, false));
}

/** Another op, as a link to it says. @param {string} op @param {string} [hash] @param {boolean} [asEntry] */
export async function goTo(op, hash = "", asEntry = true) {
  try {
    const found = forms.get(op) ?? /** @type {Form} */ (await getJson(`/api/playground/${encodeURIComponent(op)}`));
    forms.set(op, found);
    if (asEntry) history.pushState(null, "", pathOf(op) + hash);
    document.title = `${op} · playground · hloscope`;
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
    trouble.value = ignored.length > 0 ? `What the link says of ${ignored.join(", ")} makes no sense here, and was left out.` : "";
  });
  ask(0);
}

/** The form filled in anew: an example. @param {State} next */
export function fill(next) {
  changed.value = null;
  keep(structuredClone(next), true);
  ask(0);
}

/** One field changed. @param {State} next @param {Place} place */
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
  if (!known || gaps(known, next).length > 0) return;
  const address = pathOf(known.op) + toHash(known, next);
  if (asEntry) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}

/** @param {number} [pause] */
function ask(pause) {
  const known = form.value;
  if (!known) return;
  const missing = gaps(known, state.value);
  if (missing.length > 0) {
    asker.stop();
    batch(() => {
      problems.value = missing;
      busy.value = false;
    });
    return;
  }
  busy.value = true;
  asker.ask(known.op, state.value, pause);
}

/** @param {Answer} answer */
function taken(answer) {
  batch(() => {
    busy.value = false;
    problems.value = answer.problems;
    if (answer.picture) good.value = answer;
  });
}

/** @param {Error} error */
function failed(error) {
  batch(() => {
    busy.value = false;
    trouble.value = error.message;
  });
}
