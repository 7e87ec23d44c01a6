/** Accepts a program that is pasted, typed, dropped or chosen, describes it and opens it. */
import { countText } from "../../core/tensor/elements.js";
import { html } from "htm/preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { checkProgram, sendFile, sendJson } from "../../core/api.js";
import { droppedFolder } from "../../core/dropped_folder.js";
import { afterPaint } from "../../core/later.js";
import { errorText } from "../../core/messages.js";
import { isProgramLink } from "../../core/program_link.js";
import { makeZip } from "../../core/zip.js";
import { languageOf } from "../../ui/code/recognise_language.js";
import { useResource } from "../../ui/resource.js";
import { rememberSession } from "../sessions/recents.js";
import { ChoicesDialog, isForServer, openProgramFile } from "./program_file.js";
import { FileButton, valueOf } from "../../ui/fields.js";
/** @import {Folder} from "../../core/dropped_folder.js" */
/** @import {ZipEntry} from "../../core/zip.js" */

const CHECK_AFTER_MS = 350;
/** Maximum length of a text that is checked before it is opened. */
const LONGEST_CHECKED = 400_000;
/** Maximum length of a text that is shown in full, and length of the shown part of longer ones. */
const LONGEST_SHOWN = 1_000_000;
const FIRST_PART = 20_000;

const HINT =
  "Paste StableHLO or XLA HLO text, or drop a file of a program anywhere: text, MLIR bytecode, what jax.export wrote, an HLO .pb, a saved page, or a recording that hloscope bundle wrote; or the folder, or a .zip or .tar.gz, that XLA dumped its passes into.\n\nIn JAX:\n  hloscope.debug(f, x)  # opens f here\n  lowered = jax.jit(f).lower(x)\n  print(lowered.as_text())  # StableHLO\n  print(lowered.compile().as_text())  # optimised HLO";

/** Create a session and open it. @param {{text?: string, example?: string, name?: string}} program @param {string} [hash] what stands behind its address @returns {Promise<void>} */
export async function open(program, hash = "") {
  const { id, url } = await sendJson("/api/sessions", program);
  rememberSession(id, { name: program.name ?? program.example ?? "program.mlir" });
  location.assign(`${url}${hash}`);
}

/** Whether a file may be a saved page or recording, by its name or its first member; the server checks it. @param {File} file @returns {Promise<boolean>} */
export const isSaved = async (file) =>
  /\.html?$/i.test(file.name) || (await file.slice(30, 41).text()) === "program.npy";

/** Open a saved page or recording. @param {File} file @returns {Promise<void>} */
async function openSaved(file) {
  const { id, url } = await sendFile("/api/pages", file);
  rememberSession(id, { name: file.name });
  location.assign(url);
}

export function Paste() {
  const { text, setText, said, isOpening, take, takeFolder, submit, asked, setAsked } = useProgram();
  const isOver = useDrop(take, takeFolder);
  const found = useMemo(() => recognise(text), [text]);
  const shown = useMemo(() => beginning(text), [text]);
  const verdict = useVerdict(text, found);
  return html`<form class="paste" onSubmit=${submit}>
    <label for="program-text"><h2>Your program</h2></label>
    <textarea id="program-text" class=${isOver ? "over" : ""} rows="12" spellcheck="false" autocomplete="off" value=${shown} readonly=${shown !== text}
      placeholder=${HINT} aria-describedby="program-said"
      onInput=${(/** @type {Event} */ event) => setText(valueOf(event))}></textarea>
    <div class="paste-foot">
      <button class="primary" type="submit" disabled=${isOpening || text.trim() === ""}>${isOpening ? "Opening…" : "Open in the debugger"}</button>
      <${FileButton} label="A file of a program" take=${take}>Choose a file…<//>
      <button class="plain" type="button" onClick=${() => chooseFolder(takeFolder)} title="A folder that XLA dumped its passes into">Choose a folder…</button>
      <p id="program-said" role="status">${said || [found.sentence, shown === text ? verdict : shownWords(text, shown)].filter(Boolean).join(" ")}</p>
      ${shown !== text && html`<button class="plain" type="button" onClick=${() => setText("")}>Clear</button>`}
    </div>
  </form>
  ${asked && html`<${ChoicesDialog} ...${asked} close=${() => setAsked(null)} />`}`;
}

/** The shown part of a text: browsers need seconds for the layout of a very large one. @param {string} text @returns {string} */
export function beginning(text) {
  if (text.length <= LONGEST_SHOWN) return text;
  return text.slice(0, text.lastIndexOf("\n", FIRST_PART) + 1 || FIRST_PART);
}

/** @param {string} text @param {string} shown @returns {string} */
function shownWords(text, shown) {
  const [first, all] = [shown, text].map((part) => countText(part.split("\n").length));
  return `These are the first ${first} of ${all} lines; all of them are opened.`;
}

