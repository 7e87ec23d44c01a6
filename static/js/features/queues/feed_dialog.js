/** The dialog that adds an item to a queue that the program reads. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { sendJson, sessionPath } from "../../core/api.js";
import { say } from "../../core/messages.js";
import * as store from "../../core/store.js";
import { closeDialog } from "../../core/view_actions.js";
import { Dialog } from "../../ui/dialog.js";
import { FileDrop } from "../inputs/file_drop.js";
import { ValueSource } from "../inputs/value_source.js";
import { feedName, nextItems, queueName } from "./model.js";
import { feedQueue, takers, resume } from "./state.js";
import { Choice } from "../../ui/fields.js";
/** @import {ValueSpec} from "../../core/types.js" */
/** @import {Upload} from "../inputs/plan.js" */

/** @typedef {{name: string, type: string, literal?: string, location: null, input: ValueSpec}} Planned */

function close() {
  closeDialog();
  feedQueue.value = null;
}

/** @returns {import("preact").VNode|null} */
export function FeedDialog() {
  const queue = feedQueue.value;
  return queue && html`<${Form} queue=${queue} />`;
}

/** @param {{queue: import("../../core/types.js").QueueInfo}} props */
function Form({ queue }) {
  const kinds = nextItems(queue, takers.value);
  const [process, setProcess] = useState(queue.process);
  const { kind, planned, upload, choose, change, take } = useItem(kinds);
  const name = queueName({ ...queue, process: null }, String);
  const { problem, isSending, send } = useFeed(feedName(queue), name);
  const put = () =>
    send(
      process,
      planned.map(({ input }) => input),
    );
  const footer = html`<button class="plain" onClick=${close}>Cancel</button><button class="primary" disabled=${isSending || planned.length === 0} onClick=${put}>Add to the queue</button>`;
  return html`<${Dialog} title=${`Item for the queue ${name}`} close=${close} footer=${footer}>
    ${
      kinds.length > 1 &&
      html`<label>An item of <${Choice} options=${kinds.map((types, at) => [at, types.map(({ type }) => type).join(", ")])} value=${kind} choose=${choose} /></label>`
    }
    <${Whose} process=${process} choose=${setProcess} />
    <${FileDrop} planned=${planned} upload=${upload} take=${take} />
    <ol class="inputs" start="0">${planned.map(
      (item, at) => html`<li class="input-row" key=${`${kind} ${at}`}>
      <div class="input-name"><code class="name">${item.name}</code> <code class="type">${item.type}</code></div>
      <${ValueSource} label=${item.name} type=${item.literal ?? item.type} input=${item.input} upload=${upload} change=${(/** @type {ValueSpec} */ input) => change(at, input)} /></li>`,
    )}</ol>
    ${planned.length === 0 && html`<p>No op of the program reads this queue.</p>`}
    ${problem && html`<p class="alarm" role="alert">${problem}</p>`}
  </${Dialog}>`;
}

/** The values of the new item: of one of the kinds that the program reads, typed or from a file. @param {readonly (readonly import("./model.js").Wanted[])[]} kinds */
function useItem(kinds) {
  const [kind, setKind] = useState(0);
  const [planned, setPlanned] = useState(() => plannedFor(kinds[0] ?? []));
  const [upload, setUpload] = useState(/** @type {Upload|null} */ (null));
  const choose = (/** @type {number} */ next) => {
    setKind(next);
    setPlanned(plannedFor(kinds[next] ?? []));
  };
  const change = (/** @type {number} */ at, /** @type {ValueSpec} */ input) =>
    setPlanned(planned.map((item, other) => (other === at ? { ...item, input } : item)));
  const take = (/** @type {Upload} */ found) => {
    const used = found.arrays.slice(0, planned.length);
    setUpload({ ...found, matches: used.map(({ name: array }, argument) => ({ argument, array })) });
    setPlanned(
      planned.map((item, at) =>
        used[at] ? { ...item, input: { kind: "file", file: found.file, array: used[at].name } } : item,
      ),
    );
  };
  return { kind, planned, upload, choose, change, take };
}

/** Add an item to a queue and close the dialog, or return the error. @param {string} queue @param {string} name */
function useFeed(queue, name) {
  const [problem, setProblem] = useState("");
  const [isSending, setSending] = useState(false);
  const send = async (/** @type {number|null} */ process, /** @type {ValueSpec[]} */ values) => {
    setSending(true);
    setProblem("");
    try {
      resume(await sendItem(queue, process, values));
      say({ kind: "info", text: `An item was put into the queue ${name}; the run continues.` });
      close();
    } catch (error) {
      const { message, hint } = /** @type {{message: string, hint?: string}} */ (error);
      setProblem([message, hint].filter(Boolean).join(". "));
    }
    setSending(false);
  };
  return { problem, isSending, send };
}

/** @param {readonly import("./model.js").Wanted[]} types @returns {Planned[]} */
const plannedFor = (types) =>
  types.map(({ type, literal }, at) => ({
    name: types.length > 1 ? `value ${at}` : "value",
    type,
    literal,
    location: null,
    input: { kind: "dense", text: "0" },
  }));

/** The choice of the process, if there are several. @param {{process: number|null, choose: (process: number|null) => void}} props */
function Whose({ process, choose }) {
  const grid = store.grid.value;
  if (!grid) return null;
  const { replicas, partitions } = grid.team(0);
  const each = Array.from({ length: replicas * partitions }, (_, at) => [at, `process ${grid.nameOf(at)}`]);
  const options = [[null, "whichever process takes it first"], ...each];
  return html`<label>For <${Choice} options=${options} value=${process} choose=${choose} /></label>`;
}

/** @param {string} queue @param {number|null} process @param {ValueSpec[]} values */
function sendItem(queue, process, values) {
  const run = store.run.value?.number ?? 0;
  return sendJson(`${sessionPath(store.sessionId.value)}/runs/${run}/feed`, { queue, process, items: [values] });
}
