/** The fields of a form, each with its error. */
import { html } from "htm/preact";
import { TextChoice, DimensionChips, DimensionChoice, ListBox, ariaOf, NumberBox, Small } from "./controls.js";
import { axesOf } from "./lit_axes.js";
import { markOf, rankOf, withField } from "./model.js";
import { ShapeField, TypeField } from "./shape_field.js";
import * as play from "./state.js";
import { valueOf } from "../../ui/fields.js";
/** @import {FormField as FieldForm, FieldPlace as Place} from "../../core/types.js" */

/**
 * @typedef {{field: FieldForm, value: any, rank: number|null, mark: import("./controls.js").Mark, part: string, change: (value: any) => void}} Props
 */

/** @param {{field: FieldForm}} props */
export function Field({ field }) {
  const form = /** @type {import("../../core/types.js").OpForm} */ (play.form.value);
  const place = { name: field.name, index: 0, part: "" };
  const value = play.state.value.fields[field.name];
  const change = (/** @type {any} */ next) => play.change(withField(form, play.state.value, field.name, next), place);
  const rank = field.of ? rankOf(form, play.state.value, play.good.value, field.of) : null;
  return html`<${Row} name=${field.name} label=${field.label} says=${[field.sentence.replaceAll("`", ""), field.says].filter(Boolean).join("\n")} place=${place} lights=${() => axesOf(form, play.state.value, field)}>${(/** @type {import("./controls.js").Mark} */ mark, /** @type {string} */ part) => control({ field, value, rank, mark, part, change })}<//>`;
}

/** A label, its control, and its error; `lights`: the dimensions that it names. @param {{name: string, label: string, says: string, place: Place, lights?: () => import("../../ui/tensor_grid/state.js").LitAxes, children: (mark: import("./controls.js").Mark, part: string) => any}} props `part`: what of it is wrong */
export function Row({ name, label, says, place, lights = () => [], children }) {
  const light = () => (play.lit.value = lights());
  const darken = () => (play.lit.value = []);
  const { first, involved } = markOf(play.problems.value, play.changed.value, place);
  const id = `problem-${place.name}-${place.index}-${place.part}`;
  const mark = { invalid: first !== null, describedBy: first ? id : undefined };
  return html`<div class=${`field${first ? " wrong" : involved ? " involved" : ""}`} data-field=${name} onPointerEnter=${light} onPointerLeave=${darken} onFocusIn=${light} onFocusOut=${darken}>
    <span class="field-name" title=${says}><code>${name}</code>${label && html` <span class="input-label">${label}</span>`}</span>
    <div class="field-control">${children(mark, first?.fields.find((told) => told.name === name)?.part ?? "")}</div>
    ${first && html`<${ProblemText} id=${id} problem=${first} />`}
  </div>`;
}

/** @param {{problem: import("../../core/types.js").FormProblemInfo, id?: string}} props */
export function ProblemText({ problem, id }) {
  const { opPage, rules } = /** @type {import("../../core/types.js").OpForm} */ (play.form.value);
  const { label, message, hint } = problem;
  const rule = label && rules[label] !== undefined;
  return html`<p class="problem" id=${id}>${rule && html`<a href=${`${opPage}#${label}`} title=${rules[label]}>${label}</a> `}${message}${hint && html` ${hint}`}
    ${label && !rule && /^[a-z]+_/.test(label) && html` <a href="/-/settings">All limits</a>`}</p>`;
}

/** @param {Props} props */
function control(props) {
  const {
    field: { name, kind, choices, least },
    value,
    rank,
    mark,
    change,
  } = props;
  switch (kind) {
    case "flag":
      return html`<label class="flag"><input type="checkbox" aria-label=${name} checked=${value} ...${ariaOf(mark)} onChange=${() => change(!value)} />${value ? "true" : "false"}</label>`;
    case "integer":
      return html`<${NumberBox} value=${value} least=${least} label=${name} mark=${mark} change=${change} />`;
    case "number":
      return html`<${NumberBox} value=${value} label=${name} mark=${mark} change=${change} fraction />`;
    case "dimension":
      return html`<${DimensionChoice} value=${value} rank=${rank} name=${name} label=${name} mark=${mark} change=${change} />`;
    case "dimensions":
      return html`<${ListBox} value=${value} label=${name} mark=${mark} change=${change} /><${DimensionChips} value=${value} rank=${rank} label=${name} change=${change} />`;
    case "sizes":
      return html`<${Sizes} ...${props} />`;
    case "flags":
      return html`<${Flags} ...${props} />`;
    case "pairs":
      return html`<${Pairs} ...${props} />`;
    case "routes":
      return html`<${Routes} ...${props} />`;
    case "groups":
      return html`<${Groups} ...${props} />`;
    case "choice":
    case "body":
      return html`<${TextChoice} value=${value} choices=${kind === "body" ? choices.map(bodyChoice) : choices} label=${name} mark=${mark} change=${change} />`;
    case "pick":
      return html`<span class="chips">${value.map((/** @type {string} */ item, /** @type {number} */ at) => html`<${TextChoice} key=${at} value=${item} choices=${choices} label=${`${name} of operand ${at}`} mark=${mark} change=${(/** @type {string} */ next) => change(value.with(at, next))} />`)}</span>`;
    case "text":
      return html`<input class="list-box" type="text" aria-label=${name} value=${value} maxlength="200" autocomplete="off" spellcheck=${false} ...${ariaOf(mark)} onInput=${(/** @type {Event} */ event) => change(valueOf(event))} />`;
    case "tensor":
      return html`<${Result} ...${props} />`;
    default:
      return html`<${GridSizes} ...${props} />`;
  }
}

