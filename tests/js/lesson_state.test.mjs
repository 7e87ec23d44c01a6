import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";

const kept = new Map();
globalThis.localStorage = /** @type {any} */ ({
  getItem: (name) => kept.get(name) ?? null,
  setItem: (name, value) => void kept.set(name, value),
  removeItem: (name) => void kept.delete(name),
});
const state = await import("../../static/js/features/lesson/state.js");
const { areMarksHidden, withoutRules } = await import("../../static/js/core/hidden_values.js");
const store = await import("../../static/js/core/store.js");
const { keptProgress } = await import("../../static/js/features/lesson/progress.js");

const ask = (id) => ({ kind: "ask", id, ask: "number", hides: [], options: [], wrong: [], hints: ["a", "b"] });
const text = { kind: "text", html: "<p>x</p>" };
const LESSON = {
  name: "sample",
  title: "Sample",
  language: "en",
  languages: ["en"],
  version: "v1",
  session: "view-x",
  intro: [text],
  steps: [
    { id: "read", title: "Read", blocks: [text] },
    { id: "asked", title: "Asked", blocks: [text, ask("asked.1"), ask("asked.2")] },
    { id: "last", title: "Last", blocks: [{ kind: "change", id: "last.1", hints: [] }] },
  ],
};
const open = (more = {}) => {
  state.openLesson(/** @type {any} */ ({ ...LESSON, ...more }));
  state.beginLesson(null, false);
};

beforeEach(() => kept.clear());

test("a lesson begins with its introduction, which is no step", () => {
  open();
  assert.equal(state.currentStep.value, state.INTRODUCTION);
  assert.deepEqual(
    state.pages.value.map(({ id }) => id),
    ["introduction", "read", "asked", "last"],
  );
  state.goToLessonStep("read");
  assert.deepEqual(state.progress.value.done, []);
  state.goToLessonStep("no such step");
  assert.equal(state.currentStep.value, "read");
});

test("a step without questions is done when one leaves it, one with questions with the last answer", () => {
  open();
  state.goToLessonStep("read");
  state.goToLessonStep("asked");
  assert.deepEqual(state.progress.value.done, ["read"]);
  state.answer("asked.1", false, "7");
  state.answer("asked.1", true, "8");
  assert.deepEqual(state.progress.value.done, ["read"]);
  state.giveUp("asked.2");
  assert.deepEqual(state.progress.value.done, ["read", "asked"]);
  assert.equal(state.answerTo("asked.1").said, "8");
  assert.equal(state.answerTo("asked.2").state, "shown");
});

test("a step that one leaves with an open question is not done", () => {
  open();
  state.goToLessonStep("asked");
  state.goToLessonStep("last");
  assert.deepEqual(state.progress.value.done, []);
});

test("who listens is told each answer, and the step that it was in", () => {
  open();
  const told = [];
  const stop = state.onAnswered((event) => told.push(event));
  state.goToLessonStep("asked");
  state.answer("asked.1", false, "7");
  state.answer("asked.1", true, "8");
  state.giveUp("asked.2");
  stop();
  state.giveUp("asked.1");
  assert.deepEqual(told, [
    { lesson_step: "asked", id: "asked.1", said: "7", right: false },
    { lesson_step: "asked", id: "asked.1", said: "8", right: true },
    { lesson_step: "asked", id: "asked.2", said: null, right: false },
  ]);
});

test("what was done is there again, for this version of the lesson alone", () => {
  open();
  state.goToLessonStep("asked");
  state.keepAnswer("asked.1", { hints: 1 });
  state.answer("asked.1", true, "8");
  open();
  assert.equal(state.currentStep.value, "asked");
  assert.deepEqual(state.answerTo("asked.1"), { state: "right", said: "8", hints: 1 });
  open({ version: "v2" });
  assert.equal(state.currentStep.value, state.INTRODUCTION);
  assert.equal(state.answerTo("asked.1").state, "open");
});

test("an address names the step to begin with", () => {
  open();
  state.goToLessonStep("asked");
  state.beginLesson("last", false);
  assert.equal(state.currentStep.value, "last");
  state.beginLesson("gone", false);
  assert.equal(state.currentStep.value, "last");
});

test("start again forgets all", () => {
  open();
  state.goToLessonStep("asked");
  state.answer("asked.1", true, "8");
  state.startAnew();
  assert.equal(state.currentStep.value, state.INTRODUCTION);
  assert.equal(state.answerTo("asked.1").state, "open");
  assert.deepEqual(state.progress.value.done, []);
});

test("what the browser keeps may be damaged", () => {
  for (const text of [
    "",
    "{",
    "null",
    "[]",
    '{"version":7}',
    '{"version":"v1"}',
    '{"version":"v1","answers":{"a":null},"done":[1,"x"],"of":"three"}',
  ]) {
    kept.set("hloscope.lesson.sample", text);
    const found = keptProgress("sample", "v1");
    if (found) assert.ok(found.done.every((id) => typeof id === "string") && Number.isInteger(found.of));
    open();
    assert.equal(state.currentStep.value, state.INTRODUCTION);
  }
});

test("what shows the value that is asked for waits for the answer", () => {
  const look = (address) => ({ kind: "look", label: "x", place: { run: 1, address }, playground: null });
  const asking = {
    ...ask("asked.1"),
    address: "0.s3.0",
    hides: ["0.s3.0", "0.s5.0"].map((address) => ({ run: 1, address, beyond: address === "0.s3.0" })),
  };
  const looks = /** @type {any[]} */ (["0.s3.0", "0.s3.0.1", "0.s5.0", "0.s2.0"].map(look));
  open({ steps: [LESSON.steps[0], { id: "asked", title: "Asked", blocks: [asking] }] });
  const waiting = () => looks.map(state.isWaiting);
  state.goToLessonStep("read");
  assert.deepEqual(waiting(), [true, true, false, false]);
  state.goToLessonStep("asked");
  assert.deepEqual(waiting(), [true, true, true, false]);
  state.giveUp("asked.1");
  assert.deepEqual(waiting(), [false, false, false, false]);
});

test("an open question for a step hides the marks of its run, and a question for a number the rules of ops", () => {
  store.run.value = /** @type {any} */ ({ key: "key", number: 1 });
  const steps = [{ id: "found", title: "Found", blocks: [{ ...ask("found.1"), ask: "step", run: 1 }, ask("found.2")] }];
  open({ steps, version: "v2" });
  const rule = "Run-time positions are clamped: `%1` to 0 … 2.";
  assert.deepEqual([areMarksHidden("key"), areMarksHidden("other"), withoutRules(rule)], [true, false, ""]);
  state.goToLessonStep("found");
  state.answer("found.1", false, "0, 3");
  assert.equal(areMarksHidden("key"), true);
  state.answer("found.1", true, "0, 4");
  state.giveUp("found.2");
  assert.deepEqual([areMarksHidden("key"), withoutRules(rule)], [false, rule]);
});

test("a step opens at its first look, or where the program of its exercise begins", () => {
  const block = (kind, run) => ({ kind, place: run && { run, address: null } });
  const places = (...blocks) => state.placesOf(/** @type {any} */ ({ id: "last", title: "Last", blocks }));
  const runs = (...blocks) => places(...blocks).map(({ run }) => run);
  assert.deepEqual(runs(text, block("look", 1), ask("last.1"), block("change", 2)), [1, 2]);
  assert.deepEqual(runs(block("change", null), ask("last.1")), []);
});
