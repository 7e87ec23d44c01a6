/** The teacher's view of the class: a row per member, who needs help first, and a column per step of the lesson. */
import { html } from "htm/preact";
import { useRef } from "preact/hooks";
import { goTo } from "../../core/actions.js";
import * as store from "../../core/store.js";
import { countText, counted } from "../../core/tensor/elements.js";
import { watch } from "./following.js";
import { needOf, placesOf, sortedByNeed } from "./model.js";
import * as lesson from "./lesson.js";
import * as state from "./state.js";
import { addPanel, focusFirst } from "../layout/panels.js";
/** @import {ClassMember} from "../../core/types.js" */

addPanel({
  id: "class",
  title: "Class",
  dock: "class",
  order: 1,
  isExtra: true,
  help: "rooms",
  Panel: ClassPanel,
  Badge: ClassBadge,
  exists: hasClass,
  focus: focusFirst("button"),
});

/** Whether this page shows the panel. */
function hasClass() {
  return state.isTeacher.value && !state.view.value.hasEnded;
}

/** The badge of the tab: the number of members who need help. */
export function ClassBadge() {
  const { counts } = state.view.value;
  const need = (counts?.hand ?? 0) + (counts?.lost ?? 0);
  return need > 0
    ? html`<span class="badge" title=${`${counted(counts?.hand ?? 0, "hand")} up, ${counts?.lost ?? 0} lost`}>${need}</span>`
    : null;
}

export function ClassPanel() {
  const { counts, members, progress } = state.view.value;
  if (!counts) return html`<p class="empty" role="status">Waiting for word of the class…</p>`;
  if (counts.members + counts.uncounted === 0)
    return html`<p class="empty">No members yet. <em>Room, Invite the class</em> shows the link and the code.</p>`;
  const steps = lesson.steps();
  return html`<${Counts} counts=${counts} /><${Uncounted} count=${counts.uncounted} />
    ${steps.length === 0 && html`<${Places} members=${members} />`}
    <${Members} members=${members} steps=${steps} progress=${progress} />
    ${members.length < counts.members && html`<p class="quiet">${counted(counts.members - members.length, "more person", "more people")}, who need nothing now.</p>`}`;
}

/** @param {{counts: import("../../core/types.js").ClassCounts}} props */
function Counts({ counts }) {
  const parts = /** @type {["following"|"lost"|"hand"|"own"|"away", string][]} */ ([
    ["following", "following"],
    ["hand", counts.hand === 1 ? "hand up" : "hands up"],
    ["lost", "lost"],
    ["own", "in a copy"],
    ["away", "away"],
  ]);
  return html`<dl class="class-counts"><div><dt>here</dt><dd>${counts.members}</dd></div>${parts.map(([name, words]) => html`<div class=${counts[name] > 0 ? name : ""}><dt>${words}</dt><dd>${counts[name]}</dd></div>`)}</dl>`;
}

/** Those who came in a rush, whom the teacher may count. @param {{count: number}} props */
function Uncounted({ count }) {
  if (count === 0) return null;
  return html`<p class="class-uncounted">${counted(count, "more person", "more people")} joined in a rush, perhaps from one machine. They are not in this table, and polls do not count their answers. <button class="plain" onClick=${() => state.tell({ type: "count_all" })}>Count them</button></p>`;
}

/** The steps of the run, most members first; the step of the class is marked. @param {{members: ClassMember[]}} props */
function Places({ members }) {
  const position = state.roomState.value?.position;
  return html`<ul class="class-places" aria-label="Where they are">${placesOf(members)
    .slice(0, 12)
    .map(({ run, step, count }) => {
      const isClass = position?.run === run && position.step === step;
      const words = `${run === store.run.value?.number ? "" : `run ${run}, `}step ${countText(step)}`;
      return html`<li key=${`${run} ${step}`}><button title="Go there" disabled=${run !== store.run.value?.number} onClick=${() => goTo(step)}>${words}</button> <strong>${count}</strong>${isClass && " · the class"}</li>`;
    })}</ul>`;
}

/** @typedef {{member: ClassMember, rank: number, words: string[]}} Row */

