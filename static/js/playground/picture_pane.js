/** What the form stands for: which elements are read, drawn; the formulas; the program. */
import { html } from "htm/preact";
import { useMemo, useState } from "preact/hooks";
import { IndexPicture } from "../indexing/picture.js";
import { PictureState } from "../indexing/state.js";
import { reasonOf } from "../panels/index_map/opaque.js";
import { processName, sourcesOf } from "./answer_sources.js";
import * as play from "./play.js";

export function PicturePane() {
  const answer = play.good.value;
  const stale = play.problems.value.length > 0;
  if (!answer?.picture) return html`<p class="empty" role="status">${stale ? "Mend what is marked, and the picture is drawn." : "Drawing …"}</p>`;
  return html`<${Picture} key=${play.form.value?.op} answer=${answer} stale=${stale} />`;
}

/** @param {{answer: import("./form_model.js").Answer, stale: boolean}} props */
function Picture({ answer, stale }) {
  const { picture, note, program } = answer;
  const state = useMemo(() => new PictureState(), []);
  const [chosen, setProcess] = useState(0);
  const process = chosen < picture.processes.length ? chosen : 0;
  const sources = useMemo(() => sourcesOf(picture, process, setProcess), [picture, process]);
  useShapes(state, picture);
  const reason = reasonOf(picture);
  return html`<article class=${`index-map play-picture${stale ? " stale" : ""}${state.enlarged.value ? " enlarged" : ""}`} aria-label="Index map">
    ${stale && html`<p class="stale-note">This is the last picture that could be drawn.</p>`}
    ${note && html`<p class="quiet">${note}</p>`}
    ${reason && html`<p class="index-opaque">${reason}</p>`}
    ${picture.processes.length > 1 && html`<${Processes} processes=${picture.processes} chosen=${process} choose=${setProcess} />`}
    <${IndexPicture} maps=${picture} operands=${sources.operands} results=${sources.results} found=${sources.found} places=${sources.places} state=${state} title=${picture.op} />
    <details class="program-text"><summary>Program</summary><pre tabindex="0" aria-label="Program"><code>${program?.text}</code></pre></details>
  </article>`;
}

/** What was chosen in tensors of other shapes is there no more. @param {PictureState} state @param {any} picture */
function useShapes(state, picture) {
  const shapes = JSON.stringify([...picture.operands, ...picture.results].map(({ shape }) => shape));
  useMemo(() => {
    state.hovered.value = null;
    state.select(null);
  }, [shapes]);
}

/** @param {{processes: [number, number][], chosen: number, choose: (process: number) => void}} props */
function Processes({ processes, chosen, choose }) {
  return html`<div class="chips" role="group" aria-label="Process, as replica and partition"><span class="quiet">process</span>
    ${processes.map((_, number) => html`<button key=${number} type="button" class="chip" aria-pressed=${number === chosen} onClick=${() => choose(number)}>${processName(processes, number)}</button>`)}</div>`;
}
