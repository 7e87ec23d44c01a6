/**
 * Write a zip archive in the browser, to send a folder as one file.
 *
 * Files are compressed one by one while they are read. The format is PKWARE's APPNOTE 6.3 without the 64-bit
 * extensions: files and archives stay below 4 GiB.
 */
import { countText } from "./tensor/elements.js";

/** @typedef {{path: string, file: Blob}} ZipEntry */

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
/** Names are UTF-8. */
const FLAGS = 0x0800;
const DEFLATE = 8;
const MOST_BYTES = 0xffffffff;
const MOST_FILES = 0xffff;
/** 1 January 1980, the first date of the format: equal files give equal archives. */
const DATE = 0x21;

const TABLE = Uint32Array.from({ length: 256 }, (_, start) => {
  let value = start;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** The CRC-32 of a file, which the archive stores. @param {Uint8Array} bytes @returns {number} */
export function checksum(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = /** @type {number} */ (TABLE[(value ^ byte) & 0xff]) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

/**
 * The archive.
 *
 * @param {readonly ZipEntry[]} entries @param {(done: number) => void} [tell] the number of files so far @returns {Promise<Blob>}
 */
export async function makeZip(entries, tell = () => {}) {
  if (entries.length > MOST_FILES)
    throw new Error(
      `A folder of more than ${countText(MOST_FILES)} files cannot be sent: zip it, and send the archive.`,
    );
  /** @type {BlobPart[]} */
  const parts = [];
  /** @type {BlobPart[]} */
  const directory = [];
  let offset = 0;
  for (const [number, { path, file }] of entries.entries()) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const packed = await deflated(bytes);
    const facts = {
      name: new TextEncoder().encode(path),
      crc: checksum(bytes),
      size: bytes.length,
      packed: packed.size,
    };
    const head = localHeader(facts);
    parts.push(head, packed);
    directory.push(centralHeader(facts, offset));
    offset += head.length + packed.size;
    if (offset > MOST_BYTES)
      throw new Error("The folder is too large to be sent as one: zip what matters of it, and send the archive.");
    tell(number + 1);
  }
  const listed = new Blob(directory);
  return new Blob([...parts, listed, endOf(entries.length, listed.size, offset)], { type: "application/zip" });
}

/** @param {Uint8Array<ArrayBuffer>} bytes @returns {Promise<Blob>} */
const deflated = (bytes) =>
  new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"))).blob();

/** @typedef {{name: Uint8Array, crc: number, size: number, packed: number}} Facts */

/** Numbers of 2 and 4 bytes in sequence. @param {[2|4, number][]} numbers @param {Uint8Array} [tail] @returns {Uint8Array<ArrayBuffer>} */
function written(numbers, tail = new Uint8Array()) {
  const length = numbers.reduce((sum, [size]) => sum + size, 0);
  const bytes = new Uint8Array(length + tail.length);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [size, value] of numbers) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  bytes.set(tail, at);
  return bytes;
}

/** The fields that the file header and the directory share. @param {Facts} facts @returns {[2|4, number][]} */
const shared = ({ name, crc, size, packed }) => [
  [2, VERSION],
  [2, FLAGS],
  [2, DEFLATE],
  [2, 0],
  [2, DATE],
  [4, crc],
  [4, packed],
  [4, size],
  [2, name.length],
  [2, 0],
];

/** @param {Facts} facts */
const localHeader = (facts) => written([[4, LOCAL], ...shared(facts)], facts.name);

/** @param {Facts} facts @param {number} offset */
const centralHeader = (facts, offset) =>
  written([[4, CENTRAL], [2, VERSION], ...shared(facts), [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]], facts.name);

/** @param {number} count @param {number} size @param {number} offset */
const endOf = (count, size, offset) =>
  written([
    [4, END],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, size],
    [4, offset],
    [2, 0],
  ]);
