/** Profile: where the time of the run goes, with bytes, floating-point operations and live memory, by op, kind, function and scope. */
import { html } from "htm/preact";
import { goToOp, lineOf } from "../../core/go_to_op.js";
import { shortName } from "../../core/run/op_names.js";
import { shortTitle } from "../../core/run/scopes.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { bytesText, countText, counted, short } from "../../core/tensor/elements.js";
import { addPanel, focusFirst } from "../layout/panels.js";
import { useProfile } from "./answer.js";
import { Flame } from "./flame.js";
import { COLUMNS, groupRows, largeText, opRows, secondsText, shareText, sorted, totalOf } from "./model.js";
import { by, isOfAll, most, open, order, ROWS } from "./state.js";
/** @import {By, Column, Row} from "./model.js" */
/** @import {ProfileInfo} from "../../core/types.js" */

addPanel({
  id: "profile",
  title: "Profile",
  dock: "stage",
  order: 12,
  isExtra: true,
  about: "time of each op",
  help: "profile",
  Panel: ProfilePanel,
  Head: undefined,
  exists: () => !isFile(),
  focus: focusFirst("select"),
});

/** @type {readonly {id: By, title: string}[]} */
const GROUPINGS = [
  { id: "op", title: "op" },
  { id: "kind", title: "kind of op" },
  { id: "function", title: "function" },
  { id: "scope", title: "scope" },
];

export function ProfilePanel() {
  const { version, value, error } = useProfile();
  if (version === null)
    return html`<p class="empty">When the program has run, this panel shows which ops took the time, and what they read, wrote and computed.</p>`;
  if (error) return html`<p class="empty" role="alert">${error.message}</p>`;
  if (!value) return html`<p class="empty">Computing the profile…</p>`;
  if (value.ops.length === 0) return html`<p class="empty">No op has been executed.</p>`;
  return html`<${Profile} profile=${value} version=${version} />`;
}

/** @param {{profile: ProfileInfo, version: string}} props */
function Profile({ profile, version }) {
  const total = totalOf(profile);
  return html`<div class="profile">
    <p role="status">${sentence(total)}</p>
    <${Flame} version=${version} />
    <div class="profile-bar"><label>A row for each <select onChange=${(/** @type {Event} */ event) => group(/** @type {HTMLSelectElement} */ (event.currentTarget).value)}>
      ${GROUPINGS.map(({ id, title }) => html`<option value=${id} selected=${by.value === id}>${title}</option>`)}</select></label>
      ${store.grid.value && html`<${Processes} />`}</div>
    <${Table} profile=${profile} total=${total} />
    <p class="profile-note">${profile.measured} ${profile.counted}</p>
  </div>`;
}

/** @param {Row} total @returns {string} */
function sentence({ seconds, count, places, flops }) {
  const computed = flops > 0 ? `${largeText(flops)} floating-point operations at most` : "no floating-point operations";
  return `${secondsText(seconds)} in ${counted(count, "execution")} of ${counted(places.length, "op")}, ${computed}.`;
}

/** @param {string} name */
function group(name) {
  by.value = /** @type {By} */ (name);
  most.value = ROWS;
}

function Processes() {
  const choose = (/** @type {Event} */ event) =>
    (isOfAll.value = /** @type {HTMLSelectElement} */ (event.currentTarget).value === "all");
  const name = store.grid.value?.nameOf(store.process.value);
  return html`<label>Processes <select onChange=${choose}><option value="all" selected=${isOfAll.value}>all</option>
    <option value="shown" selected=${!isOfAll.value}>only ${name}</option></select></label>`;
}

