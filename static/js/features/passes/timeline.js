/** The passes of a module, one row each: the pass, its changes of the text, and its effect on values. */
import { countText } from "../../core/tensor/elements.js";
import { html } from "htm/preact";
import { useMemo } from "preact/hooks";
import { itemOf } from "../../core/search/folds.js";
import { ListFilter } from "../../ui/list_filter.js";
import { VirtualList } from "../../ui/virtual_list.js";
import {
  countMarks,
  itemsOf,
  markOf,
  MARK_WORDS,
  MARKS,
  nameOf,
  pipelinesOf,
  pipelineWords,
  placeWords,
  shortVerdictWords,
  verdictWords,
  WRONG,
} from "./model.js";
import * as state from "./state.js";
import { Choice } from "../../ui/fields.js";
/** @import {Item, Mark} from "./model.js" */

export function Timeline() {
  const stages = state.stages.value;
  const wanted = {
    words: state.words.value,
    pipeline: state.pipeline.value,
    marks: state.marks.value,
    opened: state.opened.value,
    changedOnly: state.changedOnly.value,
  };
  const known = state.found.value;
  const items = useMemo(
    () => itemsOf(stages, state.foundAt, wanted),
    [stages, known, state.module.value, ...Object.values(wanted)],
  );
  const at = state.stage.value;
  const first = state.progress.value?.first_wrong;
  const firstWrong = first && first.module === state.module.value ? first.stage : -1;
  const moveTo = (/** @type {number} */ index) => {
    const item = items[index];
    if (item) state.choose(item.kind === "stage" ? item.at : item.from);
  };
  const choose = (/** @type {number} */ index) => {
    const item = items[index];
    if (item?.kind === "fold") state.opened.value = new Set([...state.opened.value, item.from]);
    else moveTo(index);
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const item = items[itemOf(items, at)];
    if (event.key !== "Enter" || item?.kind !== "stage") return false;
    void state.stepThrough(at);
    return true;
  };
  return html`<${Filters} stages=${stages} />
    <${Strip} stages=${stages} at=${at} />
    <div class="pass-columns" aria-hidden="true"><span>pass</span><span></span><span title="instructions added">+</span><span title="removed">−</span><span title="changed">~</span><span>values</span></div>
    ${items.length === 0 && html`<p class="empty">No matches.</p>`}
    <div class="pass-rows"><${VirtualList} label="Passes" role="listbox" count=${items.length} scrolls cursor=${Math.max(0, itemOf(items, at))}
      row=${(/** @type {number} */ index) => listRow(/** @type {Item} */ (items[index]), stages, at, firstWrong)}
      choose=${choose} moveTo=${moveTo} onKey=${onKey} /></div>`;
}

/** @param {{stages: readonly import("../../core/types.js").DumpStage[]}} props */
function Filters({ stages }) {
  const pipelines = useMemo(() => pipelinesOf(stages), [stages]);
  const counts = countMarks(stages.flatMap((_, at) => state.foundAt(at) ?? []));
  const turn = (/** @type {Mark} */ mark) => {
    const next = new Set(state.marks.value);
    if (!next.delete(mark)) next.add(mark);
    state.marks.value = next;
  };
  const options = [["", "all pipelines"], ...pipelines.map((name) => [name, name])];
  const shown = MARKS.filter((mark) => counts.get(mark) && mark !== "same_text");
  return html`<div class="pass-filter">
    <${ListFilter} label="Filter passes" placeholder="Filter: algsimp, 14, NaN" text=${state.words.value} setText=${(/** @type {string} */ text) => (state.words.value = text)} />
    ${
      pipelines.length > 1 &&
      html`<${Choice} aria-label="Pipeline" options=${options} value=${state.pipeline.value} choose=${(/** @type {string} */ name) => (state.pipeline.value = name)} />`
    }
    <div class="pass-chips" role="group" aria-label="Which passes are shown">
      <button class="chip" aria-pressed=${state.changedOnly.value} onClick=${() => (state.changedOnly.value = !state.changedOnly.value)}>changed only</button>
      ${shown.map((mark) => html`<button class=${`chip mark-${mark}`} key=${mark} aria-pressed=${state.marks.value.has(mark)} onClick=${() => turn(mark)}>${counts.get(mark)} ${MARK_WORDS[mark]}</button>`)}
    </div></div>`;
}

/** Maximum number of stages; more would be narrower than a pixel. */
const MOST_CELLS = 600;

/** All passes as cells in one row; the list has the same data for screen readers. @param {{stages: readonly import("../../core/types.js").DumpStage[], at: number}} props */
function Strip({ stages, at }) {
  if (stages.length > MOST_CELLS || stages.length < 2) return null;
  return html`<div class="pass-strip" aria-hidden="true">${stages.map(
    (
      stage,
      number,
    ) => html`<span key=${number} class=${`mark-${markOf(state.foundAt(number)) ?? "none"}${number === at ? " at" : ""}`}
      title=${`${stage.title}${stage.number === null ? "" : ` (${stage.number})`}: ${verdictWords(state.foundAt(number))}`} onClick=${() => state.choose(number)}></span>`,
  )}</div>`;
}

/**
 * @param {Item} item @param {readonly import("../../core/types.js").DumpStage[]} stages @param {number} at @param {number} firstWrong
 * @returns {import("../../ui/virtual_list.js").Row}
 */
function listRow(item, stages, at, firstWrong) {
  if (item.kind === "fold") {
    const text = `${countText(item.to - item.from)} passes changed nothing`;
    const inside = item.from <= at && at < item.to;
    return {
      content: html`<span></span><span class="fold">⋯ ${text}</span>`,
      class: "fold",
      label: `${text}: show them`,
      selected: inside,
    };
  }
  const stage = /** @type {import("../../core/types.js").DumpStage} */ (stages[item.at]);
  const found = state.foundAt(item.at);
  const mark = markOf(found);
  const isFirst = item.at === firstWrong;
  const { name, isPass } = nameOf(stage, found);
  const classes = [`mark-${mark ?? "none"}`, isFirst ? "first" : "", mark && WRONG.includes(mark) ? "culprit" : ""];
  return {
    content: html`<span class="number">${isFirst ? "➤" : ""}${stage.number ?? ""}</span>
      <span class="pass"><span class=${isPass ? "name" : "start"}>${name}</span>${isPass && html`<span class="pipeline">${pipelineWords(stage)}</span>`}</span>
      <${Count} sign="+" of=${found?.added} /><${Count} sign="−" of=${found?.removed} /><${Count} sign="~" of=${found?.changed} />
      <span class="verdict">${shortVerdictWords(found)}</span>`,
    class: classes.filter(Boolean).join(" "),
    selected: item.at === at,
    label: spoken(stage, stages, item.at),
    title: found?.reason || undefined,
  };
}

/** @param {{sign: string, of: number|undefined}} props */
function Count({ sign, of }) {
  return html`<span class="count">${of ? `${sign}${countText(of)}` : ""}</span>`;
}

/** @param {import("../../core/types.js").DumpStage} stage @param {readonly import("../../core/types.js").DumpStage[]} stages @param {number} at */
function spoken(stage, stages, at) {
  const found = state.foundAt(at);
  const place = placeWords(stage, stages);
  const counts = found && (found.added || found.removed || found.changed);
  const changes = counts ? `, ${found.added} added, ${found.removed} removed, ${found.changed} changed` : "";
  return `${stage.title}${place ? ` (${place})` : ""}: ${verdictWords(found) || "not known yet"}${changes}`;
}
