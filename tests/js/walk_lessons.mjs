/**
 * Answers every question of lessons, rightly and wrongly, by the code that judges in the page. Takes lessons as a JSON list
 * on standard input, and writes what came of it: how many answers were judged, and which otherwise than they should be.
 */
import { readFileSync } from "node:fs";
import { indexText } from "../../static/js/core/tensor/elements.js";
import { judge, judgeStep } from "../../static/js/features/lesson/answers.js";

const lessons = JSON.parse(readFileSync(0, "utf8"));
/** @type {string[]} */
const failures = [];
let judged = 0;

function expect(/** @type {string} */ what, /** @type {any} */ verdict, /** @type {any} */ wanted) {
  judged += 1;
  for (const [name, value] of Object.entries(wanted))
    if (verdict[name] !== value) failures.push(`${what}: ${name} is ${JSON.stringify(verdict[name])}`);
}

/** An answer as one types it. */
const typed = (/** @type {any} */ value) => (Array.isArray(value) ? indexText(value) : String(value));

/** What nobody would answer. */
const OTHERS = { integer: "987654321", float: "-7.6543e21", truth: "", shape: "9x8x7x6x5x4x3x2", cell: "99,99,99,99" };

function walk(/** @type {string} */ name, /** @type {any} */ ask) {
  const what = `${name}, ${ask.id}`;
  if (ask.ask === "choice") walkChoice(what, ask);
  else if (ask.ask === "step") walkStep(what, ask);
  else walkTyped(what, ask);
}

function walkChoice(/** @type {string} */ what, /** @type {any} */ ask) {
  ask.options.forEach((/** @type {any} */ option, /** @type {number} */ at) =>
    expect(`${what}, option ${at}`, judge(ask, String(at)), { right: option.right, html: option.says_html }),
  );
  const right = ask.options.filter((/** @type {any} */ option) => option.right);
  expect(what, { count: right.length }, { count: 1 });
}

function walkStep(/** @type {string} */ what, /** @type {any} */ ask) {
  const at = (/** @type {number} */ step) => ({ run: ask.run, process: ask.place.process, step });
  for (const step of ask.truth) expect(what, judgeStep(ask, at(step)), { right: true });
  for (const { value, html } of ask.wrong)
    for (const step of value) expect(`${what}, step ${step}`, judgeStep(ask, at(step)), { right: false, html });
  expect(what, judgeStep(ask, at(1_000_000)), { right: false, html: "" });
}

function walkTyped(/** @type {string} */ what, /** @type {any} */ ask) {
  const truths = ask.ask === "cell" ? ask.cells : [ask.truth];
  for (const truth of truths) expect(`${what}, ${typed(truth)}`, judge(ask, typed(truth)), { right: true });
  for (const { value, html } of ask.wrong)
    expect(`${what}, ${typed(value)}`, judge(ask, typed(value)), { right: false, html });
  const other = OTHERS[/** @type {keyof OTHERS} */ (ask.number_kind ?? ask.ask)];
  if (other) expect(`${what}, ${other}`, judge(ask, other), { right: false, html: "" });
  if (judge(ask, "no answer at all").problem === undefined) failures.push(`${what}: anything is an answer`);
}

for (const lesson of lessons)
  for (const step of [{ blocks: lesson.intro }, ...lesson.steps])
    for (const block of step.blocks) if (block.kind === "ask") walk(lesson.name, block);

process.stdout.write(JSON.stringify({ judged, failures }));