/** The text of the program, typed or from a file, and the error of the file or of opening it. */
export function useProgram() {
  const [text, setText] = useState("");
  const [name, setName] = useState("");
  const [said, setSaid] = useState("");
  const [isOpening, setOpening] = useState(false);
  const [asked, setAsked] = useState(/** @type {Asked|null} */ (null));
  const attempt = async (/** @type {Promise<void>} */ opening) => {
    setOpening(true);
    await opening.catch((error) => setSaid(errorText(error)));
    setOpening(false);
  };
  const send = async (/** @type {{text: string, name: string}} */ program) => {
    setSaid(program.text.length > LONGEST_CHECKED ? "Sending the program to the server…" : "");
    // A browser encodes a large text for seconds, in which it paints nothing.
    if (program.text.length > LONGEST_CHECKED) await new Promise((resolve) => afterPaint(() => resolve(null)));
    await open(program);
  };
  const takeFolder = (/** @type {Folder} */ { name, read }) =>
    attempt(read().then((entries) => openFolder(entries, name, setSaid)));
  const takeProgram = async (/** @type {File} */ file) => {
    const { choices, name, notes } = await openProgramFile(file);
    if (choices) setAsked({ file, name, notes, choices });
    setSaid("");
  };
  // An archive without a dump may be a compressed program; the server rejects files that are no archive.
  const takeArchive = (/** @type {File} */ file, /** @type {boolean} */ isPacked) =>
    openArchive(file, file.name).catch((error) => {
      if (!isPacked) throw error;
      return takeProgram(file).catch((reason) => Promise.reject(error.kind === "one_program" ? reason : error));
    });
  const take = async (/** @type {File|undefined} */ file, opensText = false) => {
    if (!file) return;
    if (await isSaved(file)) {
      setSaid(`Opening ${file.name}…`);
      return attempt(openSaved(file));
    }
    const start = new Uint8Array(await file.slice(0, 4096).arrayBuffer());
    const refused = refusal(file.name);
    setSaid(refused ?? "");
    if (refused) return;
    if (isArchive(file.name) || isForServer(start)) {
      setSaid(`Sending ${file.name}…`);
      return attempt(isArchive(file.name) ? takeArchive(file, isForServer(start)) : takeProgram(file));
    }
    if (file.size > LONGEST_CHECKED) setSaid(`Reading ${file.name}…`);
    const content = await file.text();
    if (content.trim() === "") return setSaid(`${file.name} is empty.`);
    if (opensText) return attempt(send({ text: content, name: file.name }));
    setSaid("");
    setName(file.name);
    setText(content);
  };
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (isProgramLink(text)) return location.assign(`/open${text.trim().slice(text.trim().indexOf("#"))}`);
    await attempt(send({ text, name: name || fileName(text) }));
  };
  return { text, setText, said, isOpening, take, takeFolder, submit, asked, setAsked };
}

/** @typedef {Omit<Parameters<typeof ChoicesDialog>[0], "close">} Asked Choices for a file before it is opened. */

/** Let the browser choose a folder. @param {(folder: Folder) => void} take */
function chooseFolder(take) {
  const field = Object.assign(document.createElement("input"), { type: "file", webkitdirectory: true });
  field.addEventListener("change", () => {
    const { entries, name } = chosenFolder([...(field.files ?? [])]);
    take({ name, read: async () => entries });
  });
  field.click();
}

