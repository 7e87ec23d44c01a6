/** The teacher's view of the class: a row per member, who needs help first, and a column per step of the lesson. */
import { html } from "htm/preact";
import { useRef } from "preact/hooks";
import { goTo } from "../../core/actions.js";
import * as store from "../../core/store.js";
import { countText } from "../../core/tensor/elements.js";
import { watch } from "./following.js";
import { needOf, placesOf, sortedByNeed } from "./model.js";
import * as lesson from "./lesson.js";
import { countWords, language, numberAnd, words } from "./lesson.js";
import * as state from "./state.js";
import { addPanel, focusFirst } from "../layout/panels.js";
/** @import {ClassMember} from "../../core/types.js" */

addPanel({
  id: "class",
  get title() {
    return words("classPanel");
  },
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
    ? html`<span class="badge" title=${`${numberAnd("handUp", "handsUp", counts?.hand ?? 0)}, ${numberAnd("isLost", "areLost", counts?.lost ?? 0)}`}>${need}</span>`
    : null;
}

export function ClassPanel() {
  return html`<div class="class-body" lang=${language.value}><${Class} /></div>`;
}

function Class() {
  const { counts, members, progress } = state.view.value;
  if (!counts) return html`<p class="empty" role="status">${words("classWaiting")}</p>`;
  if (counts.members + counts.uncounted === 0) return html`<p class="empty">${words("noMembers")}</p>`;
  const steps = lesson.steps();
  return html`<${Counts} counts=${counts} /><${Uncounted} count=${counts.uncounted} />
    ${steps.length === 0 && html`<${Places} members=${members} />`}
    <${Members} members=${members} steps=${steps} progress=${progress} />
    ${members.length < counts.members && html`<p class="quiet">${countWords("quietOne", "quietMany", counts.members - members.length)}</p>`}`;
}

/** @param {{counts: import("../../core/types.js").ClassCounts}} props */
function Counts({ counts }) {
  const parts = /** @type {const} */ ([
    ["following", "isFollowing", "areFollowing"],
    ["hand", "handUp", "handsUp"],
    ["lost", "isLost", "areLost"],
    ["own", "inCopy", "inCopy"],
    ["away", "away", "away"],
  ]);
  return html`<dl class="class-counts"><div><dt>${words("hereNow")}</dt><dd>${counts.members}</dd></div>${parts.map(([name, one, many]) => html`<div class=${counts[name] > 0 ? name : ""}><dt>${countWords(one, many, counts[name])}</dt><dd>${counts[name]}</dd></div>`)}</dl>`;
}

/** Those who came in a rush, whom the teacher may count. @param {{count: number}} props */
function Uncounted({ count }) {
  if (count === 0) return null;
  return html`<p class="class-uncounted">${countWords("rushOne", "rushMany", count)} <button class="plain" onClick=${() => state.tell({ type: "count_all" })}>${words("countThem")}</button></p>`;
}

/** The steps of the run, most members first; the step of the class is marked. @param {{members: ClassMember[]}} props */
function Places({ members }) {
  const position = state.roomState.value?.position;
  return html`<ul class="class-places" aria-label=${words("whereTheyAre")}>${placesOf(members)
    .slice(0, 12)
    .map(({ run, step, count }) => {
      const isClass = position?.run === run && position.step === step;
      const isRun = run === store.run.value?.number;
      const place = isRun ? words("atStep", countText(step)) : words("runAndStep", run, countText(step));
      return html`<li key=${`${run} ${step}`}><button title=${words("goToStep")} disabled=${!isRun} onClick=${() => goTo(step)}>${place}</button> <strong>${count}</strong>${isClass && ` · ${words("classIsHere")}`}</li>`;
    })}</ul>`;
}

/** @typedef {{member: ClassMember} & ReturnType<typeof needOf>} Row */

/** @param {{members: ClassMember[], steps: readonly {id: string, title: string}[], progress: import("../../core/types.js").StepProgress[]}} props */
function Members({ members, steps, progress }) {
  const at = state.roomState.value?.lesson_step ?? null;
  const ids = steps.map(({ id }) => id);
  const rows = sortedByNeed(members.map((member) => ({ member, ...needOf(member, ids, at) })));
  const { hold, inOrder } = useHeldOrder();
  const of = Object.fromEntries(progress.map((step) => [step.lesson_step, step]));
  const chalk = state.roomState.value?.chalk ?? null;
  return html`<div class="class-table" tabindex="0" role="group" aria-label=${words("members")} ...${hold}><table>
    <thead><tr><th scope="col">${words("member")}</th><th scope="col">${words("memberNeeds")}</th><th scope="col">${words("memberStep")}</th>
      ${steps.map(({ id, title }, number) => html`<th scope="col" key=${id} class=${id === at ? "here" : ""} title=${title}><span class="hidden">${title}</span><span aria-hidden="true">${number + 1}</span><${Count} step=${of[id]} /></th>`)}
      <th scope="col"><span class="hidden">${words("chalk")}</span></th></tr></thead>
    <tbody>${inOrder(rows).map((row) => html`<${Member} key=${row.member.name} row=${row} ids=${ids} hasChalk=${chalk === row.member.name} isWatched=${state.watched.value === row.member.name} />`)}</tbody></table></div>`;
}

/** How many are at a step, and have answered it. @param {{step?: import("../../core/types.js").StepProgress}} props */
function Count({ step }) {
  const { here = 0, right = 0, wrong = 0 } = step ?? {};
  return html`<small title=${`${words("hereNow")}, ${words("rightMark")}, ${words("wrongMark")}`}><span>${here}<span class="hidden"> ${words("hereNow")}</span></span> <span class="right">${right}<span class="hidden"> ${words("rightMark")}</span></span> <span class="wrong">${wrong}<span class="hidden"> ${words("wrongMark")}</span></span></small>`;
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
function Member({ row: { member, needs, isUp }, ids, hasChalk, isWatched }) {
  const { name, called, away, own, following, position, answers, lesson_step } = member;
  const doing = own ? words("inCopy") : following ? "" : words("alone");
  const sees = words(own ? "privateCopy" : "seeMember", name);
  return html`<tr class=${away ? "away" : ""}>
    <th scope="row"><button class="class-name" aria-pressed=${isWatched} aria-disabled=${own} title=${sees} onClick=${() => own || watch(name)}>${called ? `${called} · ${name}` : name}</button></th>
    <td class="class-needs">${needs.map((need, at) => (isUp && at === 0 ? html`<button class="plain" aria-label=${words("lowerHandOf", name)} onClick=${() => state.tell({ type: "hand", up: false, member: name })}>${need}</button> ` : html`<span>${need}</span> `))}</td>
    <td>${countText(position.step)}<span class="quiet"> ${doing}</span></td>
    ${ids.map((id) => html`<${Answer} key=${id} right=${answers[id]} isHere=${lesson_step === id} />`)}
    <td><button class="chalk" title=${words(hasChalk ? "takeChalk" : "lendChalk")} aria-pressed=${hasChalk} onClick=${() => state.tell({ type: "chalk", to: hasChalk ? null : name })}
      aria-label=${words(hasChalk ? "takeChalkFrom" : "lendChalkTo", name)}>${words(hasChalk ? "isWithChalk" : "chalkButton")}</button></td></tr>`;
}

/** @param {{right?: boolean, isHere: boolean}} props */
function Answer({ right, isHere }) {
  const [kind, sign, said] =
    right === undefined
      ? ["", "", ""]
      : right
        ? ["right", "✓", words("rightMark")]
        : ["wrong", "✗", words("wrongMark")];
  return html`<td class=${`answer ${kind} ${isHere ? "here" : ""}`}><span aria-hidden="true">${sign || (isHere ? "•" : "")}</span><span class="hidden">${said}${isHere && ` ${words("hereNow")}`}</span></td>`;
}
