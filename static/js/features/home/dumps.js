/** What XLA dumped, dropped or chosen on the opening page: an archive, a folder, or several files. */
import { sendForm } from "../../core/api.js";
import { makeZip } from "../../core/zip.js";
import { rememberSession } from "../sessions/recents.js";

/** @typedef {import("../../core/zip.js").ZipEntry} ZipEntry */

const ARCHIVE = /\.(zip|tar|tgz|tar\.(gz|bz2|xz)|tbz2?|txz)$/i;

/** Whether a file is an archive, by its name. @param {string} name @returns {boolean} */
export const isArchive = (name) => ARCHIVE.test(name);

/** Keep an archive at the server, and go to its page. @param {Blob} archive @param {string} name */
export async function openArchive(archive, name) {
  const form = new FormData();
  form.append("file", archive, name);
  const { id, url } = await sendForm("/api/dumps", form);
  rememberSession(id, { name, kind: "passes", place: "not examined yet" });
  location.assign(url);
}

/** Pack files, and keep them as a dump. @param {ZipEntry[]} entries @param {string} name @param {(words: string) => void} tell */
export async function openFolder(entries, name, tell) {
  if (entries.length === 0) throw new Error(`${name} is empty.`);
  const all = entries.length.toLocaleString("en");
  const archive = await makeZip(entries, (done) => tell(`Packing ${done.toLocaleString("en")} of ${all} files…`));
  tell(`Sending ${name}…`);
  await openArchive(archive, name);
}

/** The files of an `<input webkitdirectory>`, and what the folder is called. @param {readonly File[]} files @returns {{entries: ZipEntry[], name: string}} */
export function chosenFolder(files) {
  const name = files[0]?.webkitRelativePath.split("/")[0] || "dump";
  return { entries: files.map((file) => ({ path: file.webkitRelativePath || file.name, file })), name };
}