/** Accepts a file or folder that is dropped anywhere on the page, except on a field for files. @param {(file: File|undefined) => void} take @param {(folder: Folder) => void} takeFolder @returns {boolean} whether one is over it */
export function useDrop(take, takeFolder) {
  const [isOver, setOver] = useState(false);
  const takers = useRef({ take, takeFolder });
  takers.current = { take, takeFolder };
  useEffect(() => {
    const drop = (/** @type {DragEvent} */ event) => {
      if (!event.dataTransfer?.files.length || hasOwnDrop(event)) return;
      event.preventDefault();
      event.stopPropagation(); // the editor would insert the file
      setOver(false);
      const folder = droppedFolder(event.dataTransfer);
      if (folder) takers.current.takeFolder(folder);
      else takers.current.take(event.dataTransfer.files[0]);
    };
    const drag = (/** @type {DragEvent} */ event) => {
      if (!event.dataTransfer?.types.includes("Files") || hasOwnDrop(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (/** @type {DragEvent} */ event) => event.relatedTarget === null && setOver(false);
    const end = new AbortController();
    const first = { capture: true, signal: end.signal };
    document.addEventListener("drop", drop, first);
    document.addEventListener("dragover", drag, first);
    document.addEventListener("dragleave", leave, end);
    return () => end.abort();
  }, []);
  return isOver;
}

/** @param {Event} event */
const hasOwnDrop = ({ target }) => target instanceof Element && target.closest(".drop, .compare-drop") !== null;

/** The diagnostics of the server, shortly after the last change. @param {string} text @param {Recognised} found @returns {string} */
function useVerdict(text, found) {
  const checks = (found.kind === "stablehlo" || found.kind === "hlo") && text.length <= LONGEST_CHECKED;
  const { value, error, isLoading } = useResource(
    checks ? text : null,
    (signal) => checkProgram(text, fileName(text), signal),
    { pause: CHECK_AFTER_MS },
  );
  return !checks || isLoading || error || !value ? "" : verdictOf(value);
}

/** @param {{diagnostics: import("../../core/types.js").Diagnostic[]}} answer @returns {string} */
function verdictOf({ diagnostics }) {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const [first] = errors;
  const [noted] = diagnostics;
  if (!first) return noted ? `No errors. Warning on line ${noted.line}: ${noted.message}` : "No errors.";
  return `It has ${errors.length === 1 ? "an error" : `${errors.length} errors`}. Line ${first.line}: ${first.message}`;
}

/**
 * Detect the kind of a pasted text or a dropped file from its content.
 *
 * @typedef {{kind: "empty"|"link"|"stablehlo"|"hlo"|"unknown", sentence: string, ready: boolean}} Recognised
 */

/** @param {string} text @returns {Recognised} */
export function recognise(text) {
  const start = withoutComments(text);
  if (start === "") return { kind: "empty", sentence: "", ready: false };
  if (isProgramLink(text)) return { kind: "link", ready: false, sentence: "A link that contains a program." };
  if (languageOf(text) === "hlo")
    return { kind: "hlo", ready: true, sentence: `XLA HLO text with ${computations(text)}.` };
  if (
    /^(module\b|func\.func\b|#[\w.]+ *=|"?builtin\.module)/.test(start) ||
    /\b(stablehlo|func|chlo)\.\w+/.test(start)
  ) {
    const functions = (text.match(/\bfunc\.func\b/g) ?? []).length;
    return {
      kind: "stablehlo",
      ready: true,
      sentence: `StableHLO text with ${functions || "no"} ${functions === 1 ? "function" : "functions"}.`,
    };
  }
  if (/^\{ *lambda\b/.test(start))
    return {
      kind: "unknown",
      ready: false,
      sentence: "This looks like a jaxpr. jax.jit(f).lower(…).as_text() prints StableHLO.",
    };
  return {
    kind: "unknown",
    ready: true,
    sentence: "This looks like neither StableHLO nor HLO text. You can open it anyway and see its errors.",
  };
}

/** A single line is an instruction without a computation. @param {string} text @returns {string} */
function computations(text) {
  const heads = text.match(/^(?:ENTRY\s+)?%?[A-Za-z_][\w.-]*\s*(?:\(.*\)\s*->.*)?\{\s*(?:\/\/.*)?$/gm) ?? [];
  return heads.length > 1 ? `${countText(heads.length)} computations` : "one computation";
}

/** The file name for a pasted text. @param {string} text @returns {string} */
export const fileName = (text) => (languageOf(text) === "hlo" ? "program.hlo" : "program.mlir");

/** @param {string} text @returns {string} */
const withoutComments = (text) => text.replace(/^\s*\/\/.*$/gm, "").trim();

/** The error for a file that is no program, by its name; null if it may be one. @param {string} name @returns {string|null} */
export const refusal = (name) =>
  /\.np[zy]$/i.test(name) ? `${name} holds arrays. Open a program first; its Inputs dialog takes the file.` : null;

const ARCHIVE = /\.(zip|tar|tgz|tar\.(gz|bz2|xz)|tbz2?|txz)$/i;

/** Whether a file is an archive, by its name. @param {string} name @returns {boolean} */
const isArchive = (name) => ARCHIVE.test(name);

/** Upload an archive, and open its page. @param {Blob} archive @param {string} name */
async function openArchive(archive, name) {
  const { id, url } = await sendFile("/api/dumps", archive, name);
  rememberSession(id, { name, kind: "passes", place: "not examined yet" });
  location.assign(url);
}

/** Compress files, and upload them as a dump. @param {ZipEntry[]} entries @param {string} name @param {(words: string) => void} tell */
async function openFolder(entries, name, tell) {
  if (entries.length === 0) throw new Error(`${name} is empty.`);
  const all = countText(entries.length);
  const archive = await makeZip(entries, (done) => tell(`Packing ${countText(done)} of ${all} files…`));
  tell(`Sending ${name}…`);
  await openArchive(archive, name);
}

/** The files of an `<input webkitdirectory>`, and the name of the folder. @param {readonly File[]} files @returns {{entries: ZipEntry[], name: string}} */
function chosenFolder(files) {
  const name = files[0]?.webkitRelativePath.split("/")[0] || "dump";
  return { entries: files.map((file) => ({ path: file.webkitRelativePath || file.name, file })), name };
}
