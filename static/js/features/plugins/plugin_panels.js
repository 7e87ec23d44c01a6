/**
 * Panels of plugins: ES modules of installed packages, served by this server. docs/plugins.md describes the exports of
 * a module and the API that it receives; only these are public.
 *
 * @typedef {{name: string, title: string, dock: "stage"|"inspector", module: string}} PluginPanel
 *
 * @typedef {{recording: string|null, process: number, step: number, steps: number, op: {name: string, line: number}|null,
 *   value: {address: string, name: string, type: string}|null}} View
 *   step: the one about to run; value: the tensor that is selected
 *
 * @typedef {{version: 1, subscribe: (listener: (view: View) => void) => () => void, get: (path: string) => Promise<any>}} Api
 *   subscribe: calls `listener` now and whenever the view changes, and returns a function that ends it; get: the JSON of a
 *   route below `/api/recordings/KEY/` of the recording that is shown
 *
 * @typedef {{mount: (element: HTMLElement, hloscope: Api) => (() => void)|void}} Module
 */
import { computed, effect, untracked } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { getJson, recordingPath } from "../../core/api.js";
import * as store from "../../core/store.js";
import { addPanel } from "../layout/panels.js";

const view = computed(() => {
  const id = store.calmOp.value;
  const op = id === null ? null : (store.program.value?.op(id) ?? null);
  const value = store.valueToDraw(store.calmPosition.value);
  return {
    recording: store.recordingKey.value,
    process: store.process.value,
    step: store.calmPosition.value,
    steps: store.steps.value,
    op: op && { name: op.name, line: op.line },
    value: value && { address: value.address, name: value.name, type: value.type },
  };
});

/** @type {Api} */
const api = {
  version: 1,
  subscribe: (listener) =>
    effect(() => {
      const shown = view.value;
      untracked(() => listener(shown));
    }),
  get(path) {
    const key = store.recordingKey.peek();
    return key === null ? Promise.reject(new Error("nothing is recorded")) : getJson(`${recordingPath(key)}/${path}`);
  },
};

/** Add the panels of plugins after those of the page. @param {readonly PluginPanel[]} plugins */
export function addPluginPanels(plugins) {
  plugins.forEach(({ name, title, dock, module }, index) =>
    addPanel({
      id: `plugin-${name}`,
      title,
      dock,
      order: 1000 + index,
      Panel: () => html`<${Mounted} module=${module} title=${title} />`,
      help: "/help/plugins",
      isExtra: dock === "stage",
      about: "of a plugin",
      isStop: true,
    }),
  );
}

/** An element that a module fills while the panel is shown. @param {{module: string, title: string}} props */
function Mounted({ module, title }) {
  const host = useRef(/** @type {HTMLElement|null} */ (null));
  const [problem, setProblem] = useState("");
  useEffect(() => {
    const element = /** @type {HTMLElement} */ (host.current);
    let isShown = true;
    let unmount = /** @type {(() => void)|void} */ (undefined);
    mountModule(module, element, () => isShown).then(
      (found) => (isShown ? (unmount = found) : found?.()),
      (error) => setProblem(`The plugin's panel “${title}” failed: ${error instanceof Error ? error.message : error}`),
    );
    return () => {
      isShown = false;
      unmount?.();
    };
  }, [module]);
  return html`<div class="plugin" ref=${host}></div>${problem && html`<p class="empty" role="alert">${problem}</p>`}`;
}

/** @param {string} path @param {HTMLElement} element @param {() => boolean} isShown whether the panel still is, once the module is here */
async function mountModule(path, element, isShown) {
  const { mount } = /** @type {Module} */ (await import(path));
  return isShown() ? mount(element, api) : undefined;
}
