/** A value, or an element of a tuple, as a row: name, picture, type, numbers. */
import { html } from "htm/preact";
import { elementAddress } from "../../core/addresses.js";
import { isAhead } from "../../core/run/ahead.js";
import { badnessOf } from "../../core/run/badness.js";
import { pathText } from "../../core/run/tuples.js";
import { shownNames } from "../../core/run/value_names.js";
import * as store from "../../core/store.js";
import { chooseValue } from "../../core/view_actions.js";
import { cutNames } from "../../ui/long_name.js";
import { openValueMenu } from "../../ui/value_menu.js";
import { arrivals, greyed, shortRange, summary, thumbnail } from "../../ui/thumbnails.js";
import { keptFor } from "../../core/kept.js";
/** @import {ElementRow} from "./tuples.js" */

/**
 * @typedef {{kind: "value", value: number, address: string|null, path: number[], name: string, type: string, layout: string, isTensor: boolean,
 *   elements: import("../../core/types.js").TupleElement[]|null, open?: boolean, level: number, group: string, position: number, of: number}} ValueRow
 */

/** Characters at the end of a name that stay visible: names differ at their ends. */
const TAIL = 7;
/** Characters of a name that a range never replaces. */
const LEAST_NAME = 12;
/** Characters of a name and a range together in a narrow inspector. */
const OF_BOTH = 24;
/** XLA numbers its instructions: `%mean_fusion.8` and `%rsqrt_fusion.8` differ at their beginnings. */
const NUMBERED = /(?:\.\d+)+$/;

/** @param {ValueRow|ElementRow} row @returns {import("../../ui/virtual_list.js").Row} */
export function valueRow(row) {
  arrivals.value;
  const { value, path, type, level } = row;
  const info = pictureOf(row);
  const ahead = isAhead(row.address, store.calmPosition.value);
  const told = info ? info.text : type;
  const layout = row.kind === "value" && row.layout ? ` (${row.layout})` : "";
  const shown = info ? summary(info) : { type, range: "" };
  const program = store.program.value;
  const label = row.kind === "value" ? nameParts(program ? rowName(program, row.name) : row.name) : pathText(path);
  return {
    key: `${value} ${path.join(",")}`,
    class: `variable${row.elements ? " tuple" : ""}${ahead ? " ahead" : ""}`,
    label: `${row.name}: ${told}${row.address === null ? ", not yet" : ahead ? ", ahead" : ""}`,
    title: `${row.name} : ${told}${layout}${ahead ? "; ahead: its op has not run yet" : ""}`,
    ...{ level, open: row.open, selected: isChosen(value, path), group: row.group },
    ...{ position: row.position, of: row.of, picture: info && isStated(row, info) ? greyed(info) : info },
    menu: { name: row.name, open: (place) => openValueMenu(row, place) },
    content: html`<span class="disclose" aria-hidden="true">${row.open === undefined ? null : row.open ? "▾" : "▸"}</span>${indent(level)}<span class=${ahead ? "label ahead" : "label"} style=${{ minWidth: `${Math.min(LEAST_NAME, row.name.length)}ch` }}>${label}</span>
      <span class="type"><span>${shown.type}</span></span>${rangeText(row, info, shown.range, ahead)}`,
  };
}

/** A name whose beginning is cut. @param {string} name @returns {import("preact").ComponentChildren} */
function nameParts(name) {
  const characters = Array.from(name);
  const kept = Math.min(TAIL, NUMBERED.exec(name)?.[0].length ?? TAIL);
  if (characters.length <= TAIL) return name;
  return html`<span class="head">${characters.slice(0, -kept).join("")}</span><span class="tail">${characters.slice(-kept).join("")}</span>`;
}

/** Pixels. @param {number} level @returns {number} */
const indentOf = (level) => 14 * Math.max(0, level - 2);

/** @param {number} level @returns {import("preact").VNode|null} */
export const indent = (level) =>
  level > 2 ? html`<span class="indent" style=${{ width: `${indentOf(level)}px` }}></span>` : null;

/** @param {ValueRow|ElementRow} row @returns {import("../../core/types.js").ThumbnailInfo|null} */
function pictureOf({ address, path, elements, isTensor }) {
  if (address === null || elements || !isTensor) return null;
  return thumbnail(store.recordingKey.value ?? "", path.length > 0 ? elementAddress(address, path) : address) ?? null;
}

/** @param {ValueRow|ElementRow} row @param {import("../../core/types.js").ThumbnailInfo} info */
const isStated = ({ address }, { nonfinite }) =>
  nonfinite && address !== null && badnessOf(address, true)?.badness === "neutral";

/** @param {ValueRow|ElementRow} row @param {import("../../core/types.js").ThumbnailInfo|null} info @param {string} range @param {boolean} ahead */
function rangeText({ address, elements, name }, info, range, ahead) {
  if (address === null) return html`<span class="later">not yet</span>`;
  if (elements) return null;
  const wrong = badnessOf(address, info?.nonfinite === true);
  const text = shortRange(range, OF_BOTH - Math.min(name.length, OF_BOTH - LEAST_NAME));
  return html`<span class=${`range ${wrong?.badness ?? ""}${ahead ? " ahead" : ""}${text.includes(",") ? " list" : ""}`} title=${wrong?.words || undefined}>${text}</span>`;
}

/** @param {ValueRow|ElementRow} row a second time lets go of it */
export function chooseRow({ value, path }) {
  if (isChosen(value, path)) chooseValue(null);
  else chooseValue(value, path);
}

/** @param {number} value @param {number[]} path @returns {boolean} */
const isChosen = (value, path) => store.chosenValue.value === value && String(store.chosenPath.value) === String(path);

/** Maximum characters of such a name in a row. */
const MOST = 18;

const shortNames = keptFor((/** @type {import("../../core/run/program.js").Program} */ program) =>
  cutNames([...shownNames(program).values()], MOST),
);

/** The name in a row; names in the text stay as they are, since their ends differ. @param {import("../../core/run/program.js").Program} program @param {string} name @returns {string} */
export const rowName = (program, name) => shortNames(program).get(name) ?? name;
