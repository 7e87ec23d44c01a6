/** The tensor view: draws the value that is chosen. */
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { nothingSelected, recordingKey, selectedValue } from "../store.js";
import { useSummary } from "./tensor/use.js";
import { TensorValue } from "./tensor/value.js";

/** @returns {import("preact").VNode} */
export function TensorPanel() {
  const selected = selectedValue.value;
  const key = recordingKey.value;
  if (selected === null || key === null) return html`<${Nothing} />`;
  return html`<${Chosen} recording=${key} selected=${selected} />`;
}

function Nothing() {
  return html`<div class="tensor empty"><p>${nothingSelected.value}</p>
    <p>Any value can be drawn here: click a name such as <code>%0</code> in the program, or choose one under Variables.</p></div>`;
}

/** @param {{recording: string, selected: import("../types.js").SelectedValue}} props */
function Chosen({ recording, selected }) {
  const { known, error, retry } = useSummary(recording, selected);
  if (error) return html`<${Failed} selected=${selected} error=${error} retry=${retry} />`;
  if (!known) return html`<${Fetching} name=${selected.name} />`;
  return html`<div class="tensor"><${TensorValue} known=${known} /></div>`;
}

/** Said only after a moment: most values are here before one could read it. @param {{name: string}} props */
function Fetching({ name }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return html`<div class="tensor empty" role="status">${late && html`<p>Fetching ${name} …</p>`}</div>`;
}

/** @param {{selected: import("../types.js").SelectedValue, error: unknown, retry: () => void}} props */
function Failed({ selected, error, retry }) {
  const { message, hint, status } = /** @type {{message?: string, hint?: string, status?: number}} */ (error);
  const early = status === 404;
  return html`<div class="tensor empty" role="alert">
    <p>${early ? `${selected.name} has no value yet: the op that makes it has not run, or is still running.` : (message ?? "The value could not be fetched.")}</p>
    ${!early && hint && html`<p>${hint}</p>`}
    <p><button class="plain" onClick=${retry}>Try again</button></p>
  </div>`;
}
