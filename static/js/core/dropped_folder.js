/** A folder, or several files, dropped on a page. */
/** @import {ZipEntry} from "./zip.js" */

/** @typedef {{name: string, read: () => Promise<ZipEntry[]>}} Folder */

/**
 * The folder or the files among the dropped items; null for a single file. Call it during the event: browsers clear
 * the items afterwards.
 *
 * @param {DataTransfer} dropped @returns {Folder|null}
 */
export function droppedFolder(dropped) {
  const found = [...dropped.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  const [first] = found;
  if (!first || (found.length === 1 && !first.isDirectory)) return null;
  const name = found.length === 1 ? first.name : `${found.length} files`;
  return { name, read: async () => (await Promise.all(found.map(entriesOf))).flat() };
}

/** @param {FileSystemEntry} entry @returns {Promise<ZipEntry[]>} */
async function entriesOf(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) =>
      /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject),
    );
    return [{ path: entry.fullPath.replace(/^\//, ""), file: /** @type {File} */ (file) }];
  }
  const inside = await readAll(/** @type {FileSystemDirectoryEntry} */ (entry));
  return (await Promise.all(inside.map(entriesOf))).flat();
}

/** Browsers return the entries of a folder in batches. @param {FileSystemDirectoryEntry} folder @returns {Promise<FileSystemEntry[]>} */
async function readAll(folder) {
  const reader = folder.createReader();
  /** @type {FileSystemEntry[]} */
  const found = [];
  for (;;) {
    const part = /** @type {FileSystemEntry[]} */ (
      await new Promise((resolve, reject) => reader.readEntries(resolve, reject))
    );
    if (part.length === 0) return found;
    found.push(...part);
  }
}
