/** The program in the address: shown first, because anyone may have made the link, and opened on request. */
import { html, render } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { sendJson } from "../core/api.js";
import { programOfLink } from "../core/program_link.js";
import { countText, counted } from "../core/tensor/elements.js";
import { rememberSession } from "../features/sessions/recents.js";
import "./common.js";
/** @import {LinkedProgram} from "../core/program_link.js" */

const SHOWN_LINES = 40;

function Open() {
  const [program, setProgram] = useState(/** @type {LinkedProgram|null} */ (null));
  const [problem, setProblem] = useState("");
  useEffect(() => {
    const read = () => void programOfLink(location.hash).then(setProgram, ({ message }) => setProblem(message));
    read();
    window.addEventListener("hashchange", read);
    return () => window.removeEventListener("hashchange", read);
  }, []);
  if (problem) return html`<p class="alarm" role="alert">${problem}</p><p><a href="/">Open another program</a></p>`;
  return program && html`<${Preview} program=${program} fail=${setProblem} />`;
}

/** @param {{program: LinkedProgram, fail: (problem: string) => void}} props */
function Preview({ program, fail }) {
  const [isOpening, setOpening] = useState(false);
  const lines = program.text.split("\n");
  const start = () => {
    setOpening(true);
    openLinked(program).catch(({ message }) => (fail(message), setOpening(false)));
  };
  const more = lines.length - SHOWN_LINES;
  return html`<section aria-labelledby="linked-name"><h2 id="linked-name">${program.name}</h2>
    <p>${sizeWords(lines.length, program)} Nothing has been run yet.</p>
    <pre class="linked-text" tabindex="0" aria-label="Program">${lines.slice(0, SHOWN_LINES).join("\n")}${more > 0 && `\n… and ${countText(more)} more lines`}</pre>
    <p><button class="primary" onClick=${start} disabled=${isOpening} autofocus>${isOpening ? "Opening…" : "Open in the debugger"}</button></p></section>`;
}

/** @param {number} lines @param {LinkedProgram} program @returns {string} */
function sizeWords(lines, { inputs, grid, place }) {
  const processes = grid.replicas * grid.partitions;
  const parts = [
    counted(lines, "line"),
    counted(inputs.length, "input"),
    ...(processes > 1 ? [`${processes} processes`] : []),
  ];
  return `${parts.join(", ")}; it opens at step ${countText(place.step)}.`;
}

const root = document.getElementById("open");
if (root) render(html`<${Open} />`, root);

/** Create a session, and go to the position in the link. @param {LinkedProgram} program */
async function openLinked({ text, name, entry, inputs, grid, place }) {
  const { id, url } = await sendJson("/api/sessions", { text, name: name || "program.mlir", entry, inputs, grid });
  rememberSession(id, { name });
  location.assign(`${url}?${placeQuery(place)}`);
}

/** The position as query parameters of a session. @param {import("../core/program_link.js").Place} place @returns {URLSearchParams} */
function placeQuery({ step, process, tab, value, path, element }) {
  const query = new URLSearchParams({ step: String(step), tab });
  if (process > 0) query.set("process", String(process));
  if (value !== null) query.set("value", [value, ...path].join("."));
  if (element) query.set("element", element.join(","));
  return query;
}
