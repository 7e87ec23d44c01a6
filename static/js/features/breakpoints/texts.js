/** The fields of a breakpoint: its condition, hit count and log message, which the server evaluates. */
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { goTo } from "../../core/actions.js";
import { ANY, isOnLine, titleOf, valueName } from "../../core/run/breakpoints.js";
import { sourceName } from "../../core/run/op_names.js";
import { functions, scopes } from "../../core/run/scopes.js";
import { sourceKey } from "../../core/run/source_lines.js";
import { knownStops, opsHere } from "../../core/run/stops.js";
import * as store from "../../core/store.js";
import { countText } from "../../core/tensor/elements.js";
import { changeBreakpoint, editBreakpoint } from "../../core/view_actions.js";
import { ExpressionField } from "../../ui/expression_field.js";
import { valueOf } from "../../ui/fields.js";
import { asSentence } from "../../core/messages.js";
/** @import {BreakpointInfo, BreakpointKind, BreakpointPart} from "../../core/types.js" */
/** @import {Program} from "../../core/run/program.js" */

/** Maximum number of names that a field suggests. */
const MOST_NAMES = 1000;

/** Conditions on the element or tensor `value`; `before` is it at its previous execution. @type {readonly (readonly [string, string])[]} */
const EVENTS = [
  ["is NaN or infinite", "not all(isfinite(value))"],
  ["leaves a range", "not all(value in [-1, 1])"],
  ["is all zero", "all(value == 0)"],
  ["changes by more than", "not all(abs(value - before) <= 0.1)"],
];

/** Conditions on a value, or on a part of it such as `[1, 2]`, with their names. @param {string} part @returns {(readonly [string, string])[]|null} null in a saved page */
export const conditionsOf = (part) =>
  EVENTS.map(([text, condition]) => [text, condition.replaceAll(/value|before/g, `$&${part}`)]);

/** The fields of a breakpoint that is edited, and those with a text. @param {{point: BreakpointInfo, isEdited: boolean}} props */
export function Texts({ point, isEdited }) {
  const words = ofValue(point) ? "value" : "%x";
  const problem = knownStops(point)?.problem;
  return html`${isEdited && !isOnLine(point) && html`<${Place} point=${point} />`}
    ${problem?.part === "at" && html`<p class="problem">${sentenceOf(problem)}</p>`}
    ${(isEdited || point.condition) && html`<${Text} point=${point} part="condition" label="if" hint=${`max(abs(${words})) > 10`} isFirst=${isEdited} />`}
    ${(isEdited || point.hits) && html`<${Hits} point=${point} />`}
    ${(isEdited || point.log) && html`<${Text} point=${point} part="log" label="log" hint=${`max is {max(${words})}, and go on`} />`}`;
}

/** Whether expressions may name the value that the breakpoint is for. @param {BreakpointInfo} point @returns {boolean} */
const ofValue = ({ kind, at }) => ["value", "read", "differs"].includes(kind) && at !== ANY;

/** Variables in the expressions of a breakpoint on a value. */
const OF_VALUE = [
  { name: "value", meaning: "the value that the breakpoint is for" },
  { name: "before", meaning: "the same value at its previous execution" },
];

/** An expression of a breakpoint, or a message with expressions in braces. @param {{point: BreakpointInfo, part: "condition"|"log", label: string, hint: string, isFirst?: boolean}} props */
function Text({ point, part, label, hint, isFirst = false }) {
  const field = useRef(/** @type {HTMLDivElement|null} */ (null));
  useEffect(() => {
    if (!isFirst) return;
    field.current?.querySelector("input")?.focus();
    // The panel may be lower than the breakpoint: the field itself comes last.
    for (const shown of [field.current?.closest(".breakpoint"), field.current])
      shown?.scrollIntoView({ block: "nearest" });
  }, [isFirst]);
  const problem = knownStops(point)?.problem;
  const fault =
    problem?.part === part
      ? { ...problem, text: asSentence(problem.message), hint: problem.hint && asSentence(problem.hint) }
      : null;
  const end = () => endEditing(field.current);
  return html`<div class="breakpoint-text" ref=${field}><span aria-hidden="true">${label}</span>
    <${ExpressionField} label=${`${TITLES[part]}: ${titleOf(point)}`} value=${point[part] ?? ""} placeholder=${hint} fault=${fault}
      variables=${ofValue(point) ? OF_VALUE : []} ops=${opsHere(point)} isMessage=${part === "log"}
      onInput=${(/** @type {string} */ text) => changeBreakpoint(point, { [part]: text })} onSubmit=${end} onEscape=${end} /></div>`;
}

