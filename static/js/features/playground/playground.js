/** The playground: an op, its form, and its result. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { isCopied } from "../../ui/copied.js";
import { Icon } from "../../ui/icons.js";
import { open } from "../home/paste.js";
import { Field, ProblemText } from "./fields.js";
import { Gallery } from "./gallery.js";
import { homeless } from "./model.js";
import { Operand } from "./operand_fields.js";
import { PicturePane } from "./picture_pane.js";
import * as play from "./state.js";
import { withCode } from "../../ui/with_code.js";
/** @import {FormFamily as Family} from "../../core/types.js" */

/** @param {{families: Family[]}} props */
export function Playground({ families }) {
  const form = play.form.value;
  const [choosing, setChoosing] = useState(false);
  return html`<${Head} families=${families} choose=${() => setChoosing(true)} />
    ${choosing && html`<${Gallery} families=${families} close=${() => setChoosing(false)} />`}
    ${play.trouble.value && html`<p class="alarm" role="alert">${play.trouble.value}</p>`}
    ${
      form
        ? html`<${Columns} form=${form} />`
        : html`<p class="empty">${families.flatMap(({ ops }) => ops).find(({ name }) => name === asked)?.why} <a href=${`/ops/${asked}`}>About ${asked}</a></p>`
    }`;
}

/** The form and the picture alone, inside another page. */
export function PlaygroundWithin() {
  const form = play.form.value;
  return html`${play.trouble.value && html`<p class="alarm" role="alert">${play.trouble.value}</p>`}
    ${form && html`<${Columns} form=${form} />`}`;
}

/** @param {{form: import("../../core/types.js").OpForm}} props */
function Columns({ form }) {
  return html`<div class="play-columns"><${FormPane} form=${form} /><section class="play-stage" aria-label="Picture" aria-busy=${play.busy.value}><${PicturePane} /></section></div>`;
}

/** A path below a session: there a room for a class is to be opened. */
const OPENING = "#open-room";

/** The op and the fields in the address. */
const asked = document.querySelector("[data-op]")?.getAttribute("data-op") ?? "";

/** @param {{families: Family[], choose: () => void}} props */
function Head({ families, choose }) {
  const form = play.form.value;
  const [said, setSaid] = useState("");
  const told = (/** @type {string} */ text) => {
    setSaid(text);
    setTimeout(() => setSaid(""), 4000);
  };
  const share = async () =>
    told(
      (await isCopied(location.href)) ? "The link is copied." : "The page's address is the link: copy it from there.",
    );
  const openSession = (/** @type {string} */ hash) => {
    const program = play.good.value?.program;
    if (program) open({ ...program, name: "playground.mlir" }, hash).catch((error) => told(error.message));
  };
  const sentence = families.flatMap(({ ops }) => ops).find(({ name }) => name === form?.op)?.sentence ?? "";
  return html`<div class="play-head">
    <h1><button type="button" class="op-choice" onClick=${choose} aria-haspopup="dialog" title="Choose an op"><code>${form?.op ?? asked}</code><span aria-hidden="true">▾</span></button></h1>
    <p class="op-sentence">${withCode(sentence)}</p>
    <div class="play-actions"><span role="status" class="quiet">${said}</span>
      ${
        form &&
        html`<button type="button" class="plain" onClick=${share}><${Icon} name="share" />Share</button>
      <button type="button" class="plain" onClick=${() => openSession("")} aria-disabled=${!play.good.value?.program}>Open in the debugger</button>
      <button type="button" class="plain" onClick=${() => openSession(OPENING)} aria-disabled=${!play.good.value?.program}>Open a room</button>
      <a href=${form.opPage}>About the op</a> <a href="/function">Your function</a>`
      }</div>
  </div>`;
}

/** @param {{form: import("../../core/types.js").OpForm}} props */
function FormPane({ form }) {
  const alone = form.fields.filter(({ group }) => !group);
  const groups = [...new Set(form.fields.map(({ group }) => group).filter(Boolean))];
  const others = homeless(form, play.problems.value);
  return html`<form class="play-form" aria-label=${`Form of ${form.op}`} onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
    <${Presets} form=${form} />
    <div role="alert">${others.map((problem, at) => html`<${ProblemText} key=${at} problem=${problem} />`)}</div>
    ${form.operands.map((operand) => html`<${Operand} key=${`${form.op} ${operand.name}`} operand=${operand} />`)}
    ${groups.map(
      (group) => html`<fieldset key=${`${form.op} ${group}`} class="struct"><legend><code>${group}</code></legend>
      ${form.fields.filter((field) => field.group === group).map((field) => html`<${Field} key=${field.name} field=${field} />`)}</fieldset>`,
    )}
    ${alone.map((field) => html`<${Field} key=${`${form.op} ${field.name}`} field=${field} />`)}
    <p class="hidden" role="status">${announcement()}</p>
    <button type="button" class="to-picture primary" onClick=${() => document.querySelector(".play-stage")?.scrollIntoView()}>To the picture ↓</button>
  </form>`;
}

/** The problems for screen readers. */
const announcement = () =>
  play.problems.value.map(({ label, message }) => [label, message].filter(Boolean).join(": ")).join(" ");

/** @param {{form: import("../../core/types.js").OpForm}} props */
export function Presets({ form }) {
  const [current] = form.presets.filter(({ state }) => JSON.stringify(state) === JSON.stringify(play.state.value));
  return html`<div class="presets"><div class="chips" role="group" aria-label="Examples">${form.presets.map(
    (
      preset,
    ) => html`<button key=${preset.title} type="button" class="chip" aria-pressed=${preset === current} title=${preset.sentence}
    onClick=${() => play.fill(preset.state)}>${preset.title}</button>`,
  )}</div>
    ${current && html`<p class="quiet">${current.sentence}</p>`}</div>`;
}
