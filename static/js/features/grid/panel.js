/** The grid: the state of every process at this moment, its collective executions, and the data that moves. */
import { countText } from "../../core/tensor/elements.js";
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { showProcess } from "../../core/actions.js";
import { namesOf } from "../../core/grid/record.js";
import { presenter } from "../../core/preferences.js";
import { shortName } from "../../core/run/op_names.js";
import * as store from "../../core/store.js";
import { observeRoom } from "../../ui/element_size.js";
import { ProcessMark } from "../../ui/process_marks.js";
import { arrivals, summary, Thumbnail, thumbnail } from "../../ui/thumbnails.js";
import { AssembledPanel } from "./assembled/view.js";
import { Compare } from "./compare/view.js";
import { Motion } from "./motion/view.js";
import { revealLine } from "../../core/cursor.js";
import { Cells } from "./cells.js";
import { DeadlockArrows, DeadlockText } from "./deadlock.js";
import { GridHead } from "./head.js";
import { layoutOf, meshLayout } from "./layout.js";
import { LINKED, MESH_MARGINS, MeshLinks, MeshNames } from "./mesh.js";
import { gridValue, processView as seenOf, STATE_WORDS } from "./process_view.js";
import * as gridView from "./state.js";
import { Tiles } from "./tiles.js";
import { addPanel } from "../layout/panels.js";

addPanel({
  id: "grid",
  title: "Grid",
  dock: "stage",
  order: 4,
  help: "grid",
  Panel: GridPanel,
  exists: () => store.grid.value !== null,
});

/** Space for the cells, in pixels. */
const room = signal({ width: 420, height: 400 });

export function GridPanel() {
  store.gridVersion.value;
  if (!store.grid.value)
    return html`<p class="empty">This run has one process. For a program with several replicas or partitions, this tab has a cell for each process.</p>`;
  return html`<div class="grid-panel"><${GridHead} /><${VIEWS[gridView.view.value]} /></div>`;
}

const VIEWS = { processes: Processes, motion: Motion, compare: Compare, assembled: AssembledPanel };

/** The cells, with the details of one process beside them. */
function Processes() {
  arrivals.value;
  const frame = useRef(/** @type {HTMLDivElement|null} */ (null));
  useEffect(() => observeRoom(frame.current, room), []);
  const grid = /** @type {import("../../core/grid/record.js").GridRecord} */ (store.grid.value);
  const team = gridView.team.value;
  const members = grid.members(team);
  const { replicas, partitions } = grid.team(team);
  const { width, height } = room.value;
  const mesh = gridView.mesh.value;
  const layout = useMemo(
    () =>
      mesh
        ? meshLayout(
            mesh,
            { width: width - MESH_MARGINS.left, height: height - MESH_MARGINS.top },
            gridView.scaleOfCells(),
          )
        : layoutOf({ replicas, partitions }, { width, height }, gridView.scaleOfCells()),
    [replicas, partitions, mesh, width, height, presenter.value],
  );
  return html`<${DeadlockText} /><div class="grid-frame" ref=${frame}>
      <div class=${mesh ? "grid-space in-mesh" : "grid-space"} style=${{ width: `${layout.width}px`, height: `${layout.height}px` }}>
        ${mesh && html`<${MeshNames} mesh=${mesh} layout=${layout} />`}
        ${mesh && members.length <= LINKED && html`<${MeshLinks} layout=${layout} members=${members} />`}
        ${layout.level === "tile" && html`<${Tiles} layout=${layout} />`}
        <${Cells} layout=${layout} members=${members} all=${gridView.all.value} />
        <${DeadlockArrows} layout=${layout} members=${members} />
      </div></div>
    <${Detail} />`;
}

/** The details of one process: under the pointer or the keyboard cursor, else the shown one. */

export function Detail() {
  arrivals.value;
  const grid = store.grid.value;
  const program = store.program.value;
  if (!grid || !program) return null;
  const process = gridView.explained.value;
  const seen = store.inGrid(() => seenOf(grid, program, process));
  const name = grid.nameOf(process);
  if (!seen) return html`<section class="grid-detail" aria-label="Process"><h4>Process ${name}</h4></section>`;
  const op = seen.op === null ? null : program.op(seen.op);
  const group = seen.execution?.info.groups.findIndex((members) => members.includes(process)) ?? -1;
  return html`<section class="grid-detail" aria-label=${`Process ${name}`}>
    <h4><${ProcessMark} state=${seen.state} />Process ${name}<span class="state">${STATE_WORDS[seen.state]}</span><span class="spring"></span>
      ${process === store.process.value ? html`<span class="quiet">shown</span>` : html`<button class="plain" onClick=${() => showProcess(process)}>Show it</button>`}</h4>
    <dl class="facts">
      <dt>Op</dt><dd>${op ? html`${shortName(op)} <button class="go" onClick=${() => revealLine(store.draftLine(op.line))}>line ${store.draftLine(op.line)}</button>` : "finished"}</dd>
      <dt>Step</dt><dd>${countText(seen.step)} of ${countText(grid.track(process).steps)}, tick ${countText(seen.tick)}</dd>
      ${seen.execution && html`<dt>${seen.execution.isMessage ? "Message" : "Group"}</dt><dd>${group >= 0 ? `${group}: ` : ""}${namesOf(grid, seen.execution.info.group, 9).replace(/(?<=\d,) /g, "\u00a0")}</dd>`}
      ${seen.waitsFor.length > 0 && html`<dt>Waits for</dt><dd>${namesOf(grid, seen.waitsFor, 9)}</dd>`}
      <${Value} address=${seen.address} />
    </dl>
  </section>`;
}

/** Its copy of the selected value. @param {{address: string|null}} props */
function Value({ address }) {
  arrivals.value;
  const selected = gridValue.value;
  if (!selected) return null;
  const info = address ? thumbnail(store.recordingKey.value ?? "", address) : null;
  return html`<dt>${selected.name}</dt><dd class="value">${info ? html`<${Thumbnail} info=${info} scale=${gridView.colourScale.value} /> ${summary(info).type} ${summary(info).range}` : address ? "" : "not yet"}</dd>`;
}
