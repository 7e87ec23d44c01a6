/** When each process of a team was running, a byte for each column of the timeline, fetched for its width. */
import { signal } from "@preact/signals";
import { getBytes } from "../api.js";
import { gridPath } from "./fetching.js";

/** @typedef {{rows: number, columns: number, ticks: number, shares: Uint8Array}} Strips */

/** Grows when strips arrive. */
export const stripArrivals = signal(0);

/** @type {{name: string, strips: Strips}|null} */
let here = null;
let asked = "";

/**
 * The strips for a timeline of so many columns; those of before until the new ones are here.
 *
 * @param {import("./record.js").GridRecord} grid @param {number} team @param {number} columns @returns {Strips|null}
 */
export function strips(grid, team, columns) {
  const ticks = Math.max(1, grid.info.ticks);
  const name = `${grid.key} ${team} ${columns} ${ticks} ${grid.over ? "over" : grid.stamp}`;
  if (here?.name !== name && asked !== name && columns > 0) load(name, grid, team, columns, ticks).catch(() => (asked = ""));
  return here?.name.startsWith(`${grid.key} ${team} `) ? here.strips : null;
}

/** @param {string} name @param {import("./record.js").GridRecord} grid @param {number} team @param {number} columns @param {number} ticks */
async function load(name, grid, team, columns, ticks) {
  asked = name;
  const bytes = await getBytes(`${gridPath(grid.key)}/strips?team=${team}&from=0&to=${ticks}&columns=${columns}`);
  if (asked !== name) return;
  here = { name, strips: { rows: bytes.byteLength / columns, columns, ticks, shares: new Uint8Array(bytes) } };
  stripArrivals.value++;
}
