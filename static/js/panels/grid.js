/** The grid: what every process of a run does at this moment, whom it meets, and what moves between them. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { layoutOf } from "../grid/layout.js";
import * as looking from "../grid/looking.js";
import { arrivals } from "../run/thumbnails.js";
import * as store from "../store.js";
import { Cells } from "./grid/cells.js";
import { Detail } from "./grid/detail.js";
import { GridHead } from "./grid/head.js";
import { Motion } from "./grid/motion.js";
import { observeRoom } from "./grid/room.js";
import { StoryArrows, StoryText } from "./grid/story.js";
import { Tiles } from "./grid/tiles.js";
import { Compare } from "./grid_compare.js";
import { Whole } from "./grid_whole.js";

/** Room for the cells, in pixels. */
const room = signal({ width: 420, height: 400 });

export function GridPanel() {
  store.gridVersion.value;
  if (!store.grid.value) return html`<p class="empty">This run has one process. Programs that say how many replicas and partitions they are for have a cell for each here.</p>`;
  const View = VIEWS[/** @type {keyof typeof VIEWS} */ (looking.view.value)] ?? Processes;
  return html`<div class="grid-panel"><${GridHead} /><${View} /></div>`;
}

const VIEWS = { processes: Processes, motion: Motion, compare: Compare, whole: Whole };

/** The cells and, beside them, one process in full. */
function Processes() {
  arrivals.value;
  const frame = useRef(/** @type {HTMLDivElement|null} */ (null));
  useEffect(() => observeRoom(frame.current, room), []);
  const grid = /** @type {import("../grid/record.js").GridRecord} */ (store.grid.value);
  const team = looking.team.value;
  const members = grid.members(team);
  const { replicas, partitions } = grid.team(team);
  const { width, height } = room.value;
  const layout = useMemo(() => layoutOf({ replicas, partitions }, { width, height }), [replicas, partitions, width, height]);
  return html`<${StoryText} /><div class="grid-frame" ref=${frame}>
      <div class="grid-space" style=${{ width: `${layout.width}px`, height: `${layout.height}px` }}>
        ${layout.level === "tile" && html`<${Tiles} layout=${layout} />`}
        <${Cells} layout=${layout} members=${members} all=${looking.all.value} />
        <${StoryArrows} layout=${layout} members=${members} />
      </div></div>
    <${Detail} />`;
}
