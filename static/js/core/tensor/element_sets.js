/**
 * Sets of elements of a tensor, as the server sends them: as words, as query parameters, as rectangles of a small picture.
 *
 * @typedef {{x: number, y: number, width: number, height: number}} Rectangle
 */
import { countOf, elementOf } from "./axes.js";
import { countText } from "./elements.js";
/** @import {WireBox, WireSet} from "../types.js" */

/** Maximum number of boxes written out in words. */
const MOST_WORDS = 3;
/** Maximum number of parts and characters of a query; the server accepts 1,000 and 8,000. */
const MOST_PARTS = 1000;
const MOST_CHARACTERS = 7500;
/** Maximum number of lines that a small picture draws one by one. */
const MOST_LINES = 2048;
/** Minimum size of a marked part, in pixels. */
const LEAST = 1.5;

/** Just one element. @param {number[]} index @param {number[]} shape @returns {WireSet} */
export const oneElement = (index, shape) => ({
  shape,
  count: 1,
  boxes: [{ start: index, sizes: index.map(() => 1), strides: index.map(() => 1) }],
});

/** All elements of a tensor. @param {number[]} shape @returns {WireSet} */
export const allElements = (shape) => ({
  shape,
  count: countOf(shape),
  boxes: [{ start: shape.map(() => 0), sizes: shape, strides: shape.map(() => 1) }],
});

/** The query parameter `elements`: all elements, unless they are too scattered for its maximum length. @param {WireSet} set @returns {string} */
export function queryOf({ boxes, runs = [] }) {
  if (!boxes)
    return shorten(
      runs.map(([first, length]) => (length === 1 ? `${first}` : `${first}-${first + length - 1}`)),
      ",",
    );
  return shorten(
    boxes.map(
      ({ start, sizes, strides }) =>
        `@${start.map((from, axis) => spanQuery(from, sizes[axis] ?? 1, strides[axis] ?? 1)).join(",")}`,
    ),
    ";",
  );
}

/** The first parts, up to the limits of the server. @param {string[]} parts @param {string} separator */
function shorten(parts, separator) {
  let length = 0;
  const kept = parts.slice(0, MOST_PARTS).filter((part) => (length += part.length + 1) <= MOST_CHARACTERS);
  return kept.join(separator);
}

/** @param {number} from @param {number} size @param {number} stride */
function spanQuery(from, size, stride) {
  if (size === 1) return `${from}`;
  const stop = from + (size - 1) * stride + 1;
  return stride === 1 ? `${from}:${stop}` : `${from}:${stop}:${stride}`;
}

/** The only element, or null for several. @param {WireSet} set @returns {number[]|null} */
export function onlyElement(set) {
  if (set.count !== 1) return null;
  return set.boxes?.[0]?.start ?? elementOf(set.shape, set.runs?.[0]?.[0] ?? 0);
}

/** `[0, 3]`, `[0, 0…4]`, `all 12`, `5 of 12`. @param {WireSet} set @returns {string} */
export function textOf(set) {
  const only = onlyElement(set);
  if (only) return only.length === 0 ? "" : `[${only.join(", ")}]`;
  if (Number(set.count) === 0) return "nothing";
  if (Number(set.count) === countOf(set.shape)) return `all ${sizeText(set)} elements`;
  const { boxes } = set;
  if (boxes && boxes.length <= MOST_WORDS) return boxes.map(boxText).join(" and ");
  return `${sizeText(set)} elements`;
}

/** @param {WireBox} box */
const boxText = ({ start, sizes, strides }) =>
  `[${start.map((from, axis) => spanText(from, sizes[axis] ?? 1, strides[axis] ?? 1)).join(", ")}]`;

/** `3`, `0…4`, `0,2…8`. @param {number} from @param {number} size @param {number} stride */
export function spanText(from, size, stride) {
  if (size === 1) return `${from}`;
  const last = from + (size - 1) * stride;
  return stride === 1 || size === 2 ? `${from}${size === 2 ? "," : "…"}${last}` : `${from},${from + stride}…${last}`;
}

/** The share of the tensor: `4 of 12`. @param {WireSet} set @returns {string} */
export const shareText = (set) => `${sizeText(set)} of ${countText(countOf(set.shape))}`;

/** Large counts arrive as text. @param {WireSet} set */
const sizeText = ({ count }) => (typeof count === "number" ? countText(count) : count);

/** Boxes of a set that arrived as row-major runs, up to a maximum. @param {WireSet} set @param {number} most @returns {WireBox[]} */
export function boxesOf({ shape, boxes, runs = [] }, most) {
  if (boxes) return boxes;
  const width = shape.at(-1) ?? 1;
  /** @type {WireBox[]} */
  const found = [];
  for (const [first, length] of runs) {
    for (let at = first; at < first + length && found.length < most;) {
      const sizes = shape.map(() => 1);
      const size = Math.min(first + length - at, width - (at % width));
      if (sizes.length > 0) sizes[sizes.length - 1] = size;
      found.push({ start: elementOf(shape, at), sizes, strides: shape.map(() => 1) });
      at += size;
    }
  }
  return found;
}