/** @type {Readonly<Record<string, string>>} */
const BODIES = {
  replace: "the second (overwrite)",
  keep: "the first",
  argmax: "the pair of the larger",
  LT: "ascending: LT",
  GT: "descending: GT",
};

/** @param {string} choice */
const bodyChoice = (choice) => ({ value: choice, title: BODIES[choice] ?? choice });

/** @param {Props} props */
function Sizes({ field: { name, of, least }, value, rank, mark, change }) {
  const open = of === "" || (rank !== null && rank !== value.length);
  return html`<span class="sizes">${value.map(
    (
      /** @type {number|null} */ size,
      /** @type {number} */ d,
    ) => html`<label key=${d} class="size"><span aria-hidden="true">d${d}</span><${NumberBox} value=${size} least=${least} label=${`${name} of dimension ${d}`} mark=${mark}
    change=${(/** @type {number|null} */ next) => change(value.with(d, next))} /></label>`,
  )}
    ${value.length === 0 && html`<span class="follows">none</span>`}
    ${
      open &&
      html`<span class="steppers"><${Small} does=${`Remove the last entry of ${name}`} sign="−" disabled=${value.length === 0} act=${() => change(value.slice(0, -1))} />
      <${Small} does=${`Add an entry to ${name}`} sign="+" act=${() => change([...value, 1])} /></span>`
    }</span>`;
}

/** @param {Props} props */
function Flags({ field: { name }, value, mark, change }) {
  return html`<span class="sizes">${value.map((/** @type {boolean} */ flag, /** @type {number} */ d) => html`<label key=${d} class="size"><span aria-hidden="true">d${d}</span><input type="checkbox" aria-label=${`${name} of dimension ${d}`} checked=${flag} ...${ariaOf(mark)} onChange=${() => change(value.with(d, !flag))} /></label>`)}</span>`;
}

/** @param {Props} props */
function Pairs({ field: { name }, value, mark, change }) {
  /** @param {number} d @param {0|1} side */
  const box = (
    d,
    side,
  ) => html`<td><${NumberBox} value=${value[d][side]} label=${`${side ? "High" : "Low"} ${name} of dimension ${d}`} mark=${mark}
    change=${(/** @type {number|null} */ next) => change(value.with(d, value[d].with(side, next)))} /></td>`;
  return html`<table class="pairs"><thead><tr><td></td><th scope="col">low</th><th scope="col">high</th></tr></thead>
    <tbody>${value.map((/** @type {number[]} */ _, /** @type {number} */ d) => html`<tr key=${d}><th scope="row">d${d}</th>${box(d, 0)}${box(d, 1)}</tr>`)}</tbody></table>`;
}

/** @param {Props} props */
function Routes({ field: { name }, value, mark, change }) {
  /** @param {number} at @param {0|1} side */
  const box = (
    at,
    side,
  ) => html`<${NumberBox} value=${value[at][side]} least=${0} label=${`${side ? "Target" : "Source"} of pair ${at} of ${name}`} mark=${mark}
    change=${(/** @type {number|null} */ next) => change(value.with(at, value[at].with(side, next)))} />`;
  return html`<div class="rows">${value.map(
    (
      /** @type {number[]} */ _,
      /** @type {number} */ at,
    ) => html`<span key=${at} class="shape">${box(at, 0)}<span aria-hidden="true">→</span>${box(at, 1)}
    <${Small} does=${`Remove pair ${at} of ${name}`} sign="×" act=${() => change(value.toSpliced(at, 1))} /></span>`,
  )}
    <button type="button" class="plain" onClick=${() => change([...value, [0, 0]])}>Add a pair</button></div>`;
}

/** @param {Props} props */
function Groups({ field: { name }, value, mark, change }) {
  return html`<div class="rows">${value.map(
    (
      /** @type {number[]} */ group,
      /** @type {number} */ at,
    ) => html`<span key=${at} class="shape"><${ListBox} value=${group} label=${`Group ${at} of ${name}`} mark=${mark} change=${(/** @type {(number|null)[]} */ next) => change(value.with(at, next))} placeholder="ids" />
    <${Small} does=${`Remove group ${at} of ${name}`} sign="×" act=${() => change(value.toSpliced(at, 1))} /></span>`,
  )}
    <button type="button" class="plain" onClick=${() => change([...value, []])}>Add a group</button></div>`;
}

/** @param {Props} props */
function Result({ field: { types }, value, mark, part, change }) {
  const fine = { invalid: false, describedBy: undefined };
  const form = /** @type {import("../../core/types.js").OpForm} */ (play.form.value);
  const found = play.good.value?.picture?.results?.at(-1);
  const follows = form.first.fields.result?.shape === null ? "follows" : "";
  return html`<span class="tensor-line"><${ShapeField} shape=${value.shape} found=${found?.shape ?? null} follows=${follows} name="the result" mark=${part === "type" ? fine : mark} change=${(/** @type {any} */ shape) => change({ ...value, shape })} />
    <${TypeField} type=${value.type} found=${null} types=${types} follows=${form.operands.length > 0 ? `as ${form.operands[0]?.name}` : ""} name="the result" mark=${part === "shape" ? fine : mark} change=${(/** @type {any} */ type) => change({ ...value, type })} /></span>`;
}

/** @param {Props} props */
function GridSizes({ value, mark, change }) {
  const box = (/** @type {0|1} */ at, /** @type {string} */ label) =>
    html`<label class="size"><span>${label}</span><${NumberBox} value=${value[at]} least=${1} label=${`Number of ${label}`} mark=${mark} change=${(/** @type {number|null} */ next) => change(value.with(at, next))} /></label>`;
  return html`<span class="sizes">${box(0, "replicas")}<span class="times" aria-hidden="true">×</span>${box(1, "partitions")}</span>`;
}
