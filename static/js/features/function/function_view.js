/** Your function: the same computation as Python, jaxpr, StableHLO and HLO, side by side; a line lights its others. */
import { html } from "htm/preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { valueOf } from "../../ui/fields.js";
import { open } from "../home/paste.js";
import { belongs, stagesOf } from "./stages.js";
/** @import {Stage, StageLine} from "./stages.js" */

/** @param {{example: string, snippet: string}} props */
export function FunctionView({ example, snippet }) {
  const [printed, setPrinted] = useState(example);
  const [problem, setProblem] = useState("");
  const stages = useMemo(() => stagesOf(printed), [printed]);
  const take = (/** @type {string} */ pasted) => {
    const text = pasted.trim() ? pasted : example;
    try {
      stagesOf(text);
      setProblem("");
      setPrinted(text);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return html`<${Paste} snippet=${snippet} take=${take} problem=${problem} />
    ${printed === example && html`<p class="quiet">This is an example. Choose a line to light what belongs to it.</p>`}
    <${Stages} key=${printed.length} stages=${stages} fail=${setProblem} />`;
}

/** @param {{snippet: string, take: (text: string) => void, problem: string}} props */
function Paste({ snippet, take, problem }) {
  const onInput = (/** @type {Event} */ event) => take(valueOf(event));
  return html`<div class="function-paste"><label>Paste what the program printed
      <textarea rows="4" spellcheck=${false} placeholder="==== Python, from line …" onInput=${onInput} aria-invalid=${problem !== ""} aria-describedby="function-problem"></textarea></label>
    <details><summary>The program that prints it</summary><p>Run it where your function and JAX are, for example in a notebook. Nothing is sent from this page, and no Python runs here.</p>
      <pre tabindex="0" aria-label="Program to run"><code>${snippet}</code></pre></details>
    <p id="function-problem" role="alert" class=${problem ? "alarm" : "hidden"}>${problem}</p></div>`;
}

/** @param {{stages: Stage[], fail: (problem: string) => void}} props */
function Stages({ stages, fail }) {
  const [chosen, choose] = useState(/** @type {{stage: string, line: StageLine}|null} */ (null));
  return html`<div class="function-stages">${stages.map((stage) => html`<${Pane} key=${stage.id} stage=${stage} chosen=${chosen} choose=${choose} fail=${fail} />`)}</div>`;
}

/** @param {{stage: Stage, chosen: {stage: string, line: StageLine}|null, choose: (chosen: {stage: string, line: StageLine}|null) => void, fail: (problem: string) => void}} props */
function Pane({ stage, chosen, choose, fail }) {
  const list = useRef(/** @type {HTMLOListElement|null} */ (null));
  const isLit = (/** @type {StageLine} */ line) =>
    chosen !== null && (line === chosen.line || belongs(chosen.line, line));
  useEffect(() => {
    if (chosen && chosen.stage !== stage.id) showFirst(list.current);
  }, [chosen]);
  const program = stage.id === "StableHLO" ? "function.mlir" : stage.id === "HLO" ? "function.hlo" : null;
  const start = () => {
    const text = stage.lines.map(({ text }) => text).join("\n");
    if (program) open({ text, name: program }).catch((error) => fail(error.message));
  };
  const count = stage.lines.filter(isLit).length;
  return html`<section aria-label=${stage.title}><header><h2>${stage.title}</h2>
      <span class="quiet" role="status">${chosen && `${count} lit`}</span>
      ${program && html`<button type="button" class="plain" onClick=${start}>Open in the debugger</button>`}</header>
    <ol ref=${list} start=${stage.first} tabindex="0" aria-label=${`Lines of ${stage.title}`}>${stage.lines.map(
      (line, at) => {
        const lit = isLit(line);
        const isLinked = line.keys.length > 0 || (stage.id === "Python" && line.text.trim() !== "");
        const toggle = () => choose(chosen?.line === line ? null : { stage: stage.id, line });
        return html`<li key=${at} class=${lit ? "lit" : undefined}>${
          isLinked
            ? html`<button type="button" class="plain" aria-pressed=${chosen?.line === line} onClick=${toggle}><code>${line.text}</code></button>`
            : html`<code>${line.text || " "}</code>`
        }</li>`;
      },
    )}</ol></section>`;
}

/** Scroll a list to its first lit line, without moving the page. @param {HTMLElement|null} list */
function showFirst(list) {
  const first = /** @type {HTMLElement|null} */ (list?.querySelector("li.lit") ?? null);
  if (!list || !first) return;
  const [top, bottom] = [first.offsetTop - list.offsetTop, first.offsetTop - list.offsetTop + first.offsetHeight];
  if (top < list.scrollTop || bottom > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 3;
}
