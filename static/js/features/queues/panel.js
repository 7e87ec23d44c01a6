/** Queues between the run and its user, and the channels between processes: their items, and the processes that wait. */
import { countText } from "../../core/tensor/elements.js";
import { html } from "htm/preact";
import { goTo, goToTick } from "../../core/actions.js";
import { isWithin, parseAddress } from "../../core/addresses.js";
import { npyPath } from "../../core/api.js";
import { namesOf } from "../../core/grid/record.js";
import { reportError } from "../../core/messages.js";
import { whenHere } from "../../core/run/recording.js";
import { addressOf } from "../../core/run/values.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { chooseValue, showTab } from "../../core/view_actions.js";
import { arrivals, Thumbnail, thumbnail } from "../../ui/thumbnails.js";
import { fileName } from "../../ui/export.js";
import { channelsOf, hasMoved, isFed, messagesOf, queueName, queueWords } from "./model.js";
import { awaitedQueue, hasTransfers, putInto, queues } from "./state.js";
import { addPanel } from "../layout/panels.js";
/** @import {Message} from "./model.js" */
/** @import {QueueMove as Move, QueueInfo as Queue} from "../../core/types.js" */

addPanel({
  id: "queues",
  title: "Queues",
  dock: "stage",
  order: 5,
  help: "queues",
  Panel: QueuesPanel,
  exists: () => hasTransfers.value,
});

/** The name of a process; with one process it is (0, 0). @param {number} process @returns {string} */
const nameOf = (process) => store.grid.value?.nameOf(process) ?? "(0, 0)";

/** The positions; at the end of a run of one process, everything has happened. @returns {readonly number[]} */
const ticksNow = () => (store.grid.value ? store.ticks.value : [store.position.value]);

export function QueuesPanel() {
  const all = queues.value;
  return html`<div class="grid-panel queues-panel"><${Waits} />
    ${all.map((queue) => html`<${QueueSection} key=${`${queue.kind} ${queue.channel} ${queue.process}`} queue=${queue} />`)}
    <${Channels} />
    ${all.length === 0 && !store.grid.value && html`<p class="empty">No items yet: step to an infeed, outfeed, send or recv.</p>`}
  </div>`;
}

/** The queue that the run waits for, with a button that adds an item. */
function Waits() {
  const queue = awaitedQueue.value;
  if (!queue) return null;
  const who = store.grid.value ? namesOf(store.grid.value, queue.awaited) : "";
  return html`<div class="queue-waits" role="status"><p>${who ? `${queue.awaited.length > 1 ? "Processes" : "Process"} ${who} ${queue.awaited.length > 1 ? "wait" : "waits"}` : "The run waits"}${" "}for an item of the queue ${queueName(queue, nameOf)}, which is empty.</p>
    ${isFile() || html`<button class="primary" onClick=${() => putInto(queue)}>Add an item…</button>`}</div>`;
}

/** A link to the queue that the run waits for, beside the reason of the stop. @param {{always?: boolean}} props */
export function FillQueue({ always = false }) {
  const queue = awaitedQueue.value;
  store.outlineVersion.value;
  if (!queue || (!always && store.position.value < store.outline.value.last)) return null;
  const open = () => {
    showTab("queues");
    putInto(queue);
  };
  return html`<button class="plain fill-queue" onClick=${open}>Fill the queue…</button>`;
}

/** The same as a line of the console. */
export function FillQueueLine() {
  const queue = awaitedQueue.value;
  if (!queue) return null;
  return html`<li class="info"><span class="kind" aria-hidden="true">·</span><span class="hint">The run waits for the queue ${queueName(queue, nameOf)}.</span> <${FillQueue} always=${true} /></li>`;
}

