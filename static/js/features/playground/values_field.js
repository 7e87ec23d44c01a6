/** The values of an operand: made by a rule, or typed into a table. */
import { html } from "htm/preact";
import { countOf } from "../../core/tensor/axes.js";
import { Choice, Small, ariaOf } from "./controls.js";
import { indexAt, MOST_CELLS, MOST_TYPED, typedFrom } from "./model.js";

const RULES = [
  { value: "iota", title: "own indices" },
  { value: "counting", title: "1 to 9" },
  { value: "random", title: "random" },
  { value: "zeros", title: "0" },
  { value: "ones", title: "1" },
];
const PATTERNS = {
  i1: "true|false|0|1",
  integer: "[+\\-−]?\\d+",
  complex: "[+\\-.\\deEi]+",
  real: "[+\\-−]?(\\d+\\.?\\d*|\\.\\d+)([eE][+\\-]?\\d+)?|nan|-?inf",
};

/**
 * @param {{values: string|string[], shape: number[]|null, type: string|null, processes: number, shown: ArrayLike<number|bigint>|null,
 *   name: string, mark: import("./controls.js").Mark, change: (values: string|string[]) => void}} props `shown`: the values that it has now
 */
export function ValuesField({ values, shape, type, processes, shown, name, mark, change }) {
  const count = shape ? countOf(shape) : 0;
  const typed = Array.isArray(values);
  const rule = typed ? "typed" : (values.split(":")[0] ?? "iota");
  const seed = typed ? 0 : Number(values.split(":")[1] ?? 0);
  const choose = (/** @type {string} */ next) => {
    if (next !== "typed") change(next);
    else change(typedFrom(shown, count, type));
  };
  const choices = [
    ...RULES,
    ...(typed || (count > 0 && count <= MOST_TYPED) ? [{ value: "typed", title: "typed" }] : []),
  ];
  return html`<span class="values"><${Choice} value=${rule} choices=${choices} label=${`Values of ${name}`} mark=${typed ? { invalid: false, describedBy: undefined } : mark} change=${choose} />
    ${rule === "random" && html`<${Small} does=${`Other random values for ${name}`} sign="↻" act=${() => change(`random:${seed + 1}`)} />`}</span>
    ${typed && shape && html`<${Typed} values=${values} shape=${processes > 1 && values.length === count * processes ? [processes, ...shape] : shape} type=${type} name=${name} mark=${mark} change=${change} />`}`;
}

/** @param {{values: string[], shape: number[], type: string|null, name: string, mark: import("./controls.js").Mark, change: (values: string[]) => void}} props */
function Typed({ values, shape, type, name, mark, change }) {
  if (values.length > MOST_CELLS || values.length !== countOf(shape))
    return html`<${AsText} values=${values} name=${name} mark=${mark} change=${change} />`;
  const columns = shape.at(-1) ?? 1;
  const rows = columns > 0 ? values.length / columns : 0;
  const set = (/** @type {number} */ at, /** @type {string} */ text) =>
    change(values.map((value, other) => (other === at ? text : value)));
  const cell = (
    /** @type {number} */ at,
  ) => html`<td key=${at}><input type="text" inputmode="decimal" autocomplete="off" spellcheck=${false} pattern=${patternOf(type)} value=${values[at]} data-at=${at}
    aria-label=${`${name}[${indexAt(at, shape).join(", ")}]`} ...${ariaOf(mark)} onInput=${(/** @type {Event} */ event) => set(at, /** @type {HTMLInputElement} */ (event.currentTarget).value)} /></td>`;
  const row = (/** @type {number} */ number) => html`<tr key=${number}>${
    shape.length > 1 &&
    html`<th scope="row">${indexAt(number * columns, shape)
      .slice(0, -1)
      .join(",")}</th>`
  }
    ${Array.from({ length: columns }, (_, column) => cell(number * columns + column))}</tr>`;
  const onKey = (/** @type {KeyboardEvent} */ event) => move(event, columns);
  return html`<div class="value-table" onKeyDown=${onKey}><table role="presentation"><tbody>${Array.from({ length: rows }, (_, number) => row(number))}</tbody></table></div>`;
}

/** Arrows up and down move between rows; left and right do at the ends of what is typed. @param {KeyboardEvent} event @param {number} columns */
function move(event, columns) {
  const input = event.target;
  if (!(input instanceof HTMLInputElement)) return;
  const at = Number(input.dataset.at);
  const steps = {
    ArrowUp: -columns,
    ArrowDown: columns,
    ArrowLeft: input.selectionStart === 0 ? -1 : 0,
    ArrowRight: input.selectionEnd === input.value.length ? 1 : 0,
  };
  const step = steps[/** @type {keyof typeof steps} */ (event.key)] ?? 0;
  const other = step
    ? /** @type {HTMLElement} */ (event.currentTarget).querySelector(`[data-at="${at + step}"]`)
    : null;
  if (!(other instanceof HTMLInputElement)) return;
  event.preventDefault();
  other.focus();
  other.select();
}

/** @param {{values: string[], name: string, mark: import("./controls.js").Mark, change: (values: string[]) => void}} props */
function AsText({ values, name, mark, change }) {
  const onChange = (/** @type {Event} */ event) =>
    change(
      /** @type {HTMLTextAreaElement} */ (event.currentTarget).value
        .split(/[\s,;]+/)
        .filter(Boolean)
        .slice(0, MOST_TYPED),
    );
  return html`<textarea class="value-list" rows="4" spellcheck=${false} aria-label=${`Values of ${name}, in row-major order`} ...${ariaOf(mark)} onChange=${onChange}>${values.join(", ")}</textarea>`;
}

/** @param {string|null} type */
function patternOf(type) {
  if (type === "i1") return PATTERNS.i1;
  if (type?.startsWith("complex")) return PATTERNS.complex;
  return type && /^(u?i\d|quant|!quant)/.test(type) ? PATTERNS.integer : PATTERNS.real;
}
