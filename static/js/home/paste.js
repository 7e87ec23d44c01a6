/** Takes a program: pasted, typed, dropped or chosen; says what it is and opens it. */
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { checkProgram, sendJson } from "../api.js";
import { rememberSession } from "./recents.js";
import { fileName, recognise, refusal } from "./recognise.js";

const CHECK_AFTER_MS = 350;
/** Longer texts are checked when they are opened. */
const LONGEST_CHECKED = 400_000;

const HINT = "Paste StableHLO or XLA HLO text, or drop a .mlir, .hlo or .txt file here.\n\nIn JAX:\n  lowered = jax.jit(f).lower(x)\n  print(lowered.as_text())  # StableHLO\n  print(lowered.compile().as_text())  # optimised HLO";

/** Make a session and go there. @param {{text?: string, example?: string, name?: string}} program @returns {Promise<void>} */
export async function open(program) {
  const { id, url } = await sendJson("/api/sessions", program);
  rememberSession(id, program.name ?? program.example ?? "program.mlir");
  location.assign(url);
}

export function Paste() {
  const [text, setText] = useState("");
  const [name, setName] = useState("");
  const [said, setSaid] = useState("");
  const [busy, setBusy] = useState(false);
  const [over, setOver] = useState(false);
  const chooser = useRef(/** @type {HTMLInputElement|null} */ (null));
  const found = recognise(text);
  const verdict = useVerdict(text, found);

  const take = async (/** @type {File|undefined} */ file) => {
    if (!file) return;
    const refused = refusal(file.name, new Uint8Array(await file.slice(0, 512).arrayBuffer()));
    setSaid(refused ?? "");
    if (refused) return;
    setName(file.name);
    setText(await file.text());
  };
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    setSaid("");
    await open({ text, name: name || fileName(text) }).catch(({ message, hint }) => setSaid([message, hint].filter(Boolean).join(" ")));
    setBusy(false);
  };
  const drop = (/** @type {DragEvent} */ event) => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
  };
  const drag = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    setOver(true);
  };
  return html`<form class="paste" onSubmit=${submit}>
    <label for="program-text"><h2>Your program</h2></label>
    <textarea id="program-text" class=${over ? "over" : ""} rows="12" spellcheck="false" autocomplete="off" value=${text}
      placeholder=${HINT} aria-describedby="program-said"
      onInput=${(/** @type {Event} */ event) => setText(/** @type {HTMLTextAreaElement} */ (event.currentTarget).value)}
      onDrop=${drop} onDragOver=${drag} onDragLeave=${() => setOver(false)}></textarea>
    <div class="paste-foot">
      <button class="primary" type="submit" disabled=${busy || text.trim() === ""}>${busy ? "Opening …" : "Open in the debugger"}</button>
      <button class="plain" type="button" onClick=${() => chooser.current?.click()}>Choose a file …</button>
      <input type="file" class="hidden" accept=".mlir,.txt,.stablehlo,.hlo" tabindex="-1" aria-hidden="true" ref=${chooser}
        onChange=${(/** @type {Event} */ event) => take(/** @type {HTMLInputElement} */ (event.currentTarget).files?.[0])} />
      <p id="program-said" role="status">${said || [found.sentence, verdict].filter(Boolean).join(" ")}</p>
    </div>
  </form>`;
}

/** What the server finds in the text, a moment after the last change. @param {string} text @param {import("./recognise.js").Recognised} found @returns {string} */
function useVerdict(text, found) {
  const [verdict, setVerdict] = useState("");
  useEffect(() => {
    setVerdict("");
    if (!(found.kind === "stablehlo" || found.kind === "hlo") || text.length > LONGEST_CHECKED) return undefined;
    const stop = new AbortController();
    const timer = setTimeout(() => checkProgram(text, fileName(text), stop.signal).then((answer) => setVerdict(verdictOf(answer)), () => undefined), CHECK_AFTER_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text]);
  return verdict;
}

/** @param {{diagnostics: import("../types.js").Diagnostic[]}} answer @returns {string} */
function verdictOf({ diagnostics }) {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const [first] = errors;
  const [noted] = diagnostics;
  if (!first) return noted ? `It has no errors. A warning, line ${noted.line}: ${noted.message}` : "It has no errors.";
  return `It has ${errors.length === 1 ? "an error" : `${errors.length} errors`}. Line ${first.line}: ${first.message}`;
}
