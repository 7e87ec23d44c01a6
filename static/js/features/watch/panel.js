/** Watch: expressions at the current step, each with a curve over iterations, executions or processes. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { evaluate } from "../../core/expressions.js";
import { isAnythingHidden } from "../../core/hidden_values.js";
import { afterPause } from "../../core/idle.js";
import { afterPaint } from "../../core/later.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { addWatch, changeWatch, MOST_WATCHES, removeWatch, watches } from "../../core/watches.js";
import { ExpressionField } from "../../ui/expression_field.js";
import { Result } from "../../ui/expression_result.js";
import { Icon } from "../../ui/icons.js";
import { useResource } from "../../ui/resource.js";
import { addPanel, focusFirst } from "../layout/panels.js";
import { Curve, nearestRange } from "./curve.js";
/** @import {Watch} from "../../core/watches.js" */
/** @import {ExpressionResult} from "../../core/types.js" */

addPanel({
  id: "watch",
  title: "Watch",
  dock: "frames",
  order: 2,
  help: "watch",
  Panel: WatchPanel,
  exists: () => !isFile(),
  focus: focusFirst('[role="combobox"]'),
});

/** Minimum interval between requests while the user steps, in milliseconds. */
const EVERY_MS = 120;

const draft = signal("");
/** The text of the watch that is edited. */
const edited = signal(/** @type {{of: string, text: string}|null} */ (null));

function WatchPanel() {
  if (isAnythingHidden())
    return html`<p class="empty">Expressions are off while a lesson or a poll asks about a value.</p>`;
  if (store.recordingKey.value === null)
    return html`<p class="empty">${store.whyNoRun.value || "Run the program to watch expressions over its values."}</p>`;
  return html`<${Watches} />`;
}

function Watches() {
  const key = /** @type {string} */ (store.recordingKey.value);
  const all = watches.value;
  const texts = all.map(({ text }) => text);
  const position = usePaced(`${store.process.value} ${store.calmPosition.value}`);
  const [process = 0, step = 0] = position.split(" ").map(Number);
  const question = texts.length > 0 ? JSON.stringify([key, process, step, texts]) : null;
  const { value, answered, error, retry } = useResource(question, async (stop) => {
    const results = await evaluate(key, texts, { process, step }, stop);
    return new Map(texts.map((text, at) => [text, /** @type {ExpressionResult} */ (results[at])]));
  });
  const isOld = answered !== question || error !== null;
  const add = (/** @type {string} */ text) => {
    addWatch(text.trim());
    draft.value = "";
  };
  return html`<div class="watches">
    ${
      all.length < MOST_WATCHES
        ? html`<${ExpressionField} label="New watch expression" placeholder="Add an expression" value=${draft.value} onInput=${(/** @type {string} */ text) => (draft.value = text)} onSubmit=${add} />`
        : html`<p class="watch-note">There are ${MOST_WATCHES} expressions, which is the maximum.</p>`
    }
    <ul aria-label="Watched expressions">${all.map((watch) => html`<${Row} key=${watch.text} watch=${watch} result=${value?.get(watch.text)} isOld=${isOld} place=${{ process, step }} />`)}</ul>
    ${error && html`<p class="watch-note" role="alert">${error.message} <button class="plain" onClick=${retry}>Try again</button></p>`}
    ${all.length === 0 && html`<p class="watch-note">Such as <code>max(abs(%x))</code> or <code>%x[0]</code>. The result follows the current step.</p>`}
  </div>`;
}

/** A value that follows at most every `EVERY_MS`, so that a burst of steps sends few requests. @param {string} value @returns {string} */
function usePaced(value) {
  const [paced, setPaced] = useState(value);
  const latest = useRef(value);
  const last = useRef(0);
  const cancel = useRef(/** @type {(() => void)|null} */ (null));
  latest.current = value;
  useEffect(() => {
    if (value === paced || cancel.current) return;
    const wait = Math.max(0, last.current + EVERY_MS - performance.now());
    cancel.current = afterPause(() => {
      cancel.current = null;
      last.current = performance.now();
      setPaced(latest.current);
    }, wait);
  }, [value, paced]);
  useEffect(() => () => cancel.current?.(), []);
  return paced;
}

/** @param {{watch: Watch, result: ExpressionResult|undefined, isOld: boolean, place: {process: number, step: number}}} props */
function Row({ watch, result, isOld, place }) {
  if (edited.value?.of === watch.text) return html`<li><${Editor} watch=${watch} /></li>`;
  const { text, over } = watch;
  const isOpen = over !== null;
  const turn = (/** @type {Event} */ event) => {
    const row = /** @type {HTMLElement} */ (event.currentTarget).closest("li");
    changeWatch(watch, { over: isOpen ? null : nearestRange(place) });
    if (!isOpen) afterPaint(() => row?.scrollIntoView({ block: "nearest" }));
  };
  return html`<li><div class="watch-head"><button class="watch-text" title="Edit this expression" onClick=${() => (edited.value = { of: text, text })}><code>${text}</code></button>
      <button aria-label=${`Curve of ${text}`} title="Curve over iterations, executions or processes" aria-expanded=${isOpen} aria-pressed=${isOpen} onClick=${turn}><${Icon} name="curve" /></button>
      <button aria-label=${`Remove ${text}`} title="Remove" onClick=${() => removeWatch(watch)}><${Icon} name="close" /></button></div>
    <div class=${isOld ? "watch-result old" : "watch-result"} aria-busy=${isOld}>${result ? html`<${Result} result=${result} />` : "…"}</div>
    ${over !== null && html`<${Curve} text=${text} over=${over} place=${place} choose=${(/** @type {Watch["over"]} */ chosen) => changeWatch(watch, { over: chosen })} />`}</li>`;
}

/** @param {{watch: Watch}} props */
function Editor({ watch }) {
  const stop = () => (edited.value = null);
  const leave = () => {
    const row = document.activeElement?.closest("li");
    stop();
    afterPaint(() => /** @type {HTMLElement|null|undefined} */ (row?.querySelector(".watch-text"))?.focus());
  };
  const submit = (/** @type {string} */ text) => {
    stop();
    if (!watches.peek().some((other) => other.text === text.trim())) changeWatch(watch, { text: text.trim() });
  };
  return html`<${ExpressionField} label=${`Edit ${watch.text}`} autofocus value=${edited.value?.text ?? ""} onEscape=${leave} onSubmit=${submit}
    onInput=${(/** @type {string} */ text) => (edited.value = { of: watch.text, text })} />`;
}
