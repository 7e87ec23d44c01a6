/** The opening page: a program of one's own, one that is running, the gallery, what was open before. */
import { html, render } from "htm/preact";
import { useState } from "preact/hooks";
import { FilmStrip } from "../features/home/film.js";
import { open, Paste } from "../features/home/paste.js";
import { RecentSessions } from "../features/sessions/recent_sessions.js";
import { useJson } from "../ui/resource.js";
import { Thumbnail } from "../ui/thumbnails.js";
import "./common.js";

/** @typedef {import("../core/types.js").ExampleTitle} Example */

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
  return html`<p class="quiet home-foot"><kbd>F5</kbd> continues to the next breakpoint, <kbd>F10</kbd> steps over, <kbd>F11</kbd> steps into. <a href="/help#start">The first five minutes</a> · <a href="/help#keys">All keys</a> · <a href="/lessons">Lessons</a> · <a href="/ops">All ops</a> · <a href="/playground">Playground: one op alone</a></p>`;
}

const root = document.getElementById("home");
if (root) render(html`<${Home} />`, root);