/** @param {{members: ClassMember[], steps: readonly {id: string, title: string}[], progress: import("../../core/types.js").StepProgress[]}} props */
function Members({ members, steps, progress }) {
  const at = state.roomState.value?.lesson_step ?? null;
  const ids = steps.map(({ id }) => id);
  const rows = sortedByNeed(members.map((member) => ({ member, ...needOf(member, ids, at) })));
  const { hold, inOrder } = useHeldOrder();
  const of = Object.fromEntries(progress.map((step) => [step.lesson_step, step]));
  const chalk = state.roomState.value?.chalk ?? null;
  return html`<div class="class-table" tabindex="0" role="group" aria-label="Members" ...${hold}><table>
    <thead><tr><th scope="col">Member</th><th scope="col">Needs</th><th scope="col">Step</th>
      ${steps.map(({ id, title }, number) => html`<th scope="col" key=${id} class=${id === at ? "here" : ""} title=${title}><span class="hidden">${title}</span><span aria-hidden="true">${number + 1}</span><${Count} step=${of[id]} /></th>`)}
      <th scope="col"><span class="hidden">Chalk</span></th></tr></thead>
    <tbody>${inOrder(rows).map((row) => html`<${Member} key=${row.member.name} row=${row} ids=${ids} hasChalk=${chalk === row.member.name} isWatched=${state.watched.value === row.member.name} />`)}</tbody></table></div>`;
}

/** How many are at a step, and have answered it. @param {{step?: import("../../core/types.js").StepProgress}} props */
function Count({ step }) {
  const { here = 0, right = 0, wrong = 0 } = step ?? {};
  return html`<small title="here, right, wrong"><span>${here}<span class="hidden"> here</span></span> <span class="right">${right}<span class="hidden"> right</span></span> <span class="wrong">${wrong}<span class="hidden"> wrong</span></span></small>`;
}

/** While the pointer or the focus is in the table, its rows keep their order: nobody clicks on a row that has just moved. */
function useHeldOrder() {
  const held = useRef({ isHeld: false, names: /** @type {string[]} */ ([]) });
  const set = (/** @type {boolean} */ isHeld) => () => void (held.current.isHeld = isHeld);
  const inOrder = (/** @type {Row[]} */ rows) => {
    const { isHeld, names } = held.current;
    const place = new Map(names.map((name, at) => [name, at]));
    const placeOf = (/** @type {Row} */ { member }) => place.get(member.name) ?? names.length;
    const kept = isHeld ? rows.sort((one, other) => placeOf(one) - placeOf(other)) : rows;
    held.current.names = kept.map(({ member }) => member.name);
    return kept;
  };
  return {
    hold: { onPointerEnter: set(true), onPointerLeave: set(false), onFocusIn: set(true), onFocusOut: set(false) },
    inOrder,
  };
}

/** @param {{row: Row, ids: readonly string[], hasChalk: boolean, isWatched: boolean}} props */
function Member({ row: { member, words }, ids, hasChalk, isWatched }) {
  const { name, called, away, own, following, position, answers, lesson_step } = member;
  const doing = own ? "in a copy" : following ? "" : "alone";
  const sees = own ? `${name} is in a private copy, which you cannot see` : `See what ${name} sees`;
  return html`<tr class=${away ? "away" : ""}>
    <th scope="row"><button class="class-name" aria-pressed=${isWatched} aria-disabled=${own} title=${sees} onClick=${() => own || watch(name)}>${called ? `${called} · ${name}` : name}</button></th>
    <td class="class-needs">${words.map((word) => (word === "hand up" ? html`<button class="plain" aria-label=${`Take the hand of ${name} down`} onClick=${() => state.tell({ type: "hand", up: false, member: name })}>hand up</button> ` : html`<span>${word}</span> `))}</td>
    <td>${countText(position.step)}<span class="quiet"> ${doing}</span></td>
    ${ids.map((id) => html`<${Answer} key=${id} right=${answers[id]} isHere=${lesson_step === id} />`)}
    <td><button class="chalk" title=${hasChalk ? "Take the chalk back" : "Lend the chalk: the class follows them"} aria-pressed=${hasChalk} onClick=${() => state.tell({ type: "chalk", to: hasChalk ? null : name })}
      aria-label=${hasChalk ? `Take the chalk back from ${name}` : `Lend the chalk to ${name}`}>${hasChalk ? "has the chalk" : "chalk"}</button></td></tr>`;
}

/** @param {{right?: boolean, isHere: boolean}} props */
function Answer({ right, isHere }) {
  const [kind, sign, words] =
    right === undefined ? ["", "", ""] : right ? ["right", "✓", "right"] : ["wrong", "✗", "wrong"];
  return html`<td class=${`answer ${kind} ${isHere ? "here" : ""}`}><span aria-hidden="true">${sign || (isHere ? "•" : "")}</span><span class="hidden">${words}${isHere && " here"}</span></td>`;
}
