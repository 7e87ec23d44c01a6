/**
 * Long names are cut in the middle: the beginning tells the kind, the end the instance; a part between them is kept
 * where only it tells two names apart.
 */
import { html } from "htm/preact";

/** Maximum number of characters. */
const MOST = 40;
const CUT = "…";

/** The parts of a name, each with the separator before it: `%params`, `.h`, `.11`, `.w`. @param {string} name @returns {string[]} */
const partsOf = (name) => name.match(/[._/\-[]*[^._/\-[]+|[._/\-[]+$/g) ?? [name];

/** The beginning and as much of the end as fits. @param {string} name @param {number} [most] @returns {string} */
export function cutName(name, most = MOST) {
  if (Array.from(name).length <= most) return name;
  const parts = partsOf(name);
  const last = parts.at(-1) ?? "";
  const head = parts.length > 1 && (parts[0] ?? "").length + 1 + last.length <= most ? (parts[0] ?? "") : "";
  if (head === "") return cutAnywhere(name, most);
  return `${head}${CUT}${endOf(parts.slice(1), most - head.length - 1)}`;
}

/** A name that is one long part, or has long parts. @param {string} name @param {number} most @returns {string} */
function cutAnywhere(name, most) {
  const characters = Array.from(name);
  const head = Math.floor((most - 1) / 3);
  return `${characters.slice(0, head).join("")}${CUT}${characters.slice(head + 1 - most).join("")}`;
}

/** The last parts that fit, without their first separator. @param {string[]} parts @param {number} room @returns {string} */
function endOf(parts, room) {
  let end = "";
  for (const part of [...parts].reverse()) {
    const sign = end === "" ? part : part + end;
    if (withoutSign(sign).length > room) break;
    end = sign;
  }
  return withoutSign(end);
}

/** @param {string} part @returns {string} */
const withoutSign = (part) => part.replace(/^[._/-]+(?=.)/, "");

/**
 * Names side by side, each cut so that no two look the same, as far as space allows.
 *
 * @param {readonly string[]} names @param {number} [most] @returns {Map<string, string>}
 */
export function cutNames(names, most = MOST) {
  const all = [...new Set(names)];
  const shown = new Map(all.map((name) => [name, cutName(name, most)]));
  /** @type {Map<string, string[]>} */
  const alike = new Map();
  for (const [name, text] of shown) alike.set(text, [...(alike.get(text) ?? []), name]);
  for (const group of alike.values())
    if (group.length > 1) for (const name of group) shown.set(name, cutApart(name, group, most));
  return shown;
}

/** With the first part that distinguishes it from names that would look the same. @param {string} name @param {readonly string[]} group @param {number} most @returns {string} */
function cutApart(name, group, most) {
  const parts = partsOf(name);
  const others = group.map(partsOf);
  const at = parts.findIndex((part, i) => others.some((other) => other[i] !== part));
  const [head, own] = [parts[0] ?? "", withoutSign(parts[at] ?? "")];
  const room = most - own.length - 1;
  if (at <= 0 || room < 2) return cutAnywhere(name, most);
  const end = at < parts.length - 1 ? endOf(parts.slice(at + 1), Math.ceil(room / 2)) : "";
  const tail = end && at + 1 < parts.length ? `${CUT}${end}` : "";
  const start = head.slice(0, Math.max(1, room - tail.length));
  return `${start}${CUT}${own}${tail}`;
}

/** A text with names in it, each cut. @param {string} text @returns {string} */
export const cutNamesIn = (text) => text.replaceAll(/[\w.$%@-]+/g, (name) => cutName(name));

/** A cut name with the whole name as its tooltip; `shown`: cut in relation to others. @param {{name: string, most?: number, shown?: string}} props */
export function LongName({ name, most = MOST, shown = cutName(name, most) }) {
  return shown === name ? name : html`<span title=${name}>${shown}</span>`;
}

/** Maximum characters of a type: a tensor's is shorter, a tuple's may be as long as the program. */
const MOST_OF_TYPE = 64;

/** A type, cut at its end if it is that of a large tuple, with the whole type as its tooltip. @param {{type: string}} props */
export const LongType = ({ type }) =>
  type.length <= MOST_OF_TYPE ? type : html`<span title=${type}>${type.slice(0, MOST_OF_TYPE - 1)}…</span>`;
