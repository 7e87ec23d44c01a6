/** The opening page: a field for a program, a running example, the gallery, recent sessions. */
import { countText } from "../core/tensor/elements.js";
import { html, render } from "htm/preact";
import { useState } from "preact/hooks";
import { resultAddress } from "../core/addresses.js";
import { getBytes, getJson, recordingPath, sendJson, sessionPath } from "../core/api.js";
import { fetchTable } from "../core/run/program_table.js";
import { recall, remember } from "../core/preferences.js";
import { open, Paste } from "../features/home/paste.js";
import { RecentSessions } from "../features/sessions/recent_sessions.js";
import { useJson, useResource } from "../ui/resource.js";
import { greyed, Thumbnail } from "../ui/thumbnails.js";
import "./common.js";
/** @import {ExampleTitle as Example} from "../core/types.js" */

function Home() {
  return html`<div class="home-top"><${Paste} /><${RecentSessions} /><${FilmStrip} /></div><${Gallery} /><${Footer} />`;
}

function Gallery() {
  const { value: examples, error } = useJson("/api/examples");
  const [problem, setProblem] = useState("");
  const [opening, setOpening] = useState("");
  const start = (/** @type {string} */ name) => {
    setOpening(name);
    setProblem("");
    open({ example: name })
      .catch((error) => setProblem(error.message))
      .finally(() => setOpening(""));
  };
  return html`<section aria-labelledby="gallery-title"><h2 id="gallery-title">Examples</h2>
    ${(problem || error) && html`<p class="alarm" role="alert">${problem || error?.message}</p>`}
    <${Cards} of=${examples?.filter((/** @type {Example} */ item) => !item.parallel)} opening=${opening} start=${start} />
    <h3>Several processes</h3>
    <${Cards} of=${examples?.filter((/** @type {Example} */ item) => item.parallel)} opening=${opening} start=${start} />
  </section>`;
}

/** @param {{of: Example[]|undefined, opening: string, start: (name: string) => void}} props */
function Cards({ of, opening, start }) {
  return html`<ul class="gallery">${(of ?? []).map(
    ({ name, title, description, picture }) => html`<li key=${name}>
    <button onClick=${() => start(name)} aria-busy=${opening === name}><${Thumbnail} info=${picture} /><span class="title">${title}</span>
      <span class="description">${opening === name ? "Opening…" : description}</span></button></li>`,
  )}</ul>`;
}

function Footer() {
  return html`<p class="quiet home-foot"><kbd>F5</kbd> continues to the next breakpoint, <kbd>F10</kbd> steps over, <kbd>F11</kbd> steps into. <a href="/help#start">The first five minutes</a> · <a href="/settings#keys">All keys</a> · <a href="/lessons">Lessons</a> · <a href="/ops">All ops</a> · <a href="/playground">Playground: one op alone</a></p>`;
}

/** @typedef {{step: number, depth: number, name: string, result: string, info: import("../core/types.js").ThumbnailInfo}} Frame */
/** @typedef {{id: string, number: number, frames: Frame[], steps: number}} Film */

const EXAMPLE = "softmax";
const MOST_FRAMES = 14;
/** Bytes per step: 4 for the op, 4 for the frame, 2 for the depth; the columns follow each other. */
const STEP_BYTES = 10;

function FilmStrip() {
  const { value: film, error } = useResource("film", runExample);
  return html`<section class="film" aria-labelledby="film-title">
    <h2 id="film-title">A recorded run: softmax</h2>
    <p class="quiet">Every line shows its result. Choose a step to go there.</p>
    ${error ? html`<p class="quiet">The example could not be run. ${error.message}</p>` : film ? html`<${Strip} film=${film} />` : html`<p class="quiet" role="status">Running…</p>`}
  </section>`;
}

/** @param {{film: Film}} props */
function Strip({ film: { id, number, frames, steps } }) {
  const at = (/** @type {number} */ step) => `/s/${id}?run=${number}&step=${step}`;
  return html`<ol>${frames.map(
    ({ step, depth, name, result, info }) => html`<li key=${step}>
      <a href=${at(step)} class=${`depth-${Math.min(depth, 3)}`}><code class="result">${result}</code><code class="op">${name}</code><${Thumbnail} info=${name === "constant" ? greyed(info) : info} /><span class="range">${info.text.replace(/^\S+ +/, "")}</span></a></li>`,
  )}</ol>
    <p><a href=${at(0)}>Open softmax in the debugger</a> <span class="quiet">${countText(steps)} steps</span></p>`;
}

/** @returns {Promise<Film>} */
async function runExample() {
  const { id, run } = await session();
  const base = recordingPath(run.key);
  const [program, outline] = await Promise.all([
    fetchTable((path) => getJson(`${base}/${path}`), ""),
    getBytes(`${base}/outline?chunk=0`),
  ]);
  const steps = pickedSteps(program, outline);
  const addresses = steps.map(({ step }) => resultAddress(0, step, 0));
  const thumbnails = await getJson(`${base}/thumbnails?addresses=${addresses.join(",")}`);
  const frames = steps.flatMap((item, at) => {
    const info = thumbnails[addresses[at] ?? ""];
    return info ? [{ ...item, info }] : [];
  });
  return { id, number: run.number, frames, steps: Math.max(run.steps, outline.byteLength / STEP_BYTES) };
}

/** The session of the previous visit if it still exists; else a new one. @returns {Promise<{id: string, run: import("../core/types.js").RunInfo}>} */
async function session() {
  const before = recall("film");
  if (before) {
    const found = await getJson(sessionPath(before)).catch(() => null);
    if (found?.run) return found;
  }
  const { id } = await sendJson("/api/sessions", { example: EXAMPLE });
  remember("film", id);
  return getJson(sessionPath(id));
}

/** Steps whose op has a tensor as result. @param {Omit<import("../core/types.js").ProgramInfo, "lines">} program @param {ArrayBuffer} outline */
function pickedSteps(program, outline) {
  const count = outline.byteLength / STEP_BYTES;
  const ops = new Uint32Array(outline, 0, count);
  const depths = new Uint16Array(outline, 8 * count, count);
  return Array.from(ops, (id, step) => {
    const op = program.ops[id];
    const value = op?.results[0] === undefined ? undefined : program.values[op.results[0]];
    return {
      step,
      depth: depths[step] ?? 0,
      name: op?.name.replace(/^stablehlo\./, "") ?? "",
      result: value?.name ?? "",
    };
  })
    .filter(({ result }) => result !== "")
    .slice(0, MOST_FRAMES);
}

const root = document.getElementById("home");
if (root) render(html`<${Home} />`, root);
