/**
 * Small pictures and one-line summaries of values, fetched in batches when they are first looked at. An address
 * never changes its value, so what came once is kept.
 *
 * @typedef {import("../types.js").ThumbnailInfo} ThumbnailInfo
 */
import { signal } from "@preact/signals";
import { getJson, recordingPath } from "../api.js";
import { pixelTable } from "../ui/colours.js";

const MOST_AT_ONCE = 128;
const KEPT = 20_000;

/** @type {Map<string, ThumbnailInfo|null>} null: the server has none */
const here = new Map();
/** @type {Map<string, Set<string>>} addresses to ask for, by recording */
const wanted = new Map();
/** @type {Set<string>} */
const asked = new Set();
let planned = false;

/** Grows with every arrival: whoever shows thumbnails reads it. */
export const arrivals = signal(0);

/** The thumbnail, or undefined while it is on its way (and asked for by this call). @param {string} key @param {string} address @returns {ThumbnailInfo|null|undefined} */
export function thumbnail(key, address) {
  const name = `${key} ${address}`;
  const found = here.get(name);
  if (found !== undefined || asked.has(name)) return found;
  asked.add(name);
  const addresses = wanted.get(key) ?? new Set();
  wanted.set(key, addresses.add(address));
  plan();
  return undefined;
}

/** What many lines ask for at once becomes one request. */
function plan() {
  if (planned) return;
  planned = true;
  setTimeout(() => {
    planned = false;
    for (const [key, addresses] of wanted) ask(key, [...addresses]);
    wanted.clear();
  }, 15);
}

/** @param {string} key @param {string[]} addresses */
function ask(key, addresses) {
  for (let at = 0; at < addresses.length; at += MOST_AT_ONCE) fetchSome(key, addresses.slice(at, at + MOST_AT_ONCE));
}

/** @param {string} key @param {string[]} addresses */
async function fetchSome(key, addresses) {
  try {
    const query = addresses.map(encodeURIComponent).join(",");
    const answer = await getJson(`${recordingPath(key)}/thumbnails?addresses=${query}`);
    if (here.size > KEPT) here.clear();
    for (const address of addresses) here.set(`${key} ${address}`, answer[address] ?? null);
    arrivals.value++;
  } catch {
    // Asked for again when they are looked at again.
  } finally {
    for (const address of addresses) asked.delete(`${key} ${address}`);
  }
}

/** Paint a thumbnail, stretched to the canvas; clear it where there is none. @param {HTMLCanvasElement} canvas @param {ThumbnailInfo|null} info */
export function paint(canvas, info) {
  canvas.width = Math.max(1, info?.width ?? 1);
  canvas.height = Math.max(1, info?.height ?? 1);
  const context = canvas.getContext("2d");
  if (!context || !info || info.width * info.height === 0) return;
  const image = context.createImageData(info.width, info.height);
  const cells = new Uint32Array(image.data.buffer);
  const bytes = atob(info.pixels);
  const table = pixelTable(info);
  for (let i = 0; i < cells.length; i++) cells[i] = /** @type {number} */ (table[bytes.charCodeAt(i)]);
  context.putImageData(image, 0, 0);
}

/** The range alone, for narrow places. @param {string} range @returns {string} */
export const withoutMean = (range) => range.replace(/ mean \S+/, "");

/** The text of a thumbnail in two parts, the type and what the values are. @param {ThumbnailInfo} info @returns {{type: string, range: string}} */
export function summary({ text }) {
  const at = text.indexOf(" ");
  return at < 0 ? { type: text, range: "" } : { type: text.slice(0, at), range: text.slice(at + 1) };
}
