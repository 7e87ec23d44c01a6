/** The teacher's view of the class: who follows, who needs help, and where members are. */
import { html } from "htm/preact";
import { goTo } from "../../core/actions.js";
import * as store from "../../core/store.js";
import { countText, counted } from "../../core/tensor/elements.js";
import { placesOf, sortedMembers } from "./model.js";
import * as lesson from "./lesson.js";
import * as state from "./state.js";
import { addPanel, focusFirst } from "../layout/panels.js";
/** @import {ClassMember} from "../../core/types.js" */

addPanel({
  id: "class",
  title: "Class",
  dock: "inspector",
  order: 4,
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
  if (counts.members === 0)
    return html`<p class="empty">No members yet. <em>Room, Invite the class</em> shows the link and the code.</p>`;
  return html`<${Counts} counts=${counts} />
    <${Places} members=${members} />
    ${progress.length > 0 && html`<${Progress} progress=${progress} />`}
    <${Members} members=${members} all=${counts.members} />`;
}

/** @param {{counts: import("../../core/types.js").ClassCounts}} props */
function Counts({ counts }) {
  const parts = /** @type {["following"|"lost"|"hand"|"own"|"away", string][]} */ ([
    ["following", "following"],
    ["lost", "lost"],
    ["hand", counts.hand === 1 ? "hand up" : "hands up"],
    ["own", "in a copy"],
    ["away", "away"],
  ]);
  return html`<dl class="class-counts"><div><dt>here</dt><dd>${counts.members}</dd></div>${parts.map(([name, words]) => html`<div class=${counts[name] > 0 ? name : ""}><dt>${words}</dt><dd>${counts[name]}</dd></div>`)}</dl>`;
}

/** Members per step as bars; the step of the class is marked. @param {{members: ClassMember[]}} props */
function Places({ members }) {
  const places = placesOf(members);
  const most = Math.max(1, ...places.map(({ count }) => count));
  const position = state.roomState.value?.position;
  return html`<section class="section class-places" aria-labelledby="class-places"><h3 id="class-places">Where they are</h3>
    <ul>${places.slice(0, 12).map(({ run, step, count }) => {
      const isClass = position?.run === run && position.step === step;
      const words = `${run === store.run.value?.number ? "" : `run ${run}, `}step ${countText(step)}`;
      return html`<li key=${`${run} ${step}`}><button title="Go there" disabled=${run !== store.run.value?.number} onClick=${() => goTo(step)}>${words}</button>
        <span class="bar" style=${{ width: `${(100 * count) / most}%` }} aria-hidden="true"></span><span>${count}${isClass && " · the class"}</span></li>`;
    })}</ul></section>`;
}

/** @param {{progress: import("../../core/types.js").StepProgress[]}} props */
function Progress({ progress }) {
  const steps = progress
    .map((step) => ({ ...step, ...lesson.placeOf(step.lesson_step) }))
    .sort((one, other) => one.at - other.at);
  return html`<section class="section" aria-labelledby="class-progress"><h3 id="class-progress">Steps of the lesson</h3>
    <table class="class-table"><thead><tr><th scope="col">Step</th><th scope="col">here</th><th scope="col">right</th><th scope="col">not yet right</th></tr></thead>
    <tbody>${steps.map(({ lesson_step, title, here, right, wrong }) => html`<tr key=${lesson_step}><th scope="row">${title}</th><td>${here}</td><td>${right}</td><td>${wrong}</td></tr>`)}</tbody></table></section>`;
}

/** @param {{members: ClassMember[], all: number}} props */
function Members({ members, all }) {
  const chalk = state.roomState.value?.chalk ?? null;
  return html`<section class="section" aria-labelledby="class-members"><h3 id="class-members">Members</h3>
    <ul class="class-members">${sortedMembers(members).map((member) => html`<${Member} key=${member.name} member=${member} hasChalk=${chalk === member.name} />`)}</ul>
    ${members.length < all && html`<p class="quiet">${counted(all - members.length, "more person", "more people")}, who need nothing now.</p>`}</section>`;
}

/** @param {{member: ClassMember, hasChalk: boolean}} props */
function Member({ member, hasChalk }) {
  const { name, called, hand, lost, away, following, own, step } = member;
  const doing = away ? "away" : own ? "in a copy" : following ? "following" : "by themselves";
  return html`<li class=${away ? "away" : ""}><span class="name">${called ? `${called} · ${name}` : name}</span>
    <span class="quiet">${doing}, step ${countText(step)}</span>
    ${hand && html`<button class="plain said" aria-label=${`Take the hand of ${name} down`} onClick=${() => state.tell({ type: "hand", up: false, member: name })}>hand up</button>`}
    ${lost && html`<strong class="said">lost</strong>`}
    <button class="chalk" title=${hasChalk ? "Take the chalk back" : "Lend the chalk: the class follows them"} aria-pressed=${hasChalk} onClick=${() => state.tell({ type: "chalk", to: hasChalk ? null : name })}
      aria-label=${hasChalk ? `Take the chalk back from ${name}` : `Lend the chalk to ${name}`}>${hasChalk ? "has the chalk" : "chalk"}</button></li>`;
}
