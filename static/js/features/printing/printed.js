/**
 * The printed debugger: the program with its current line, and the picture on the stage. It is created for printing,
 * since the page scrolls and contains only what is visible.
 */
import { countText } from "../../core/tensor/elements.js";
import { html } from "htm/preact";
import { render } from "preact";
import { shortName } from "../../core/run/op_names.js";
import * as store from "../../core/store.js";
import { drawing } from "./drawing.js";

export function preparePrinting() {
  const host = document.createElement("div");
  host.id = "printed";
  host.hidden = true;
  document.body.append(host);
  // Synchronously: the browser prints the page as it is when this returns.
  const make = () => ((host.hidden = false), render(html`<${Printed} />`, host));
  const end = () => ((host.hidden = true), render(null, host));
  addEventListener("beforeprint", make);
  addEventListener("afterprint", end);
  return () => {
    removeEventListener("beforeprint", make);
    removeEventListener("afterprint", end);
    host.remove();
  };
}

function Printed() {
  const op = store.currentOp.peek() === null ? null : store.program.peek()?.op(Number(store.currentOp.peek()));
  const current = op ? store.draftLine(op.line) : null;
  const lines = store.draft.peek().replace(/\n$/u, "").split("\n");
  return html`<h1>${store.sessionName.peek() || "program"}</h1>
    <p class="where">step ${countText(store.position.peek())} of ${countText(store.steps.peek())}${op && `, current op ${shortName(op)}`}</p>
    <${Stage} />
    <h2>Program</h2>
    <ol class="printed-program">${lines.map((line, at) => html`<li class=${at + 1 === current ? "current" : ""}><code>${line || " "}</code></li>`)}</ol>`;
}

/** The value or its index map as a drawing; in a saved page, the visible pictures of the stage. */
function Stage() {
  const value = store.selectedValue.peek();
  const drawn = drawing();
  const seen = drawn === null ? canvases() : [{ source: drawn, width: null }];
  if (seen.length === 0) return null;
  return html`<h2>${value === null ? "Stage" : html`<code>${value.name}: ${value.type}</code>`}</h2>
    <div class="printed-stage">${seen.map(({ source, width }) => html`<img src=${source} width=${width} alt="Picture of the value" />`)}</div>`;
}

/** @returns {{source: string, width: number|null}[]} */
function canvases() {
  const seen = /** @type {HTMLCanvasElement[]} */ ([
    ...document.querySelectorAll(".pane:not([data-panel=program]):not([data-panel=timeline]) canvas"),
  ]);
  const large = seen.filter((canvas) => canvas.clientWidth > 150 && canvas.clientHeight > 60);
  return large.map((canvas) => ({ source: canvas.toDataURL(), width: canvas.clientWidth }));
}
