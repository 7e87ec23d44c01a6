/** A pass: its verdict, and the texts before and after it. */
import { html } from "htm/preact";
import { useMemo, useState } from "preact/hooks";
import { getJson } from "../../core/api.js";
import { VirtualList } from "../../ui/virtual_list.js";
import {
  differingPieces,
  inOneColumn,
  instructionWords,
  markOf,
  nameOf,
  piecesOf,
  pipelineWords,
  placeWords,
  verdictWords,
  withoutMetadata,
  worstWords,
  WRONG,
} from "./model.js";
import { errorText } from "../../core/messages.js";
import { countText, counted } from "../../core/tensor/elements.js";
import * as state from "./state.js";
import { useParts } from "../../ui/resource.js";
import { matches } from "../../ui/media.js";
/** @import {DiffFold, DiffLine, DiffRow, StageDifference as Difference} from "../../core/types.js" */

/** @typedef {{told: Difference, items: (DiffRow|DiffFold)[]}} Loaded */

/** Items per request. */
const PAGE = 2_000;
/** Maximum number of items that are loaded. */
const MOST_ITEMS = 20_000;
const DIFFERING = ["changed", "replaced", "added", "removed"];

export function PassDetail() {
  const at = state.stage.value;
  const stages = state.stages.value;
  const stage = stages[at];
  if (!stage) return html`<p class="empty">This module has no text.</p>`;
  const place = placeWords(stage, stages);
  const { name, isPass } = nameOf(stage, state.foundAt(at));
  return html`<header class="pass-head">
      <div><h2>${isPass ? html`<code>${name}</code>` : name}</h2>
        <p class="quiet">${[place, isPass && pipelineWords(stage)].filter(Boolean).join(" · ")}${stage.since ? ` · or a pass since ${stage.since}: not each one was dumped` : ""}</p></div>
      <button class="primary" onClick=${() => state.stepThrough(at)} aria-busy=${state.isOpening.value} disabled=${state.isOpening.value}
        title="Open both texts as two runs on the same inputs (Enter in the list)">${state.isOpening.value ? "Opening…" : at === 0 ? "Step through" : "Step through both"}</button>
    </header>
    <${Verdict} found=${state.foundAt(at)} />
    <${Texts} key=${`${state.module.value}.${at}`} at=${at} />`;
}

/** @param {{found: import("../../core/types.js").StageFound|undefined}} props */
function Verdict({ found }) {
  if (!found) return html`<p class="pass-verdict quiet">Not examined yet.</p>`;
  const mark = markOf(found);
  const { worst, reason, hint } = found;
  const isCulprit = mark !== null && WRONG.includes(mark);
  const counts = [
    [found.added, "added"],
    [found.removed, "removed"],
    [found.changed, "changed"],
  ].flatMap(([count, word]) => (count ? [`${countText(Number(count))} ${word}`] : []));
  return html`<div class="pass-verdict"><p><span class=${`verdict mark-${mark}`}>${verdictWords(found)}</span>${" "}
      ${counts.length > 0 && html`<span class="quiet">Instructions: ${counts.join(", ")}.</span>`}</p>
    ${worst && html`<p class=${isCulprit ? "worst culprit" : "worst"}>${isCulprit || worst.replaced ? html`<code>${instructionWords(worst)}</code> ` : ""}${worstWords(worst)}</p>`}
    ${reason && html`<p class="reason">${[reason, hint].filter(Boolean).join(". ")}</p>`}</div>`;
}

