/**
 * A one-line field for expressions over values, `max(abs(%12)) > 3`: a combobox that completes names, functions and
 * variables, and underlines an error at its position.
 *
 * Enter submits. Up and Down walk through the completions, or through `history` while none are open. Tab takes the chosen
 * completion, or the first; Enter takes one that Up or Down has chosen. Ctrl+Space opens the completions, Escape closes them.
 */
import { html } from "htm/preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { completionsOf, evaluate, expressionLanguage, MOST_CHARACTERS } from "../core/expressions.js";
import { asSentence } from "../core/messages.js";
import * as store from "../core/store.js";
import { placeNear } from "./menu.js";
import { TYPING_MS, useResource } from "./resource.js";
/** @import {Completion} from "../core/expressions.js" */
/** @import {ExpressionLanguage, ExpressionResult} from "../core/types.js" */

/** A command of the field besides expressions, such as `:goto`. @typedef {{name: string, meaning: string}} FieldCommand */

/**
 * `fault`: the error of the text, null for none; without it the field finds errors of form itself. `ops`: the expression is
 * evaluated where one of them runs, instead of at the current step. `variables`: more than those of every step.
 * `isMessage`: a text with expressions in braces.
 *
 * @param {{label: string, value: string, onInput: (text: string) => void, onSubmit: (text: string) => void, placeholder?: string,
 *   history?: readonly string[], commands?: readonly FieldCommand[], onEscape?: () => void, autofocus?: boolean,
 *   fault?: Fault|null, ops?: readonly number[], variables?: readonly FieldCommand[], isMessage?: boolean}} props
 */
