/**
 * Questions to a class, as typed and as sent.
 *
 * @typedef {object} Form
 * @property {import("../../core/types.js").AskKind} kind
 * @property {Askable|null} about the value of the question
 * @property {string} element its element, as typed
 * @property {Askable|null} source the value to click on
 * @property {boolean} hasTruth of a choice: whether the recorded element decides which option is right
 * @property {string} options one a line
 * @property {string} question
 * @property {boolean} isOwn whether the teacher wrote the question
 */
import { words } from "./lesson.js";
import { readIndex } from "./model.js";
/** @import {NewPoll} from "../../core/types.js" */
/** @import {Askable} from "./askable.js" */

/** The form with a generated question, unless the teacher wrote one. @param {Form} form @returns {Form} */
export function prefilled(form) {
  if (form.isOwn || form.about === null) return form;
  const element = elementName(form.about, form.element);
  const question =
    form.kind === "cell" && form.source ? words("whichElement", form.source.name, element) : words("whatWill", element);
  return { ...form, question };
}

/** `%2[1, 0]`; for a scalar its name. @param {Askable} about @param {string} element */
function elementName({ name, shape }, element) {
  const read = readIndex(element, shape);
  return shape.length === 0 || "problem" in read ? name : `${name}[${read.index.join(", ")}]`;
}

/** The poll, or the missing part. @param {Form} form @param {number} run @param {number} process @returns {NewPoll|{problem: string}} */
export function newPoll(form, run, process) {
  const question = form.question.trim();
  if (question === "") return { problem: words("writeQuestion") };
  const poll = { kind: form.kind, question, options: optionsOf(form), lesson_ask: null };
  if (form.kind === "choice" && (poll.options.length < 2 || poll.options.length > 8))
    return { problem: words("optionCount", poll.options.length) };
  if (form.kind === "choice" && !(form.hasTruth && form.about)) return { ...poll, target: null };
  const about = form.about;
  if (about === null) return { problem: words("chooseAbout") };
  const read = readIndex(form.element, about.shape);
  if ("problem" in read) return read;
  if (form.kind !== "cell")
    return { ...poll, target: { run, process, address: about.address, element: read.index, read_by: null } };
  if (form.source === null) return { problem: words("chooseMade") };
  const read_by = { address: about.address, element: read.index };
  return { ...poll, target: { run, process, address: form.source.address, element: null, read_by } };
}

/** @param {Form} form @returns {string[]} */
const optionsOf = ({ kind, options }) =>
  kind === "choice"
    ? options
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean)
    : [];

/** @type {Record<string, string>} */
const NAMED = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** The plain text of a question of a lesson. @param {string} html @returns {string} */
export const textOfHtml = (html) =>
  html
    .replace(/<[^>]*>/g, "")
    .replace(/&(#x?[0-9a-f]+|\w+);/gi, (whole, name) => NAMED[name] ?? characterOf(name) ?? whole)
    .replace(/\s+/g, " ")
    .trim();

/** @param {string} name `#39` or `#x27` @returns {string|null} */
function characterOf(name) {
  if (!name.startsWith("#")) return null;
  const number = /^#x/i.test(name) ? parseInt(name.slice(2), 16) : Number(name.slice(1));
  return number > 0 && number <= 0x10ffff ? String.fromCodePoint(number) : null;
}