/** The focus leaves the field, which may disappear, for the button that opened it. @param {Element|null} field */
function endEditing(field) {
  const button = field?.closest(".breakpoint")?.querySelector("[aria-expanded]");
  /** @type {HTMLElement|null|undefined} */ (button)?.focus();
  editBreakpoint(null);
}

/** The hit count of a breakpoint, with its error. @param {{point: BreakpointInfo}} props */
function Hits({ point }) {
  const onInput = (/** @type {Event} */ event) => changeBreakpoint(point, { hits: valueOf(event) });
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    endEditing(/** @type {Element} */ (event.target));
  };
  const problem = knownStops(point)?.problem;
  const isWrong = problem?.part === "hits";
  const id = "breakpoint-hits-problem";
  return html`<label class="breakpoint-text"><span>hits</span><input value=${point.hits ?? ""} placeholder="3, >= 3, % 10" onInput=${onInput} onKeyDown=${onKey}
      aria-label=${`${TITLES.hits}: ${titleOf(point)}`} aria-invalid=${isWrong} aria-describedby=${isWrong ? id : undefined} autocomplete="off" spellcheck=${false} /></label>
    ${isWrong && html`<p id=${id} class="problem">${sentenceOf(problem)}</p>`}`;
}

const TITLES = { condition: "Condition", hits: "Hit count", log: "Log message" };

/** @param {import("../../core/types.js").BreakpointProblem} problem @returns {string} */
const sentenceOf = ({ message, hint }) => [message, ...(hint ? [hint] : [])].map(asSentence).join(" ");

/** The name at which a breakpoint stops. @param {{point: BreakpointInfo}} props */
function Place({ point }) {
  const program = store.program.value;
  const names = program === null ? [] : namesOf(point.kind, program);
  const onInput = (/** @type {Event} */ event) => {
    const { value } = /** @type {HTMLInputElement} */ (event.currentTarget);
    if (value.trim() !== "") changeBreakpoint(point, { at: value.trim() });
  };
  return html`<label class="breakpoint-text"><span>at</span><input value=${point.at} list="breakpoint-names" onInput=${onInput} autocomplete="off" spellcheck=${false} />
    <datalist id="breakpoint-names">${names.map((name) => html`<option value=${name}></option>`)}</datalist></label>`;
}

/** The names that the field of a kind suggests. @param {BreakpointKind} kind @param {Program} program @returns {string[]} */
function namesOf(kind, program) {
  const names = new Set(NAMES[kind]?.(program) ?? []);
  return [...names].slice(0, MOST_NAMES);
}

/** @type {Partial<Record<BreakpointKind, (program: Program) => Iterable<string>>>} */
const NAMES = {
  op: ({ ops }) => ops.map(sourceName).sort(),
  function: (program) => functions(program).titles,
  source: (program) => program.ops.flatMap(({ id }) => sourceKey(program, id) ?? []).sort(byNumbers),
  scope: () => scopes()?.titles ?? [],
  finding: () => ["nan", "inf", ...(store.findings.value?.findings ?? []).map(({ kind }) => kind)],
  value: (program) => program.values.map((_, value) => valueName(program, value)),
  read: (program) => program.values.map((_, value) => valueName(program, value)),
  differs: (program) => [ANY, ...program.values.map((_, value) => valueName(program, value))],
};

const { compare: byNumbers } = new Intl.Collator("en", { numeric: true });

/** The number of stops in the recording, a button that goes to the next one, round. @param {{point: BreakpointInfo}} props */
export function Count({ point }) {
  const list = knownStops(point);
  if (!list || list.problem) return null;
  const { steps } = list;
  const isAll = !list.isShort(store.outline.value);
  const next = steps.find((step) => step > store.position.value) ?? steps[0];
  const text = `${countText(steps.length)}${isAll ? "" : "…"}`;
  const title = `${text} stops in the recorded steps${next === undefined ? "" : `; go to step ${countText(next)}`}`;
  return html`<button class="badge" disabled=${next === undefined} title=${title} aria-label=${title} onClick=${() => goTo(next ?? 0)}>${text}</button>`;
}