/** @param {{profile: ProfileInfo, total: Row}} props */
function Table({ profile, total }) {
  const { column, isDown } = order.value;
  const titleOf = (/** @type {number} */ op) => titleOfOp(op);
  const groups = by.value === "op" ? opRows(profile, titleOf) : groupRows(profile, by.value, groupName(profile));
  const rows = sorted(groups, column, isDown);
  const ops = by.value === "op" ? [] : opRows(profile, titleOf);
  const inside = (/** @type {Row} */ row) =>
    sorted(/** @type {Row[]} */ (row.places.map((at) => ops[at])), column, isDown);
  const current = store.calmOp.value;
  return html`<div class="profile-table"><table>
    <thead><tr>${COLUMNS.map((each) => html`<${Head} column=${each} />`)}</tr></thead>
    <tbody>${rows.slice(0, most.value).map(
      (
        row,
      ) => html`<${TableRow} key=${row.op ?? row.title} row=${row} total=${total} isCurrent=${row.op !== null && row.op === current} />
      ${
        row.op === null &&
        open.value.has(row.title) &&
        inside(row)
          .slice(0, ROWS)
          .map(
            (each) =>
              html`<${TableRow} key=${`op ${each.op}`} row=${each} total=${total} isInside isCurrent=${each.op === current} />`,
          )
      }`,
    )}</tbody></table>
    ${rows.length > most.value && html`<p class="profile-note"><button class="plain" onClick=${() => (most.value += 5 * ROWS)}>Show more</button> ${counted(rows.length - most.value, "more row")}</p>`}
  </div>`;
}

/** @param {number} op @returns {string} */
function titleOfOp(op) {
  const program = store.program.value;
  const info = program?.ops[op];
  if (!program || !info) return "";
  const [first] = info.results;
  return first === undefined ? shortName(info) : `${shortName(info)} ${program.value(first).name}`;
}

/** @param {ProfileInfo} profile @returns {(title: string, by: By) => string} */
function groupName({ scopes }) {
  const titles = scopes.titles.filter(Boolean);
  return (title, kind) => {
    if (kind === "scope") return title === "" ? "no scope" : shortTitle(title, titles) || title;
    return kind === "function" && store.program.value?.language !== "hlo" ? `@${title}` : title;
  };
}

/** A head that sorts. @param {{column: typeof COLUMNS[number]}} props */
function Head({ column: { id, head, title } }) {
  const { column, isDown } = order.value;
  const is = column === id;
  const turn = () => (order.value = { column: id, isDown: is ? !isDown : id !== "title" });
  return html`<th scope="col" aria-sort=${is ? (isDown ? "descending" : "ascending") : null} class=${id}>
    <button onClick=${turn} title=${title}>${head}${is && html`<span aria-hidden="true">${isDown ? " ▾" : " ▴"}</span>`}</button></th>`;
}

/** @param {{row: Row, total: Row, isCurrent: boolean, isInside?: boolean}} props */
function TableRow({ row, total, isCurrent, isInside = false }) {
  const share = total.seconds > 0 ? row.seconds / total.seconds : 0;
  return html`<tr class=${isInside ? "inside" : ""} aria-current=${isCurrent ? "true" : null}>
    <th scope="row"><${Name} row=${row} /></th>
    <td class="seconds"><span class="profile-share" style=${{ width: `${100 * share}%` }} aria-hidden="true"></span><span title=${shareText(row.seconds, total.seconds)}>${secondsText(row.seconds)}</span></td>
    <td title=${shareText(row.total, total.total)}>${secondsText(row.total)}</td>
    <td>${countText(row.count)}</td><td>${bytesText(row.read)}</td><td>${bytesText(row.written)}</td>
    <td title=${countText(row.flops)}>${row.flops > 0 ? largeText(row.flops) : ""}</td>
    <td>${row.intensity >= 0 ? short(row.intensity, 3) : ""}</td><td>${bytesText(row.live)}</td></tr>`;
}

/** The name of a row: a way to its op, or what opens its group. @param {{row: Row}} props */
function Name({ row: { title, op, places } }) {
  if (op !== null)
    return html`<button class="profile-op" onClick=${() => goToOp(op)} title=${`Go to ${title}, line ${lineOf(op)}`}><span class="profile-name">${title}</span> <span class="profile-line">line ${lineOf(op)}</span></button>`;
  const isOpen = open.value.has(title);
  const turn = () =>
    (open.value = new Set(isOpen ? [...open.value].filter((each) => each !== title) : [...open.value, title]));
  return html`<button class="profile-op" aria-expanded=${isOpen} onClick=${turn} title=${title}><span aria-hidden="true">${isOpen ? "▾ " : "▸ "}</span><span class="profile-name">${title}</span> <span class="profile-line">${counted(places.length, "op")}</span></button>`;
}
