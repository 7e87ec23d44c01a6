/** The opening page: a program of one's own, one that is running, the gallery, what was open before. */
import { html, render } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { getJson } from "../api.js";
import { FilmStrip } from "../home/film.js";
import { open, Paste } from "../home/paste.js";
import { forgetSession, recents } from "../home/recents.js";
import "./common.js";

/** @typedef {{name: string, title: string, description: string, file: string, parallel: boolean}} Example */

function Home() {
  return html`<div class="home-top"><${Paste} /><${FilmStrip} /></div><${Gallery} /><${Recents} /><${Footer} />`;
}

function Gallery() {
  const [examples, setExamples] = useState(/** @type {Example[]|null} */ (null));
  const [problem, setProblem] = useState("");
  const [opening, setOpening] = useState("");
  useEffect(() => {
    getJson("/api/examples").then(setExamples, (error) => setProblem(error.message));
  }, []);
  const start = (/** @type {string} */ name) => {
    setOpening(name);
    setProblem("");
    open({ example: name }).catch((error) => setProblem(error.message)).finally(() => setOpening(""));
  };
  return html`<section aria-labelledby="gallery-title"><h2 id="gallery-title">Examples</h2>
    ${problem && html`<p class="alarm" role="alert">${problem}</p>`}
    <${Cards} of=${examples?.filter((item) => !item.parallel)} opening=${opening} start=${start} />
    <h3>Several processes</h3>
    <${Cards} of=${examples?.filter((item) => item.parallel)} opening=${opening} start=${start} />
  </section>`;
}

/** @param {{of: Example[]|undefined, opening: string, start: (name: string) => void}} props */
function Cards({ of, opening, start }) {
  return html`<ul class="gallery">${(of ?? []).map(({ name, title, description }) => html`<li key=${name}>
    <button onClick=${() => start(name)} aria-busy=${opening === name}><span class="title">${title}</span>
      <span class="description">${opening === name ? "Opening …" : description}</span></button></li>`)}</ul>`;
}

function Recents() {
  const [known, setKnown] = useState(recents());
  if (known.length === 0) return null;
  const forget = (/** @type {string} */ id) => {
    forgetSession(id);
    setKnown(recents());
  };
  return html`<section aria-labelledby="recent-title"><h2 id="recent-title">Opened before</h2>
    <ul class="recents">${known.map(({ id, name, when }) => html`<li key=${id}><a href=${`/s/${id}`}>${name}</a>
      <span class="quiet">${new Date(when).toLocaleString()}</span>
      <button aria-label=${`Forget ${name}`} title="Forget" onClick=${() => forget(id)}>×</button></li>`)}</ul></section>`;
}

function Footer() {
  return html`<p class="quiet home-foot"><kbd>F5</kbd> continues to the next breakpoint, <kbd>F10</kbd> steps over, <kbd>F11</kbd> steps into. <a href="/help#start">The first five minutes</a> · <a href="/help#keys">All keys</a> · <a href="/ops">All ops</a> · <a href="/playground">Playground: one op alone</a></p>`;
}

const root = document.getElementById("home");
if (root) render(html`<${Home} />`, root);
