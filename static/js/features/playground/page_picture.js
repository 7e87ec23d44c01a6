/** The picture of an op's page: its examples, and its attributes, whose values are lit in the picture. */
import { html } from "htm/preact";
import { withCode } from "../../ui/with_code.js";
import { axesOf } from "./lit_axes.js";
import { PicturePane } from "./picture_pane.js";
import { Presets } from "./playground.js";
import * as play from "./state.js";

/** The picture, with the examples of the playground where they can be computed. */
export function PagePicture() {
  const form = play.form.value;
  if (!form) return null;
  return html`<div class="playground within">${play.isAnswered.value && form.presets.length > 1 && html`<${Presets} form=${form} />`}
    ${play.trouble.value && html`<p class="alarm" role="alert">${play.trouble.value}</p>`}
    <section class="play-stage" aria-label="Picture" aria-busy=${play.busy.value}><${PicturePane} brief /></section></div>`;
}

/** Each attribute with its value in the picture and its meaning. @param {{sentences: import("../../core/types.js").AttributeSentence[]}} props */
export function Attributes({ sentences }) {
  const form = play.form.value;
  const fields = new Map(form?.fields.map((field) => [field.name, field]));
  const item = (/** @type {{name: string, sentence: string}} */ { name, sentence }) => {
    const field = fields.get(name);
    const axes = form && field ? axesOf(form, play.state.value, field) : [];
    const value = field && valueText(play.state.value.fields[name]);
    const light = () => (play.lit.value = axes);
    const darken = () => (play.lit.value = []);
    const shown = html`<code>${name}</code>${value && html` = <code class="value">${value}</code>`}`;
    return html`<dt onPointerEnter=${light} onPointerLeave=${darken}>${
      axes.length > 0
        ? html`<button type="button" class="plain" title="Light its dimensions in the picture" onFocus=${light} onBlur=${darken}>${shown}</button>`
        : shown
    }</dt><dd>${withCode(sentence)}</dd>`;
  };
  return html`<dl class="attributes">${sentences.map(item)}</dl>`;
}

/** @param {any} value */
const valueText = (value) =>
  Array.isArray(value)
    ? JSON.stringify(value).replaceAll(",", ", ")
    : value === null || value === undefined
      ? ""
      : String(value);
