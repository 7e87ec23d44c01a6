/** The parts of this page: inert scripts with compressed bytes, decompressed on first use. */

/** @type {Map<string, Promise<Uint8Array<ArrayBuffer>>>} */
const unpacked = new Map();

/** The script element of a part. @param {string} name */
const elementOf = (name) => document.querySelector(`script[data-part="${CSS.escape(name)}"]`);

/** Whether the page has a part. @param {string} name */
export const hasPart = (name) => elementOf(name) !== null;

/** The bytes of a part; throws if the page has none. @param {string} name @returns {Promise<Uint8Array<ArrayBuffer>>} */
export function part(name) {
  const known = unpacked.get(name) ?? unpack(name);
  unpacked.set(name, known);
  return known;
}

/** A part that contains JSON. @param {string} name @returns {Promise<any>} */
export const jsonPart = async (name) => JSON.parse(new TextDecoder().decode(await part(name)));

/** @param {string} name @returns {Promise<Uint8Array<ArrayBuffer>>} */
async function unpack(name) {
  const text = elementOf(name)?.textContent;
  if (text === undefined || text === null) throw new Error(`This page is damaged: it has no part ${name}.`);
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
