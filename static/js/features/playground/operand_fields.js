/** The operands of a form: shape, element type and values, with any number of tensors in variadic groups. */
import { html } from "htm/preact";
import { Slider, Small } from "./controls.js";
import { ProblemText } from "./fields.js";
import { valueOf } from "../../ui/fields.js";
import { effective, markOf, processesOf, withOneMore, withoutOne, withShape, withTensor } from "./model.js";
import { ShapeField, TypeField } from "./shape_field.js";
import * as play from "./state.js";
import { ValuesField } from "./values_field.js";
/** @import {OpForm as Form, OperandField as OperandForm} from "../../core/types.js" */

/** @param {{operand: OperandForm}} props */
export function Operand({ operand }) {
  const form = /** @type {Form} */ (play.form.value);
  const group = play.state.value.operands[operand.name] ?? [];
  if (operand.scalars) return html`<${Scalars} operand=${operand} />`;
  const add = () =>
    play.change(withOneMore(form, play.state.value, operand.name), {
      name: operand.name,
      index: group.length,
      part: "shape",
    });
  return html`${group.map((_, index) => html`<${One} key=${index} operand=${operand} index=${index} count=${group.length} />`)}
    ${operand.many && html`<p class="add"><button type="button" class="plain" onClick=${add}>Add to ${operand.name}</button></p>`}`;
}

/** @param {{operand: OperandForm, index: number, count: number}} props */
function One({ operand, index, count }) {
  const form = /** @type {Form} */ (play.form.value);
  const { value: state } = play.state;
  const tensor = state.operands[operand.name]?.[index];
  if (!tensor) return null;
  const name = operand.many && count > 1 ? `${operand.name}[${index}]` : operand.name;
  const found = effective(form, state, play.good.value, operand.name, index);
  const place = (/** @type {string} */ part) => ({ name: operand.name, index, part });
  const marks = Object.fromEntries(["shape", "type", "values"].map((part) => [part, told(place(part))]));
  const first = ["shape", "type", "values"].map((part) => marks[part]).find((each) => each?.problem);
  const change = (/** @type {any} */ more, /** @type {string} */ part) =>
    play.change(withTensor(state, operand.name, index, more), place(part));
  const { shape: follows, type: like } = inferredWords(form, operand, index);
  return html`<fieldset class=${`operand${first ? " wrong" : Object.values(marks).some((each) => each.involved) ? " involved" : ""}`} data-field=${operand.name}>
    <legend title=${operand.says}><code>${name}</code>${operand.label && html` <span class="input-label">${operand.label}</span>`}
      ${operand.many && count > 1 && html`<${Small} does=${`Remove ${name}`} sign="×" act=${() => play.change(withoutOne(form, state, operand.name, index), place("shape"))} />`}</legend>
    <div class="tensor-line">
      <${ShapeField} shape=${tensor.shape} found=${found.shape} follows=${follows} name=${name} mark=${marks.shape?.mark}
        change=${(/** @type {any} */ shape) => play.change(withShape(form, state, operand.name, index, shape, play.good.value), place("shape"))} />
      <${TypeField} type=${tensor.type} found=${found.type} types=${operand.types} follows=${like} name=${name} mark=${marks.type?.mark} change=${(/** @type {any} */ type) => change({ type }, "type")} />
      <${ValuesField} values=${tensor.values} shape=${found.shape} type=${found.type} processes=${processesOf(state)} shown=${play.shownValue(form, operand.name, index)} name=${name} mark=${marks.values?.mark}
        change=${(/** @type {any} */ values) => change({ values }, "values")} />
    </div>
    ${first?.problem && html`<${ProblemText} id=${first.id} problem=${first.problem} />`}
  </fieldset>`;
}

/** The error of a part of an operand. @param {import("../../core/types.js").FieldPlace} place */
function told(place) {
  const { first, involved } = markOf(play.problems.value, play.changed.value, place);
  const id = `problem-${place.name}-${place.index}-${place.part}`;
  return { problem: first, involved, id, mark: { invalid: first !== null, describedBy: first ? id : undefined } };
}

/** Default shape and type. @param {Form} form @param {OperandForm} operand @param {number} index */
function inferredWords(form, operand, index) {
  if (index > 0) return { shape: "as the first", type: "as the first" };
  const may = form.presets.some(({ state }) => state.operands[operand.name]?.[0]?.shape === null);
  const alone = operand.with === operand.name;
  return { shape: may ? "fits" : "", type: alone || operand.holdsPlaces ? "" : `as ${operand.with}` };
}

/** One scalar per dimension: their values as a list. @param {{operand: OperandForm}} props */
function Scalars({ operand }) {
  const { value: state } = play.state;
  const group = state.operands[operand.name] ?? [];
  const marks = group.map((_, index) => told({ name: operand.name, index, part: "values" }));
  const first = marks.find(({ problem }) => problem);
  const set = (/** @type {number} */ index, /** @type {string} */ text) =>
    play.change(withTensor(state, operand.name, index, { values: [text] }), {
      name: operand.name,
      index,
      part: "values",
    });
  const retype = (/** @type {string|null} */ type) =>
    play.change(
      { ...state, operands: { ...state.operands, [operand.name]: group.map((tensor) => ({ ...tensor, type })) } },
      { name: operand.name, index: 0, part: "type" },
    );
  return html`<fieldset class=${`operand${first ? " wrong" : ""}`} data-field=${operand.name}><legend title=${operand.says}><code>${operand.name}</code> <span class="input-label">${operand.label}</span></legend>
    <div class="tensor-line"><span class="sizes">${group.map(
      (
        { values },
        index,
      ) => html`<label key=${index} class="size"><span aria-hidden="true">d${index}</span><span class="slid"><input class="scalar" type="text" inputmode="numeric" value=${Array.isArray(values) ? (values[0] ?? "") : ""}
      aria-label=${`${operand.name} of dimension ${index}`} aria-invalid=${marks[index]?.problem ? "true" : undefined} onInput=${(/** @type {Event} */ event) => set(index, valueOf(event))} />
      <${Slider} value=${wholeNumber(values)} change=${(/** @type {number} */ next) => set(index, String(next))} /></span></label>`,
    )}
      ${group.length === 0 && html`<span class="follows">none: a scalar has no dimensions</span>`}</span>
    ${group.length > 0 && html`<${TypeField} type=${group[0]?.type ?? null} found=${null} types=${operand.types} follows="" name=${operand.name} mark=${told({ name: operand.name, index: 0, part: "type" }).mark} change=${retype} />`}</div>
    ${first?.problem && html`<${ProblemText} id=${first.id} problem=${first.problem} />`}</fieldset>`;
}

/** The number that a scalar holds; 0 for other text. @param {string|string[]|undefined} values */
const wholeNumber = (values) =>
  Array.isArray(values) && Number.isSafeInteger(Number(values[0])) ? Number(values[0]) : 0;