export function ExpressionField(props) {
  const { label, value, onInput, onSubmit, placeholder = "", history = [], commands = [], onEscape, autofocus } = props;
  const input = useRef(/** @type {HTMLInputElement|null} */ (null));
  const marks = useRef(/** @type {HTMLDivElement|null} */ (null));
  const id = useId();
  /** What is in the field: keys may come faster than frames, and `value` is that of the last one. */
  const inField = () => input.current?.value ?? value;
  const language = withVariables(expressionLanguage(), props.variables ?? []);
  /** The caret while the completions are open; null: they are closed. */
  const [caret, setCaret] = useState(/** @type {number|null} */ (null));
  const [isWanted, setWanted] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const recalled = useRef({ at: history.length, draft: "" });
  const found = useFault(props.fault === undefined ? value : "");
  const fault = props.fault === undefined ? found : props.fault;
  const wanted = { isWanted, commands, ops: props.ops ?? [], isMessage: props.isMessage ?? false };
  const { from, options } = caret === null ? NONE : completionsFor(value.slice(0, caret), language, wanted);
  const isOpen = options.length > 0;
  const close = () => {
    setCaret(null);
    setChosen(-1);
    setWanted(false);
  };
  const replace = (/** @type {string} */ text, /** @type {number} */ at) => {
    onInput(text);
    nextCaret.current = at;
  };
  /** Where the caret goes once the new text is in the field. */
  const nextCaret = useRef(/** @type {number|null} */ (null));
  useLayoutEffect(() => {
    if (nextCaret.current === null) return;
    input.current?.setSelectionRange(nextCaret.current, nextCaret.current);
    nextCaret.current = null;
  });
  useLayoutEffect(() => {
    if (autofocus) input.current?.focus();
  }, []);
  const take = (/** @type {Completion} */ { text, isCall }) => {
    const before = inField();
    const rest = before.slice(caret ?? before.length);
    const inserted = isCall && !rest.startsWith("(") ? `${text}(` : text;
    replace(`${before.slice(0, from)}${inserted}${rest}`, from + inserted.length);
    close();
    input.current?.focus();
  };
  const submit = () => {
    close();
    recalled.current = { at: history.length + 1, draft: "" };
    if (inField().trim() !== "") onSubmit(inField());
  };
  const recall = (/** @type {number} */ by) => {
    const now = recalled.current;
    const at = Math.max(0, Math.min(now.at + by, history.length));
    if (history.length === 0 || at === Math.min(now.at, history.length)) return;
    if (now.at >= history.length) now.draft = inField();
    now.at = at;
    const text = history[at] ?? now.draft;
    replace(text, text.length);
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const act = keyAct(event);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  const keyAct = (/** @type {KeyboardEvent} */ { key, ctrlKey, altKey, metaKey, shiftKey, isComposing }) => {
    if (isComposing || altKey || metaKey) return null;
    if (ctrlKey) return key === " " ? open : null;
    const picked = options[Math.max(chosen, 0)];
    const moveBy = (/** @type {number} */ by) => () => setChosen((chosen + by + options.length) % options.length);
    if (key === "Enter") return chosen >= 0 && picked ? () => take(picked) : submit;
    if (key === "Tab") return isOpen && picked && !shiftKey ? () => take(picked) : null;
    if (key === "Escape") return isOpen ? close : (onEscape ?? null);
    if (key === "ArrowDown") return isOpen ? moveBy(1) : () => recall(1);
    if (key === "ArrowUp") return isOpen ? moveBy(chosen < 0 ? 0 : -1) : () => recall(-1);
    return null;
  };
  const open = () => {
    setCaret(input.current?.selectionStart ?? value.length);
    setWanted(true);
  };
  const typed = (/** @type {Event} */ event) => {
    const { value: text, selectionStart } = /** @type {HTMLInputElement} */ (event.currentTarget);
    recalled.current = { at: history.length, draft: "" };
    onInput(text);
    setCaret(selectionStart);
    setChosen(-1);
    setWanted(false);
  };
  const follow = () => {
    if (marks.current && input.current) marks.current.scrollLeft = input.current.scrollLeft;
  };
  useLayoutEffect(follow);
  const shown = fault && (caret === null || fault.end < value.trimEnd().length) ? fault : null;
  return html`<div class="expression">
    <div class="expression-box"><div class="expression-marks" ref=${marks} aria-hidden="true">${shown && html`<${Underlined} text=${value} start=${shown.start} end=${shown.end} />`}</div>
    <input ref=${input} role="combobox" aria-label=${label} aria-autocomplete="list" aria-expanded=${isOpen} aria-controls=${`${id}-list`}
      aria-activedescendant=${isOpen && chosen >= 0 ? `${id}-${chosen}` : undefined} aria-invalid=${shown ? "true" : undefined} aria-describedby=${shown ? `${id}-fault` : undefined}
      placeholder=${placeholder} value=${value} maxlength=${MOST_CHARACTERS} autocomplete="off" autocapitalize="off" spellcheck=${false}
      onInput=${typed} onKeyDown=${onKey} onScroll=${follow} onBlur=${close} onClick=${close} /></div>
    ${isOpen && html`<${Completions} id=${id} options=${options} chosen=${chosen} take=${take} around=${input} />`}
    ${shown && html`<p class="expression-fault" id=${`${id}-fault`} role="status">${asSentence(shown.text)}${shown.hint && html` <span>${asSentence(shown.hint)}</span>`}</p>`}</div>`;
}

const NONE = { from: 0, options: /** @type {Completion[]} */ ([]) };

/** @param {ExpressionLanguage|undefined} language @param {readonly FieldCommand[]} more @returns {ExpressionLanguage|undefined} */
const withVariables = (language, more) => language && { ...language, variables: [...more, ...language.variables] };

/** @param {string} typed @param {ExpressionLanguage|undefined} language @param {{isWanted: boolean, commands: readonly FieldCommand[], ops: readonly number[], isMessage: boolean}} wanted */
function completionsFor(typed, language, { isWanted, commands, ops, isMessage }) {
  if (isMessage) {
    const start = typed.lastIndexOf("{") + 1;
    if (start === 0 || typed.includes("}", start)) return NONE;
    const { from, options } = completionsOf(typed.slice(start), language, { isWanted, ops });
    return { from: start + from, options };
  }
  if (commands.length === 0 || !typed.startsWith(":")) return completionsOf(typed, language, { isWanted, ops });
  const options = commands
    .filter(({ name }) => name.startsWith(typed) && name !== typed)
    .map(({ name, meaning }) => ({ text: `${name} `, detail: meaning }));
  return { from: 0, options };
}

/** An error between two positions of the text. @typedef {{start: number, end: number, text: string, hint: string|null}} Fault */

/** The error of form of an expression, which the server finds. @param {string} text @returns {Fault|null} */
function useFault(text) {
  const key = store.recordingKey.value;
  const isChecked = key !== null && text.trim() !== "" && !text.startsWith(":");
  const { value, answered } = useResource(
    isChecked ? `${key} ${text}` : null,
    async (stop) => (await evaluate(/** @type {string} */ (key), [text], null, stop))[0],
    { pause: TYPING_MS },
  );
  const found = /** @type {ExpressionResult|undefined} */ (value);
  return answered === `${key} ${text}` && isChecked && found?.fault ? { ...found.fault, text: found.text } : null;
}

/** A text with a line under a part; an empty part gets a column. @param {{text: string, start: number, end: number}} props */
export function Underlined({ text, start, end }) {
  const shown = text.slice(start, end).trim() === "" ? `${text.slice(start, end)} ` : text.slice(start, end);
  return html`<span>${text.slice(0, start)}</span><span class="wrong">${shown}</span><span>${text.slice(end)}</span>`;
}

/** @param {{id: string, options: readonly Completion[], chosen: number, take: (option: Completion) => void, around: {current: HTMLElement|null}}} props */
function Completions({ id, options, chosen, take, around }) {
  const list = useRef(/** @type {HTMLDivElement|null} */ (null));
  useLayoutEffect(() => {
    if (!list.current || !around.current) return;
    if (!list.current.matches(":popover-open")) list.current.showPopover();
    placeNear(list.current, around.current);
  });
  useLayoutEffect(() => list.current?.children[chosen]?.scrollIntoView({ block: "nearest" }), [chosen]);
  // A press would take the focus out of the field, which closes the list.
  const onPress = (/** @type {Event} */ event) => event.preventDefault();
  return html`<div class="completions" popover="manual" role="listbox" id=${`${id}-list`} aria-label="Completions" ref=${list} onPointerDown=${onPress} onMouseDown=${onPress}>
    ${options.map((option, at) => html`<div key=${option.text} role="option" id=${`${id}-${at}`} aria-selected=${at === chosen} onClick=${() => take(option)}><code>${option.text}</code><span>${option.detail}</span></div>`)}</div>`;
}