/** Both texts, with equal lines folded. @param {{at: number}} props */
function Texts({ at }) {
  const { value: loaded, error } = useParts(String(at), (stop, /** @type {(loaded: Loaded) => void} */ show) =>
    load(at, stop, show),
  );
  const [opened, setOpened] = useState(/** @type {ReadonlyMap<number, DiffRow[]>} */ (new Map()));
  const [chosen, setChosen] = useState(/** @type {number|null} */ (null));
  const isNarrow = isNarrowWindow.value;
  const items = useMemo(() => {
    const all = loaded ? withOpened(loaded.items, opened) : [];
    return isNarrow ? inOneColumn(all) : all;
  }, [loaded, opened, isNarrow]);
  const found = state.foundAt(at);
  const worst = found?.worst?.value.replace(/^%/, "") ?? "";
  const mark = markOf(found);
  const isWrong = mark !== null && WRONG.includes(mark);
  const worstAt = useMemo(
    () => items.findIndex((item) => item.kind !== "fold" && worst !== "" && item.after?.name === worst),
    [items, worst],
  );
  if (error) return html`<p class="empty" role="alert">${errorText(error)}</p>`;
  if (!loaded) return html`<p class="empty" role="status">Comparing the texts…</p>`;
  const { told } = loaded;
  const cursor = chosen ?? (worstAt >= 0 ? worstAt : Math.max(0, items.findIndex(isDifferent)));
  const open = async (/** @type {DiffFold} */ fold) => {
    const rows = await rowsOf(at, fold);
    setOpened(new Map([...opened, [fold.row, rows]]));
  };
  const choose = (/** @type {number} */ index) => {
    const item = items[index];
    setChosen(index);
    if (item?.kind === "fold") open(item).catch((reason) => (state.problem.value = errorText(reason)));
  };
  const alone = told.before === null;
  return html`${told.note && html`<p class="quiet pass-note">${told.note}</p>`}
    ${told.total > MOST_ITEMS && html`<p class="quiet pass-note">These are the first ${countText(MOST_ITEMS)} of ${countText(told.total)} lines.</p>`}
    <div class=${`diff${alone ? " alone" : isNarrow ? " narrow" : ""}`}><${VirtualList} label=${alone ? "The text" : "Both texts"} role="listbox" count=${items.length} scrolls cursor=${cursor}
      row=${(/** @type {number} */ index) => diffRow(/** @type {DiffRow|DiffFold} */ (items[index]), index === cursor, isWrong && index === worstAt, isNarrow && !alone)}
      choose=${choose} moveTo=${(/** @type {number} */ index) => setChosen(index)} /></div>
    <${WholeLines} item=${wholeOf(items[cursor])} />`;
}

/** The row that contains a line of one column. @param {(DiffRow|DiffFold) & {whole?: DiffRow|DiffFold}|undefined} item */
const wholeOf = (item) => item?.whole ?? item;

/** Whether there is space for only one column. */
const isNarrowWindow = matches("(max-width: 899px)");

/** @param {DiffRow|DiffFold} item */
const isDifferent = (item) => DIFFERING.includes(item.kind);

/** Opened folds, as their rows. @param {(DiffRow|DiffFold)[]} items @param {ReadonlyMap<number, DiffRow[]>} opened */
const withOpened = (items, opened) =>
  opened.size === 0 ? items : items.flatMap((item) => (item.kind === "fold" && opened.get(item.row)) || item);

/** The texts of a stage and the one before, page by page. @param {number} at @param {AbortSignal} signal @param {(loaded: Loaded) => void} show */
async function load(at, signal, show) {
  const path = state.stagePath(at, "/difference");
  /** @type {(DiffRow|DiffFold)[]} */
  const items = [];
  for (;;) {
    /** @type {Difference} */
    const told = await getJson(`${path}?from=${items.length}&limit=${PAGE}`, signal);
    items.push(...told.items);
    if (signal.aborted) return;
    show({ told, items: [...items] });
    if (told.items.length === 0 || items.length >= Math.min(told.total, MOST_ITEMS)) return;
  }
}

/** The rows of a fold. @param {number} at @param {DiffFold} fold @returns {Promise<DiffRow[]>} */
async function rowsOf(at, { row, count }) {
  /** @type {DiffRow[]} */
  const rows = [];
  while (rows.length < Math.min(count, MOST_ITEMS)) {
    const limit = Math.min(PAGE, count - rows.length);
    /** @type {Difference} */
    const told = await getJson(
      state.stagePath(at, `/difference?folded=false&from=${row + rows.length}&limit=${limit}`),
    );
    if (told.items.length === 0) break;
    rows.push(.../** @type {DiffRow[]} */ (told.items));
  }
  return rows;
}