/** @param {{queue: Queue}} props */
function QueueSection({ queue }) {
  const ticks = ticksNow();
  const { moves, moveCount, waiting, waitingCount } = queue;
  const name = queueName(queue, nameOf);
  return html`<section class="queue" aria-label=${`Queue ${name}`}>
    <h3><span>${name}</span> <span class="quiet">${queueWords(queue, ticks)}</span><span class="spring"></span>
      ${isFed(queue) && !isOver() && html`<button class="plain" onClick=${() => putInto(queue)} aria-label=${`Add an item to the queue ${name}`}>Add an item…</button>`}</h3>
    ${moveCount > moves.length && html`<p class="quiet queue-note">The last ${moves.length} of ${countText(moveCount)}:</p>`}
    <ol class="queue-items" start=${moveCount - moves.length}>
      ${moves.map((move, at) => html`<${Moved} key=${moveCount - moves.length + at} queue=${queue} move=${move} number=${moveCount - moves.length + at} later=${!hasMoved(move, ticks)} />`)}
      ${waiting.map((texts, at) => html`<li key=${`waiting ${at}`} class="waiting"><span class="when">waits</span><span class="what">${texts.map((text) => html`<code>${text}</code>`)}</span></li>`)}
      ${waitingCount > waiting.length && html`<li class="waiting quiet">and ${waitingCount - waiting.length} more</li>`}
    </ol>
    ${moves.length + waiting.length === 0 && html`<p class="quiet queue-note">${isFed(queue) ? "Empty; no item has been taken." : "Empty."}</p>`}
  </section>`;
}

const isOver = () => ["done", "failed"].includes(store.recordingState.value.kind);

/** An item, with each of its values. @param {{queue: Queue, move: Move, number: number, later: boolean}} props */
function Moved({ queue, move, number, later }) {
  const { process, step, tick, texts, addresses } = move;
  const go = () => (store.grid.value ? goToTick(tick, process) : goTo(step));
  return html`<li class=${later ? "later" : ""}>
    <span class="when"><button class="go" onClick=${go} title=${`Go to step ${step} of process ${nameOf(process)}`}>${store.grid.value ? `${nameOf(process)} ` : ""}step ${countText(step)}</button>
      ${later && html`<span class="quiet">later</span>`}</span>
    <span class="what">${texts.map(
      (text, place) => html`<${Value} key=${place} text=${text} address=${addresses[place] ?? null} later=${later}
      file=${`${queue.kind}${queue.channel ? `_${queue.channel}` : ""}_${number}`} what=${`value ${place} of item ${number} of the queue ${queueName(queue, nameOf)}`}
      look=${() => look(queue, move, place)} />`,
    )}</span></li>`;
}

/** One value: its picture, its numbers, and buttons that show and save it. @param {{text: string, address: string|null, later?: boolean, file: string, what: string, look: () => void}} props */
function Value({ text, address, file, what, look: open }) {
  arrivals.value; // here: with the same properties, no component above it is rendered again
  const key = store.recordingKey.value ?? "";
  const info = address ? thumbnail(key, address) : null;
  return html`<span class="queue-value">${address && html`<${Thumbnail} info=${info ?? null} />`}<code title=${info?.text ?? text}>${info?.text ?? text}</code>
    ${
      address &&
      html`<span class="ways"><button onClick=${open} aria-label=${`Look at ${what}`}>Look</button>
      ${isFile() || html`<a class="button" href=${npyPath(key, address)} download=${fileName(file, address, "npy")} aria-label=${`Save ${what} as .npy`}>.npy</a>`}</span>`
    }</span>`;
}

/** Show a value of an item: after the step if the program reads it, at the step if the program writes it. @param {Queue} queue @param {Move} move @param {number} place */
function look(queue, { process, step, tick, addresses }, place) {
  const outline = store.outlineOf(process);
  const { index, path } = parseAddress(addresses[place] ?? "");
  whenHere(() => {
    const op = store.program.value?.op(outline.op(step));
    return (
      (isFed(queue) ? op?.results[index] : operandAt(op?.operands ?? [], addresses[place] ?? "", outline, step)) ?? null
    );
  })
    .then((value) => {
      const after = isFed(queue) ? 1 : 0;
      if (store.grid.value) goToTick(tick + after, process);
      else goTo(step + after);
      if (value !== null) chooseValue(value, path);
      showTab("tensor");
    })
    .catch(reportError);
}

