/**
 * A program in the fragment of an address, with its inputs and position. Browsers do not send fragments to a server:
 * the opened page reads it.
 *
 * @typedef {{step: number, process: number, tab: string, value: number|null, path: number[], element: number[]|null}} Place
 * @typedef {{text: string, name: string, entry: string, inputs: (import("./types.js").InputSpec|null)[],
 *   grid: import("./types.js").GridSize, place: Place}} LinkedProgram
 */
import { countText } from "./tensor/elements.js";

/** Maximum length: many programs cut longer addresses. */
export const LONGEST_LINK = 16_000;
/** Maximum unpacked size: a short compressed fragment could expand to gigabytes. */
const LARGEST_PROGRAM = 8 << 20;
const VERSION = "1";

/** The address of the page that opens a program on a server. @param {string} origin @param {LinkedProgram} program @returns {Promise<string>} */
export async function programLink(origin, program) {
  const bytes = new TextEncoder().encode(JSON.stringify(program));
  const packed = await throughStream(bytes, new CompressionStream("deflate-raw"), Infinity);
  return `${origin}/open#${VERSION}.${toBase64Url(packed)}`;
}

/** The program in a fragment or address; throws an error that says why there is none. @param {string} address @returns {Promise<LinkedProgram>} */
export async function programOfLink(address) {
  const [, version, data] = /#([^.#]*)\.(.+)$/.exec(address) ?? [];
  if (!data) throw new Error("The address holds no program: it may have been cut on its way.");
  if (version !== VERSION) throw new Error("This link was made by another version of hloscope.");
  const found = await unpacked(data).catch((error) => {
    throw error instanceof RangeError ? error : new Error("The link is damaged: it may have been cut on its way.");
  });
  return checked(found);
}

/** Whether a text is such a link. @param {string} text @returns {boolean} */
export const isProgramLink = (text) => /^https?:\/\/[^\s/]+\/open#\d+\.[\w-]+$/.test(text.trim());

/** @param {string} data @returns {Promise<unknown>} */
async function unpacked(data) {
  const bytes = fromBase64Url(data);
  const text = await throughStream(bytes, new DecompressionStream("deflate-raw"), LARGEST_PROGRAM);
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text));
}

/** @param {Uint8Array<ArrayBuffer>} bytes @param {CompressionStream|DecompressionStream} stream @param {number} most @returns {Promise<Uint8Array<ArrayBuffer>>} */
async function throughStream(bytes, stream, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const parts = [];
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.byteLength;
    if (size > most) {
      void reader.cancel();
      throw new RangeError(`The program of this link is larger than ${countText(most)} bytes.`);
    }
    parts.push(/** @type {Uint8Array<ArrayBuffer>} */ (value));
  }
}

/** @param {Uint8Array} bytes @returns {string} */
function toBase64Url(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} text @returns {Uint8Array<ArrayBuffer>} */
function fromBase64Url(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}

/** Anyone may have made the link: the server checks program and inputs, this page the fields it uses. @param {any} found @returns {LinkedProgram} */
function checked(found) {
  const { text, name, entry, inputs, grid, place } = found ?? {};
  if (typeof text !== "string" || typeof name !== "string" || !Array.isArray(inputs))
    throw new Error("The link holds no program.");
  const whole = (/** @type {unknown} */ number) => (Number.isSafeInteger(number) ? Math.max(0, Number(number)) : 0);
  const numbers = (/** @type {unknown} */ list) => (Array.isArray(list) ? list.map(whole) : []);
  return {
    text,
    name,
    entry: String(entry ?? "main"),
    inputs,
    grid: { replicas: whole(grid?.replicas) || 1, partitions: whole(grid?.partitions) || 1 },
    place: {
      step: whole(place?.step),
      process: whole(place?.process),
      tab: String(place?.tab ?? "tensor"),
      value: place?.value === null || place?.value === undefined ? null : whole(place.value),
      path: numbers(place?.path),
      element: Array.isArray(place?.element) ? numbers(place.element) : null,
    },
  };
}
