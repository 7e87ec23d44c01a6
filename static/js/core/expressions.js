/** Expressions over recorded values, `max(abs(%12)) > 3`: requests, and what may stand at the cursor. */
import { AnswerCache } from "./answers.js";
import { getJson, recordingPath } from "./api.js";
import { knownAfter, localsIn, valuesOf } from "./run/locals.js";
import { shownName } from "./run/value_names.js";
import { framesAround } from "./run/values.js";
import * as store from "./store.js";
/** @import {Program} from "./run/program.js" */
/** @import {ExpressionLanguage, ExpressionResult} from "./types.js" */

/** Maximum number of expressions in a request. */
const MOST_TOGETHER = 16;
/** Maximum characters of expressions in a request, unless it has one. */
const MOST_TEXT = 4000;
/** Maximum characters of an expression. */
export const MOST_CHARACTERS = 1000;
/** Maximum number of completions. */
const MOST_COMPLETIONS = 50;

/**
 * The results of expressions at a step, before its op runs; without a step they are only checked. Long lists are sent
 * in parts, one after the other.
 *
 * @param {string} key @param {readonly string[]} expressions @param {{process: number, step: number}|null} place
 * @param {AbortSignal} [signal] @returns {Promise<ExpressionResult[]>}
 */
export async function evaluate(key, expressions, place, signal) {
  /** @type {ExpressionResult[]} */
  const found = [];
  while (found.length < expressions.length) {
    const query = new URLSearchParams();
    let left = MOST_TEXT;
    for (const text of expressions.slice(found.length, found.length + MOST_TOGETHER)) {
      if (left < MOST_TEXT && text.length > left) break;
      left -= text.length;
      query.append("expression", text);
    }
    if (place) query.append("process", String(place.process));
    if (place) query.append("step", String(place.step));
    /** @type {(ExpressionResult|null)[]} */
    const part = await getJson(`${recordingPath(key)}/evaluate?${query}`, signal);
    found.push(...part.filter((result) => result !== null));
  }
  return found;
}

/** @type {AnswerCache<ExpressionLanguage>} */
const languages = new AnswerCache(1, { asksAgain: true });

/** The words of the language; undefined while the request is pending, or without a recording. @returns {ExpressionLanguage|undefined} */
export function expressionLanguage() {
  languages.arrivals.value;
  const key = store.recordingKey.value;
  if (key === null) return undefined;
  const found = languages.read("", () => getJson(`${recordingPath(key)}/expression-language`));
  return found instanceof Error ? undefined : found;
}

/** A completion: `text` replaces what was typed; `isCall`: an opening parenthesis follows. @typedef {{text: string, detail: string, isCall?: boolean}} Completion */

const VALUE = /%"?[\w$.#-]*$/u;
const FIELD = /(?:[\])"]|[A-Za-z_%]\S*)\s*\.(\w*)$/u;
const WORD = /[A-Za-z_]\w*$/u;

/**
 * The completions of an expression that is typed up to its end, and where they start in it. A word needs a letter;
 * `isWanted`: all words otherwise. `ops`: those at which the expression is evaluated; none: at the current step.
 *
 * @param {string} typed @param {ExpressionLanguage|undefined} language @param {{isWanted?: boolean, ops?: readonly number[]}} [wanted] @returns {{from: number, options: Completion[]}}
 */
export function completionsOf(typed, language, { isWanted = false, ops = [] } = {}) {
  const value = VALUE.exec(typed);
  const values = value ? valueCompletions(value[0].replace(/^%"?/u, ""), ops) : [];
  // Names may contain dots: `%x.max` is a value only if the program has one.
  if (value && (values.length > 0 || !value[0].includes("."))) return { from: value.index, options: values };
  const [fields, functions, variables] = [language?.fields ?? [], language?.functions ?? [], language?.variables ?? []];
  const calls = functions.map(({ name, meaning }) => ({ text: name, detail: meaning, isCall: true }));
  const plain = (/** @type {{name: string, meaning: string}[]} */ words) =>
    words.map(({ name, meaning }) => ({ text: name, detail: meaning, isCall: name === "operand" }));
  const field = FIELD.exec(typed);
  if (field) return matching(typed, field[1] ?? "", [...plain(fields), ...calls]);
  const word = WORD.exec(typed);
  if (!word && !isWanted) return { from: typed.length, options: [] };
  return matching(typed, word?.[0] ?? "", [...calls, ...plain(variables)]);
}

/** Completions that begin with the typed word, then those that contain it. @param {string} typed @param {string} word @param {Completion[]} all @returns {{from: number, options: Completion[]}} */
function matching(typed, word, all) {
  const begins = all.filter(({ text }) => text.startsWith(word));
  const contains = all.filter(({ text }) => !text.startsWith(word) && text.includes(word));
  const options = [...begins, ...contains].slice(0, MOST_COMPLETIONS);
  return {
    from: typed.length - word.length,
    options: options.length === 1 && options[0]?.text === word ? [] : options,
  };
}

/** Values that exist where the expression is evaluated, innermost frame first and latest first. @param {string} typed without `%` @param {readonly number[]} ops @returns {Completion[]} */
function valueCompletions(typed, ops) {
  const word = typed.toLowerCase();
  /** @type {Map<string, Completion>} */
  const found = new Map();
  const add = (/** @type {Program} */ program, /** @type {number} */ value) => {
    const { name, type } = program.value(value);
    const shown = shownName(program, value);
    const text = spelled(shown);
    if (`${name} ${shown}`.toLowerCase().includes(word) && !found.has(text)) found.set(text, { text, detail: type });
  };
  const program = store.program.value;
  if (ops.length > 0 && program) valuesAtOps(program, ops, add, () => found.size < MOST_COMPLETIONS);
  else valuesHere(add, () => found.size < MOST_COMPLETIONS);
  const [only, ...others] = found.values();
  return only && others.length === 0 && only.text === `%${typed}` ? [] : [...found.values()];
}

/** @param {(program: Program, value: number) => void} add @param {() => boolean} wantsMore */
function valuesHere(add, wantsMore) {
  store.atPosition((outline, position, program) => {
    const frames = framesAround(outline, position);
    frames.forEach((frame, at) => {
      const step = at === 0 ? position : outline.opener(/** @type {number} */ (frames[at - 1]));
      const { block, known } = localsIn(outline, program, frame, step);
      const { values } = valuesOf(program, block);
      for (let place = known - 1; place >= 0 && wantsMore(); place--) add(program, values[place] ?? 0);
    });
  });
}

/** The values of each op's block up to its own results, and of the blocks around it. @param {Program} program @param {readonly number[]} ops @param {(program: Program, value: number) => void} add @param {() => boolean} wantsMore */
function valuesAtOps(program, ops, add, wantsMore) {
  const seen = new Set();
  for (const op of ops) {
    for (let at = /** @type {number|null} */ (op); at !== null && wantsMore() && !seen.has(at);) {
      seen.add(at);
      const { block } = program.op(at);
      const { values } = valuesOf(program, block);
      const known = knownAfter(program, at);
      for (let place = known - 1; place >= 0 && wantsMore(); place--) add(program, values[place] ?? 0);
      at = program.block(block).opener;
    }
  }
}

/** A value's name as expressions spell it. @param {string} name */
export function spelled(name) {
  const bare = name.replace(/^%/u, "");
  return /^[A-Za-z0-9_$][\w$.-]*(?:#\d+)?$/u.test(bare) ? `%${bare}` : `%"${bare}"`;
}
