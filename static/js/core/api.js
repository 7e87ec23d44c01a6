/** The routes of the server as functions. Values and complete chunks are immutable, so the browser's own cache keeps them. */

import { arrayAt, differenceAt, isLost } from "./addresses.js";
import { begin } from "./idle.js";
import { sessionPath } from "./paths.js";
import { source } from "./source.js";
import { sessionId } from "./store.js";
/** @import {Plane, ValueWindow} from "./view_types.js" */

export { sessionPath } from "./paths.js";

/** An error response; `message` is the server's sentence. */
export class ApiError extends Error {
  /** @param {number} status @param {{message?: string, kind?: string, hint?: string, limit?: string, parts?: string[]}} error */
  constructor(status, error) {
    super(error.message ?? `The server answered ${status}.`);
    this.status = status;
    this.kind = error.kind ?? "error";
    this.hint = error.hint ?? "";
    this.limit = error.limit ?? "";
    this.parts = error.parts;
  }
}

/** Number of retries for a busy worker before the page reports it. */
const ASK_AGAIN = 2;
/** The limit that puts a session into the queue; the wait always ends. */
const IN_TURN = "max_active_sessions";

/**
 * Retry until there is an answer, and parse it.
 *
 * @template T @param {string} path @param {RequestInit} options @param {(response: Response) => Promise<T>|T} read @returns {Promise<T>}
 */
async function request(path, options, read) {
  const end = begin();
  try {
    return await read(await answer(path, options));
  } finally {
    end();
  }
}

/** @param {string} path @param {RequestInit} options @returns {Promise<Response>} */
async function answer(path, options) {
  for (let again = 0; ; again++) {
    const response = await fetchOrExplain(path, options);
    if (response.ok) return response;
    const error = new ApiError(response.status, await explanation(response));
    const busy = error.limit === "request_time_limit_ms" && again < ASK_AGAIN;
    if (options.method || !(busy || error.limit === IN_TURN)) throw error;
    if (error.limit === IN_TURN) again--;
    await pause(Number(response.headers.get("Retry-After")), options.signal);
  }
}

/** @param {string} path @param {RequestInit} options @returns {Promise<Response>} */
async function fetchOrExplain(path, options) {
  try {
    return await source().fetch(path, options);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, { message: "The server cannot be reached.", kind: "offline" });
  }
}

/** @param {number} seconds @param {AbortSignal|null} [signal] @returns {Promise<void>} */
async function pause(seconds, signal) {
  await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  signal?.throwIfAborted();
}

/** @param {Response} response @returns {Promise<{message?: string}>} */
async function explanation(response) {
  try {
    return (await response.json()).error ?? {};
  } catch {
    return {};
  }
}

/** @param {string} path @param {AbortSignal} [signal] @returns {Promise<any>} */
export const getJson = async (path, signal) => request(path, { signal }, (response) => response.json());

/** @param {string} path @param {unknown} body @param {{method?: string, signal?: AbortSignal, keepalive?: boolean, headers?: Record<string, string>}} [options] `keepalive`: the request outlives the page @returns {Promise<any>} */
export async function sendJson(path, body, options = {}) {
  const headers = { "Content-Type": "application/json", ...options.headers };
  const sent = { method: "POST", ...options, headers, body: JSON.stringify(body) };
  return request(path, sent, (response) => (response.status === 204 ? null : response.json()));
}

/** @param {string} path @param {Blob} file @param {string} [name] of what is no file @returns {Promise<any>} */
export async function sendFile(path, file, name) {
  const body = new FormData();
  body.append("file", file, name);
  return request(path, { method: "POST", body }, (response) => response.json());
}

/** @param {string} path @param {AbortSignal} [signal] @returns {Promise<ArrayBuffer>} */
export const getBytes = async (path, signal) => request(path, { signal }, (response) => response.arrayBuffer());

/** Bytes with the headers of the response. @param {string} path @param {AbortSignal} [signal] @returns {Promise<{bytes: ArrayBuffer, header: (name: string) => string|null}>} */
export const getBinary = async (path, signal) =>
  request(path, { signal }, async (response) => ({
    bytes: await response.arrayBuffer(),
    header: (/** @type {string} */ name) => response.headers.get(name),
  }));