/** The operand with this address. @param {readonly number[]} operands @param {string} address @param {import("../../core/run/outline.js").Outline} outline @param {number} step @returns {number|null} */
function operandAt(operands, address, outline, step) {
  const program = store.program.value;
  if (!program) return null;
  return (
    operands.find((value) => {
      const found = addressOf(outline, program, step, value);
      return found !== null && isWithin(address, found);
    }) ?? null
  );
}

/** Messages that one end has reached and the other has not. */
function Channels() {
  const grid = store.grid.value;
  const messages = store.inGrid((here) => messagesOf(here.allExecutions()));
  if (!grid || !messages || messages.length === 0) return null;
  const ticks = ticksNow();
  return html`${channelsOf(messages, ticks).map(
    ({ channel, pending, delivered }) => html`<section class="queue" key=${channel} aria-label=${`Channel ${channel}`}>
    <h3><span>channel ${channel}</span> <span class="quiet">${pending.length === 0 ? "nothing pending" : `${pending.length} pending`}, ${delivered} delivered</span></h3>
    <ul class="queue-items">${pending.map((message) => html`<${Pending} key=${message.execution} message=${message} state=${message.state} />`)}</ul></section>`,
  )}`;
}

/** One end of a message. @param {number} process below 0 while it is not known @returns {string} */
const endName = (process) => (process < 0 ? "no process" : nameOf(process));

/** @param {{message: Message, state: "sent"|"awaited"}} props */
function Pending({ message, state }) {
  const { source, target, sent, received } = message;
  const values = state === "sent" && sent ? sentValues(message) : [];
  const at = state === "sent" ? sent : received;
  const [waits, missing] = state === "sent" ? [source, target] : [target, source];
  // The message is shown at the op of the end that reached it first, which may be the other one.
  const line = store.inGrid((grid, program) => program.op(grid.outline(waits).op(at?.step ?? 0)).line) ?? message.line;
  const words =
    state === "sent"
      ? `sent on line ${store.draftLine(line)}; ${endName(missing)} has ${missing < 0 ? "" : "not "}arrived to receive it`
      : `${nameOf(target)} waits for it on line ${store.draftLine(line)}; ${endName(missing)} has ${missing < 0 ? "" : "not "}sent it`;
  return html`<li><span class="when"><button class="go" onClick=${() => at && goToTick(at.tick, waits)}>${endName(source)} → ${endName(target)}</button></span>
    <span class="what"><span>${words}</span>${values.map(
      ({ value, address, text }, place) => html`<${Value} key=${value} text=${text} address=${address}
      file=${`channel_${message.channel}`} what=${`value ${place} of the message from ${endName(source)} to ${endName(target)}`} look=${() => lookAtSent(message, value)} />`,
    )}</span></li>`;
}

/** The content of a message: the operands of its send except tokens. @param {Message} message @returns {{value: number, address: string|null, text: string}[]} */
function sentValues({ source, sent }) {
  const key = store.recordingKey.value ?? "";
  return (
    store.inGrid((grid, program) => {
      const outline = grid.outline(source);
      const step = sent?.step ?? 0;
      return program
        .op(outline.op(step))
        .operands.filter((value) => !/token/.test(program.value(value).type))
        .map((value) => {
          const address = addressOf(outline, program, step, value);
          const info = address ? thumbnail(key, address) : null;
          return { value, address, text: info?.text ?? program.value(value).type };
        });
    }) ?? []
  );
}

/** @param {Message} message @param {number} value */
function lookAtSent({ source, sent }, value) {
  if (sent) goToTick(sent.tick, source);
  chooseValue(value);
  showTab("tensor");
}
