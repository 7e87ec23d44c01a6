/** The prompt of the console: expressions at the current step, and commands that begin with a colon. */
import { countText } from "../../core/tensor/elements.js";
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { goTo, goToIn } from "../../core/actions.js";
import { evaluate } from "../../core/expressions.js";
import { isAnythingHidden } from "../../core/hidden_values.js";
import { reportError, say } from "../../core/messages.js";
import { recallJson, remember } from "../../core/preferences.js";
import { iterationSteps } from "../../core/run/iterations.js";
import { whenHere } from "../../core/run/recording.js";
import * as store from "../../core/store.js";
import { pinExpression } from "../../core/tensor/compared.js";
import { clearConsole, openFinder } from "../../core/view_actions.js";
import { ExpressionField, Underlined } from "../../ui/expression_field.js";
import { Result } from "../../ui/expression_result.js";

/** Maximum number of remembered lines. */
const REMEMBERED = 100;

const text = signal("");
const history = signal(/** @type {readonly string[]} */ (recallJson("console-history") ?? []));

/** @type {readonly {name: string, meaning: string, run: (argument: string) => unknown}[]} */
const COMMANDS = [
  { name: ":goto", meaning: ":goto 37 goes to step 37", run: (argument) => withNumber(":goto", argument, goTo) },
  {
    name: ":iteration",
    meaning: ":iteration 37 goes to this op in iteration 37 of its loop",
    run: (argument) => withNumber(":iteration", argument, goToIteration),
  },
  { name: ":find", meaning: ":find softmax opens the find box", run: openFinder },
  { name: ":clear", meaning: "empties the console", run: clearConsole },
  { name: ":help", meaning: "lists the commands and what an expression may contain", run: showHelp },
];

const HELP = [
  "An expression is evaluated at the current step, before its op runs: max(abs(%12)), %x[3, :] - %y, any(isnan(%5)).",
  "Values begin with %; Ctrl+Space lists what may stand at the cursor, Tab takes the first, Up and Down recall earlier lines.",
];

export function Prompt() {
  if (isAnythingHidden())
    return html`<p class="empty">Expressions are off while a lesson or a poll asks about a value.</p>`;
  if (store.recordingKey.value === null) return null;
  return html`<div class="prompt"><span class="kind" aria-hidden="true">›</span>
    <${ExpressionField} label="Expression or command" placeholder="max(abs(%12)) or :help" value=${text.value} onInput=${(/** @type {string} */ typed) => (text.value = typed)}
      onSubmit=${submit} history=${history.value} commands=${COMMANDS} /></div>`;
}

/** An evaluated expression, its result, and a button that goes to its step. @param {{line: import("../../core/store.js").ConsoleLine}} props */
export function Evaluated({ line: { text: typed, recording, place, result } }) {
  if (!place || !result) return null;
  const { process, step } = place;
  const where = `${store.grid.value ? `${store.grid.value.nameOf(process)} ` : ""}step ${countText(step)}`;
  return html`<li class="expression-line"><span class="kind" aria-hidden="true">›</span><div>
    <button class="typed" title="Edit this expression" onClick=${() => edit(typed)}><code>${result.fault ? html`<${Underlined} text=${typed} start=${result.fault.start} end=${result.fault.end} />` : typed}</code></button>
    ${
      recording === store.recordingKey.value
        ? html`<button class="step" title="Go to this step" onClick=${() => goToIn(process, step)}>${where}</button>`
        : html`<span class="hint">${where} of an earlier run</span>`
    }
    <div><${Result} result=${result} pin=${recording && (() => pinExpression(recording, place, typed))} /></div></div></li>`;
}

/** Lines wait for the results of earlier ones, so that the console keeps their order. */
let earlier = Promise.resolve();

/** @param {string} line */
function submit(line) {
  const typed = line.trim();
  text.value = "";
  history.value = [...history.value.filter((other) => other !== typed), typed].slice(-REMEMBERED);
  remember("console-history", JSON.stringify(history.value));
  if (typed.startsWith(":")) return runCommand(typed);
  const key = /** @type {string} */ (store.recordingKey.value);
  const place = { process: store.process.value, step: store.position.value };
  const answer = evaluate(key, [typed], place);
  answer.catch(() => undefined);
  earlier = earlier.then(async () => {
    try {
      const [result] = await answer;
      say({ kind: "expression", text: typed, recording: key, place, result });
    } catch (error) {
      reportError(error);
    }
  });
}

/** @param {string} typed */
function edit(typed) {
  text.value = typed;
  /** @type {HTMLElement|null} */ (document.querySelector('.prompt [role="combobox"]'))?.focus();
}

/** @param {string} line */
function runCommand(line) {
  const [, name, argument = ""] = /^(\S+)\s*(.*)$/u.exec(line) ?? [];
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command) command.run(argument);
  else
    say({
      kind: "info",
      text: `There is no command ${name}. Commands: ${COMMANDS.map((each) => each.name).join(", ")}.`,
    });
}

/** @param {string} name @param {string} argument @param {(number: number) => unknown} act */
function withNumber(name, argument, act) {
  const number = argument.replaceAll(",", "");
  if (/^\d+$/u.test(number)) act(Number(number));
  else say({ kind: "info", text: `${name} takes a number: ${name} 37.` });
}

/** @param {number} iteration */
function goToIteration(iteration) {
  const program = store.program.value;
  if (program === null) return;
  whenHere(() => iterationSteps(store.outline.value, program, store.position.value, iteration))
    .then(([found]) => {
      if (found) goTo(found.step);
      else say({ kind: "info", text: `No recorded loop has an iteration ${countText(iteration)}.` });
    })
    .catch(reportError);
}

function showHelp() {
  for (const line of HELP) say({ kind: "info", text: line });
  for (const { name, meaning } of COMMANDS)
    say({ kind: "info", text: meaning.startsWith(":") ? meaning : `${name} ${meaning}` });
}
