/**
 * The state of a form as readable text after the `#` of an address, and back; it is never sent to the server:
 * `#operand=6x4xi32:iota&start_indices=5x1xi64:3,0,3,5,8&offset_dims=1&…`. `=` means the inferred value.
 */
import { KINDS } from "./model.js";
/** @import {Tensor} from "./model.js" */
/** @import {FormField as FieldForm, OpForm as Form, FormState as State} from "../../core/types.js" */

const GENERATED = new RegExp(`^(${KINDS.join("|")})(:\\d{1,9})?$`);
const SPELLED = /^((?:=x)|(?:\d{1,15}x)*)([A-Za-wyz][^:]*|=)$/;
const WHOLE = /^[-+]?\d{1,16}$/;

/** @param {Form} form @param {State} state @returns {string} */
export function toHash(form, state) {
  const parts = form.operands.flatMap(({ name }) =>
    (state.operands[name] ?? []).map((tensor) => [name, tensorText(tensor)]),
  );
  for (const field of form.fields) parts.push([field.name, fieldText(field, state.fields[field.name])]);
  return `#${parts.map(([name = "", text = ""]) => `${name}=${escapeText(text)}`).join("&")}`;
}

/** Characters that need no escape. @param {string} text */
const escapeText = (text) => encodeURIComponent(text).replace(/%(3A|2C|3B|3D)/g, (code) => decodeURIComponent(code));

/** @param {Tensor} tensor @returns {string} */
export const tensorText = ({ shape, type, values }) =>
  `${typeText({ shape, type })}:${Array.isArray(values) ? values.join(",") : values}`;

/** @param {{shape: (number|null)[]|null, type: string|null}} tensor @returns {string} */
const typeText = ({ shape, type }) =>
  `${shape === null ? "=x" : shape.map((size) => `${size ?? 0}x`).join("")}${type ?? "="}`;

/** @param {FieldForm} field @param {any} value @returns {string} */
function fieldText({ kind }, value) {
  switch (kind) {
    case "tensor":
      return typeText(value);
    case "pairs":
    case "routes":
    case "groups":
      return value.map((/** @type {number[]} */ row) => row.join(",") || "-").join(";");
    default:
      return Array.isArray(value) ? value.join(",") : String(value);
  }
}

/**
 * Apply a link to the defaults of the form. Invalid parts are reported and ignored.
 *
 * @param {Form} form @param {string} hash @returns {{state: State, ignored: string[]}}
 */
export function fromHash(form, hash) {
  const state = structuredClone(form.first);
  const given = partsOf(hash);
  const ignored = [...given.keys()].filter(
    (name) => ![...form.operands, ...form.fields].some((known) => known.name === name),
  );
  const types = new Set([...form.operands, ...form.fields].flatMap((known) => known.types));
  const isKnown = (/** @type {{type: string|null}|null} */ tensor) =>
    tensor !== null && (tensor.type === null || types.has(tensor.type));
  for (const { name, many, scalars } of form.operands) {
    const tensors = given.get(name)?.map(readTensor);
    if (!tensors) continue;
    if (!tensors.every(isKnown) || (tensors.length !== 1 && !many && !scalars)) ignored.push(name);
    else state.operands[name] = /** @type {Tensor[]} */ (tensors);
  }
  for (const field of form.fields) {
    const text = given.get(field.name)?.[0];
    if (text === undefined) continue;
    const value = readField(field, text);
    if (value === undefined || (field.kind === "tensor" && !isKnown(value))) ignored.push(field.name);
    else state.fields[field.name] = value;
  }
  // One scalar per dimension; none for a scalar.
  for (const { name, scalars } of form.operands)
    if (scalars && given.size > 0 && !given.has(name)) state.operands[name] = [];
  return { state, ignored };
}

/** @param {string} hash @returns {Map<string, string[]>} */
function partsOf(hash) {
  const found = new Map();
  for (const part of hash.replace(/^#/, "").split("&").filter(Boolean)) {
    const at = part.indexOf("=");
    const [name, text] = at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
    found.set(plain(name), [...(found.get(plain(name)) ?? []), plain(text)]);
  }
  return found;
}

/** @param {string} text @returns {string} */
function plain(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

/** @param {string} text @returns {Tensor|null} */
export function readTensor(text) {
  const at = text.indexOf(":");
  const type = readType(at < 0 ? text : text.slice(0, at));
  if (!type) return null;
  const values = at < 0 ? "iota" : text.slice(at + 1);
  if (GENERATED.test(values)) return { ...type, values };
  return { ...type, values: values === "" ? [] : values.split(",") };
}

/** `2x3xf32`, `=xf32`, `2x3x=`. @param {string} text @returns {{shape: number[]|null, type: string|null}|null} */
export function readType(text) {
  const match = SPELLED.exec(text.replaceAll("×", "x"));
  if (!match) return null;
  const [, sizes = "", type = ""] = match;
  return { shape: sizes === "=x" ? null : sizes.split("x").slice(0, -1).map(Number), type: type === "=" ? null : type };
}

/** @param {FieldForm} field @param {string} text @returns {any} `undefined` if it says nothing of that kind */
function readField({ kind, choices }, text) {
  switch (kind) {
    case "flag":
      return readFlag(text);
    case "integer":
    case "dimension":
      return readWhole(text);
    case "number":
      return text !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case "dimensions":
    case "sizes":
    case "grid":
      return readList(text, readWhole);
    case "flags":
      return readList(text, readFlag);
    case "pairs":
    case "routes":
    case "groups":
      return readRows(text);
    case "choice":
    case "body":
      return choices.includes(text) ? text : undefined;
    case "pick":
      return readList(text, (item) => (choices.includes(item) ? item : undefined));
    case "text":
      return text;
    case "tensor":
      return readType(text) ?? undefined;
    default:
      return undefined;
  }
}

/** @param {string} text */
const readFlag = (text) => (text === "true" ? true : text === "false" ? false : undefined);

/** @param {string} text */
const readWhole = (text) => (WHOLE.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined);

/** @template T @param {string} text @param {(item: string) => T|undefined} read @returns {T[]|undefined} */
function readList(text, read) {
  const found = text === "" ? [] : text.split(",").map(read);
  return found.includes(undefined) ? undefined : /** @type {T[]} */ (found);
}

/** @param {string} text @returns {number[][]|undefined} */
function readRows(text) {
  const found = text === "" ? [] : text.split(";").map((row) => (row === "-" ? [] : readList(row, readWhole)));
  return found.includes(undefined) ? undefined : /** @type {number[][]} */ (found);
}
