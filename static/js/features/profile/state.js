/** What the profile panel shows: grouping, order, open groups, and the stretch and widths of the flame chart. */
import { signal } from "@preact/signals";

export const by = signal(/** @type {import("./model.js").By} */ ("op"));
export const order = signal({ column: /** @type {import("./model.js").Column} */ ("seconds"), isDown: true });
/** Titles of the open groups. */
export const open = signal(/** @type {ReadonlySet<string>} */ (new Set()));
/** Rows that are shown of a long table. */
export const ROWS = 200;
export const most = signal(ROWS);
/** Whether all processes are added up. */
export const isOfAll = signal(true);
export const widths = signal(/** @type {"steps"|"time"} */ ("steps"));
/** The first step and the end of the stretch in the flame chart; null: the whole run. */
export const stretch = signal(/** @type {{from: number, to: number}|null} */ (null));