/** Prefix of the ids of sessions that members of a room created: their link is the session, not the server's token. */
const OWN = "own-";

/** The diagnostics of a program, and its entry points. @param {string} text @param {string} name @param {AbortSignal} [signal] @param {string} [entry] */
export function checkProgram(text, name, signal, entry) {
  const session = sessionId.value;
  const path = session?.startsWith(OWN) ? `${sessionPath(session)}/check` : "/api/check";
  return sendJson(path, { text, name, entry }, { signal });
}

/** @param {string} id @param {string} [part] @returns {string} */
export const dumpPath = (id, part = "") => `/api/dumps/${encodeURIComponent(id)}${part}`;

/** @param {string} key @returns {string} */
export const recordingPath = (key) => `/api/recordings/${encodeURIComponent(key)}`;

/** @param {string} key @param {string} address @returns {string} */
export const valuePath = (key, address) => `${recordingPath(key)}/values/${encodeURIComponent(address)}`;

/** The URL of a value as a NumPy file. @param {string} key @param {string} address */
export const npyPath = (key, address) => `${valuePath(key, address)}.npy`;

/** A request about a value, or about `/window` of it: differences and arrays of files have routes of their own. @param {string} key @param {string} address @param {""|"/window"} part @param {string} query */
function valueRequest(key, address, part, query) {
  const difference = differenceAt(address);
  const array = arrayAt(address);
  if (!difference && !array) return `${valuePath(key, address)}${part}${query && `?${query}`}`;
  const { other } = /** @type {{other: string}} */ (difference ?? array);
  const named = new URLSearchParams({ with: other });
  for (const [name, text] of Object.entries(difference ? pairOf(difference) : { address: array?.otherAddress ?? "" }))
    named.set(name, text);
  const route = difference ? part || "/difference" : `/value${part}`;
  return `${recordingPath(key)}/comparison${route}?${[query, named].filter(String).join("&")}`;
}

/** The lost digits are known once the program has run in more digits. @param {string} key @param {AbortSignal} [signal] */
async function runInMoreDigits(key, signal) {
  while (!(await getJson(`${recordingPath(key)}/precision`, signal)).done);
}

/** @param {import("./addresses.js").Difference} difference */
const pairOf = ({ address, otherAddress, measure }) => ({ address, other_address: otherAddress, measure });

/**
 * The summary of a value, recorded or computed; that of a difference says how many elements are apart.
 *
 * @typedef {import("./types.js").ValueSummary & {difference?: Pick<import("./types.js").DifferenceInfo, "count"|"worst">}} Summary
 * @param {string} key @param {string} address @param {AbortSignal} [signal] @returns {Promise<Summary>}
 */
export async function valueSummary(key, address, signal) {
  if (isLost(address)) await runInMoreDigits(key, signal);
  const found = await getJson(valueRequest(key, address, "", ""), signal);
  if (differenceAt(address)) return { ...found.distance, address, difference: found };
  return arrayAt(address) ? { ...found, address } : found;
}

/** Summaries of several values by address: at most 32; values that are not recorded have none. @param {string} key @param {readonly string[]} addresses @returns {Promise<Record<string, import("./types.js").ValueSummary>>} */
export const valueSummaries = (key, addresses) =>
  getJson(`${recordingPath(key)}/summaries?addresses=${addresses.map(encodeURIComponent).join(",")}`);

/** The nearest non-finite element after or before a row-major element number. @param {string} key @param {string} address @param {number} after @param {"forward"|"back"} direction @param {AbortSignal} [signal] @returns {Promise<import("./types.js").NonfiniteElement>} */
export const nonfiniteElement = (key, address, after, direction, signal) =>
  getJson(`${valuePath(key, address)}/nonfinite?after=${after}&direction=${direction}`, signal);

