/** What changed in memory and traffic from one program to another: figures, and the buffers that only one peak has. */
import { html } from "htm/preact";
import { bytesText, counted, countText, percentText } from "../core/tensor/elements.js";
/** @import {MemoryChange, MemoryDifference, PeakBuffers} from "../core/types.js" */

/** Maximum rows of buffers that only one of two peaks has. */
const MOST_ONLY = 20;
/** The names of figures that the answer abbreviates. @type {Record<string, string>} */
const FIGURES = { sent: "sent by a process" };

/** A program by its name. `link`: the address of one of its lines, where there is one. @typedef {{name: string, title?: string, link?: (line: number) => string}} Side */

/** @param {{found: MemoryDifference, before: Side, after: Side}} props */
export function MemoryChanges({ found, before, after }) {
  const titles = [before, after].map(({ name, title }) => title ?? name);
  return html`<table class="memory-changes"><thead><tr><td></td>${titles.map((title) => html`<th scope="col">${title}</th>`)}<th scope="col">Change</th></tr></thead>
      <tbody>${found.changes.map(
        (
          each,
        ) => html`<tr key=${each.name} class=${each.after > each.before ? "more" : each.after < each.before ? "less" : ""}>
        <th scope="row">${FIGURES[each.name] ?? each.name.replace(/^stablehlo\./, "")}</th>
        <td>${figureText(each.unit, each.before)}</td><td>${figureText(each.unit, each.after)}</td><td>${changeText(each)}</td></tr>`,
      )}</tbody></table>
    <${OnlyOne} side=${before} found=${found.onlyBefore} /><${OnlyOne} side=${after} found=${found.onlyAfter} />`;
}

/** @param {"bytes"|"ops"} unit @param {number} figure */
const figureText = (unit, figure) => (unit === "bytes" ? bytesText(figure) : countText(figure));

/** `+512 KiB, +15.4 %`, or empty. @param {import("../core/types.js").MemoryChange} change @returns {string} */
export function changeText({ unit, before, after }) {
  if (before === after) return "";
  const sign = after > before ? "+" : "−";
  const apart = Math.abs(after - before);
  if (unit === "ops") return `${sign}${countText(apart)}`;
  const share = before > 0 ? `, ${sign}${percentText(apart / before)}` : "";
  return `${sign}${bytesText(apart)}${share}`;
}

/** The buffers that only one of the peaks has. @param {{side: Side, found: PeakBuffers[]}} props */
function OnlyOne({ side, found }) {
  if (found.length === 0) return null;
  const rest = found.length - MOST_ONLY;
  return html`<h4>Only at the peak of ${side.name}</h4><ul class="memory-only">${found.slice(0, MOST_ONLY).map(
    ({ count, bytes, kind, location, name, line }) => html`<li key=${`${bytes} ${kind} ${location}`}>
    <span class="memory-bytes">${count > 1 ? `${countText(count)} × ` : ""}${bytesText(bytes)}</span><span class="memory-kind">${kind}</span>
    ${side.link && html`<a href=${side.link(line)}>${name}, line ${countText(line)}</a>`}<${Source} location=${location} /></li>`,
  )}</ul>${rest > 0 && html`<p class="memory-note">and ${counted(rest, "more kind of buffer", "more kinds of buffers")}</p>`}`;
}

/** A location in the user's source, by the name of its file. @param {{location: string|null}} props */
export function Source({ location }) {
  if (!location) return html`<span class="memory-source"></span>`;
  return html`<span class="memory-source" title=${location}>${location.replace(/^.*[\\/]/, "")}</span>`;
}