const KIND_MARKS = /** @type {Record<string, string>} */ ({
  changed: "~",
  replaced: "~",
  added: "+",
  removed: "−",
  moved: "↕",
});

/** @param {DiffRow|DiffFold} item @param {boolean} isChosen @param {boolean} isCulprit @param {boolean} isNarrow @returns {import("../../ui/virtual_list.js").Row} */
function diffRow(item, isChosen, isCulprit, isNarrow) {
  if (item.kind === "fold") {
    const text = `${counted(item.count, "line")} without a changed instruction`;
    return {
      content: html`<span class="fold">⋯ ${text}</span>`,
      class: "fold",
      label: `${text}: show them`,
      selected: isChosen,
    };
  }
  const { kind, before, after } = item;
  if (isNarrow)
    return {
      content: html`<${Side} line=${after ?? before} /><span class="kind" aria-hidden="true">${isCulprit ? "➤" : oneColumnMark(item)}</span>`,
      class: `kind-${kind} ${after ? "side-after" : "side-before"}${isCulprit ? " culprit" : ""}`,
      selected: isChosen,
      label: spoken(item),
    };
  return {
    content: html`<${Side} line=${before} /><span class="kind" aria-hidden="true">${isCulprit ? "➤" : (KIND_MARKS[kind] ?? "")}</span><${Side} line=${after} />`,
    class: `kind-${kind}${isCulprit ? " culprit" : ""}`,
    selected: isChosen,
    label: spoken(item),
  };
}

/** In one column a changed line is a removed line and an added one. @param {DiffRow} row */
const oneColumnMark = ({ kind, after }) =>
  kind === "changed" || kind === "replaced" ? (after ? "+" : "−") : (KIND_MARKS[kind] ?? "");

/** @param {DiffRow} row */
function spoken({ kind, before, after }) {
  const [one, other] = [before, after].map((line) => (line ? withoutMetadata(line.text).trim().slice(0, 200) : ""));
  const said = kind in KIND_MARKS ? kind : undefined;
  if (before && after && one !== other)
    return `${said ?? ""}: line ${before.line}, ${one}; became line ${after.line}, ${other}`;
  const line = /** @type {DiffLine} */ (after ?? before);
  return `${said ? `${said}: ` : ""}line ${line.line}, ${other || one || "empty"}`;
}

/** @param {{line: DiffLine|null}} props */
function Side({ line }) {
  if (!line) return html`<span class="line-number"></span><code class="nothing"></code>`;
  return html`<span class="line-number">${line.line}</span><code>${piecesOf(line.text).map(({ kind, text }) => (kind ? html`<span class=${`syntax-${kind}`}>${text}</span>` : text))}</code>`;
}

/** The selected line in full, with its differences marked. @param {{item: DiffRow|DiffFold|undefined}} props */
function WholeLines({ item }) {
  if (!item || item.kind === "fold" || (!item.before && !item.after)) return null;
  const { before, after, kind } = item;
  const both = before && after && before.text !== after.text;
  const [one, other] = both ? differingPieces(before.text.trim(), after.text.trim()) : [null, null];
  /** @param {string} title @param {DiffLine} line @param {{text: string, differs: boolean}[]|null} pieces */
  const line = (title, { text }, pieces) =>
    html`<div><dt>${title}</dt><dd><code>${pieces ? pieces.map((piece) => (piece.differs ? html`<mark>${piece.text}</mark>` : piece.text)) : text.trim()}</code></dd></div>`;
  return html`<dl class="whole-lines">
    ${before && (both || !after) && line(`before, line ${before.line}`, before, one)}
    ${after && line(both || !before ? `after, line ${after.line}` : `line ${before.line}${after.line === before.line ? "" : `, then ${after.line}`}`, after, other)}
    ${kind === "moved" && html`<div><dt>moved</dt><dd>It is on line ${item.partner} of the other text.</dd></div>`}</dl>`;
}