/**
 * A window of a value: exact elements at level 0, bins of 2^level x 2^level elements above.
 *
 * @typedef {{rows: number, columns: number, at: number[], from: [number, number], size: [number, number], level: number, planes?: import("./tensor/axes.js").Planes}} View
 * @param {string} key @param {string} address @param {View} view @param {AbortSignal} [signal] @returns {Promise<ValueWindow>}
 */
export async function valueWindow(key, address, view, signal) {
  const { rows, columns, at, from, size, level, planes } = view;
  const query = `rows=${rows}&columns=${columns}&at=${at.join(",")}&from=${from.join(",")}&size=${size.join(",")}&level=${level}${planes ? `&planes=${planes.across}` : ""}`;
  return readWindow(await getBytes(valueRequest(key, address, "/window", query), signal));
}

/** The name of a window in a batch request. @param {string} address @param {View} view @returns {string} */
export const windowName = (address, { rows, columns, at, from, size, level }) =>
  [address, rows, columns, at, from, size, level].join(";");

/** Several windows by name: at most 32; windows that are not recorded, or exceed one answer, are missing. @param {string} key @param {readonly string[]} names @returns {Promise<Record<string, ValueWindow>>} */
export async function valueWindows(key, names) {
  const query = names.map((name) => `window=${encodeURIComponent(name)}`).join("&");
  const bytes = await getBytes(`${recordingPath(key)}/windows?${query}`);
  return readWindows(bytes, names);
}

/** Each window is preceded by its length and aligned to 8 bytes. @param {ArrayBuffer} bytes @param {readonly string[]} names @returns {Record<string, ValueWindow>} */
export function readWindows(bytes, names) {
  const lengths = new DataView(bytes);
  /** @type {Record<string, ValueWindow>} */
  const found = {};
  let at = 0;
  for (const name of names) {
    const length = Number(lengths.getBigUint64(at, true));
    // A copy, so that the batch can be freed.
    if (length > 0) found[name] = readWindow(bytes.slice(at + 8, at + 8 + length));
    at += 8 + Math.ceil(length / 8) * 8;
  }
  return found;
}

/** The typed array for each element type of the wire. */
export const WIRE_ARRAYS = {
  f32: Float32Array,
  f64: Float64Array,
  i8: Int8Array,
  i16: Int16Array,
  i32: Int32Array,
  i64: BigInt64Array,
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  u64: BigUint64Array,
};

/**
 * Layout: length of the header, header, padding to 8 bytes, then the planes in order.
 *
 * @param {ArrayBuffer} bytes @returns {ValueWindow}
 */
export function readWindow(bytes) {
  const length = new DataView(bytes).getUint32(0, true);
  /** @type {import("./types.js").WindowHeader} */
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length)));
  let offset = Math.ceil((4 + length) / 8) * 8;
  /** @type {Record<string, Plane>} */
  const planes = {};
  for (const name of header.planes) {
    const { type, count } = planeShape(header, name);
    const size = count * WIRE_ARRAYS[type].BYTES_PER_ELEMENT;
    planes[name] = arrayIn(bytes, offset, size, WIRE_ARRAYS[type]);
    offset += size;
  }
  return { header, planes };
}

/** Without a copy if the numbers are aligned. @param {ArrayBuffer} bytes @param {number} offset @param {number} size in bytes @param {typeof WIRE_ARRAYS[import("./types.js").WireType]} Numbers @returns {Plane} */
function arrayIn(bytes, offset, size, Numbers) {
  const width = Numbers.BYTES_PER_ELEMENT;
  return offset % width === 0
    ? new Numbers(bytes, offset, size / width)
    : new Numbers(bytes.slice(offset, offset + size));
}

/** @param {import("./types.js").WindowHeader} header @param {string} name @returns {{type: import("./types.js").WireType, count: number}} */
function planeShape(header, name) {
  const cells = header.height * header.width;
  const { dtype, components } = header.wire;
  if (name === "value") return { type: dtype, count: cells * components };
  if (name === "nonfinite" || name === "mark") return { type: "u32", count: cells };
  // Bins of wide integers keep the width that represents them.
  return { type: ["f64", "i32", "u32", "i64", "u64"].includes(dtype) ? "f64" : "f32", count: cells };
}