/**
 * The set in a picture of this size; the last dimension runs to the right and all others down.
 *
 * @param {WireSet} set @param {{width: number, height: number}} picture @returns {Rectangle[]}
 */
export function rectanglesOf(set, picture) {
  const { shape } = set;
  const columns = shape.at(-1) ?? 1;
  const scale = {
    x: picture.width / Math.max(1, columns),
    y: picture.height / Math.max(1, countOf(shape.slice(0, -1))),
  };
  /** @type {Rectangle[]} */
  const found = [];
  for (const box of boxesOf(set, MOST_LINES)) {
    for (const [first, count] of linesOf(box, shape)) {
      if (found.length >= MOST_LINES) return found;
      found.push(...spansOf(box, first, count, scale, picture));
    }
  }
  return found;
}

/** @param {WireBox} box @param {number} first @param {number} count of lines @param {{x: number, y: number}} scale @param {{width: number, height: number}} picture @returns {Rectangle[]} */
function spansOf({ start, sizes, strides }, first, count, scale, picture) {
  const [from, size, stride] = [start.at(-1) ?? 0, sizes.at(-1) ?? 1, strides.at(-1) ?? 1];
  const apart = stride > 1 && stride * scale.x >= 2 * LEAST;
  const [times, wide] = apart ? [size, 1] : [1, (size - 1) * stride + 1];
  return Array.from({ length: times }, (_, step) =>
    visibleRectangle((from + step * stride) * scale.x, first * scale.y, wide * scale.x, count * scale.y, picture),
  );
}

/** Large enough to see, and inside the picture. @param {number} x @param {number} y @param {number} width @param {number} height @param {{width: number, height: number}} picture @returns {Rectangle} */
function visibleRectangle(x, y, width, height, picture) {
  const [w, h] = [Math.max(width, LEAST), Math.max(height, LEAST)];
  return { x: Math.min(x, picture.width - w), y: Math.min(y, picture.height - h), width: w, height: h };
}

/** Ranges of lines, with all dimensions but the last flattened: the first line and the count. @param {WireBox} box @param {number[]} shape @returns {Generator<[number, number]>} */
function* linesOf({ start, sizes, strides }, shape) {
  const last = shape.length - 2;
  if (last < 0) return yield [0, 1];
  const outer = countOf(sizes.slice(0, last));
  for (let number = 0; number < outer; number++) {
    const place = elementOf(sizes.slice(0, last), number);
    const line =
      place.reduce((sum, at, axis) => sum * (shape[axis] ?? 1) + (start[axis] ?? 0) + at * (strides[axis] ?? 1), 0) *
        (shape[last] ?? 1) +
      (start[last] ?? 0);
    const [size, stride] = [sizes[last] ?? 1, strides[last] ?? 1];
    if (stride === 1) yield [line, size];
    else for (let step = 0; step < size; step++) yield [line + step * stride, 1];
  }
  return undefined;
}

/**
 * The typed text, `0, 3` or `0:2, :` or with brackets, as the query parameter `elements`; or its error.
 *
 * @param {string} text @param {number[]} shape @returns {{elements: string, wrong: string}}
 */
export function typedQuery(text, shape) {
  const parts = text
    .trim()
    .replace(/^\[|\]$/g, "")
    .replaceAll("…", ":")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const example = shape.map((size) => (size > 2 ? "0:2" : "0")).join(", ");
  if (parts.length !== shape.length || !parts.every((part) => /^\d*(:\d*){0,2}$/.test(part))) {
    return {
      elements: "",
      wrong: `Write ${shape.length === 1 ? "one index or range" : `${shape.length} indices or ranges`}, as in ${example}.`,
    };
  }
  const outside = parts.findIndex(
    (part, axis) =>
      Number(part.split(":")[0]) >= (shape[axis] ?? 0) || Number(part.split(":")[1] || 0) > (shape[axis] ?? 0),
  );
  if (outside >= 0)
    return {
      elements: "",
      wrong: `${parts[outside]} is outside dimension ${outside}, which has size ${shape[outside]}.`,
    };
  return { elements: `@${parts.map((part, axis) => spelledSpan(part, shape[axis] ?? 1)).join(",")}`, wrong: "" };
}

/** With the omitted ends. @param {string} part @param {number} size */
function spelledSpan(part, size) {
  const [from = "", to, step] = part.split(":");
  if (to === undefined) return from;
  return [from || "0", to || `${size}`, ...(step ? [step] : [])].join(":");
}
