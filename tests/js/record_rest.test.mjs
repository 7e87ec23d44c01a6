/** Recording the rest of a run: when there is one, and when that has come to an end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecordingRest, isShort, keepRest, pauseRest, recordRest, whyIdle } from "../../static/js/core/run/rest.js";
import { receive } from "../../static/js/core/session.js";
import * as store from "../../static/js/core/store.js";

const state = (kind, reason = "") => ({ kind, reason, diagnostic: null });
const short = () => state("paused", "Recorded 30 steps, as far as was asked.");

keepRest();

/** A run of which 30 steps are recorded. */
function openShort(key = "a") {
  store.run.value = { key, number: 1 };
  store.pending.value = null;
  store.outline.value.waits = false;
  store.recordingState.value = short();
  store.outlineVersion.value++;
}

test("a run is short that is paused and waits for nobody", () => {
  openShort();
  assert.equal(isShort.value, true);
  store.pending.value = "Still recording: 30 steps so far.";
  assert.equal(isShort.value, false);
  store.pending.value = null;
  for (const kind of ["done", "failed", "recording"]) {
    store.recordingState.value = state(kind);
    assert.equal(isShort.value, false, kind);
  }
  store.recordingState.value = short();
  store.outline.value.waits = true;
  store.outlineVersion.value++;
  assert.equal(isShort.value, false, "it waits for an item of a queue");
  openShort();
  store.run.value = null;
  assert.equal(isShort.value, false, "there is no run");
});

test("what does nothing says why", () => {
  const both = () => [whyIdle("pause"), whyIdle("recordRest")];
  openShort();
  assert.deepEqual(both(), ["No command is in progress.", ""]);
  store.pending.value = "Still recording: 30 steps so far.";
  assert.deepEqual(both(), ["", "The run is being recorded."]);
  openShort();
  recordRest();
  assert.deepEqual(both(), ["", "The run is being recorded."]);
  store.recordingState.value = state("done", "the program has ended");
  assert.deepEqual(both(), ["No command is in progress.", "The run has ended."]);
  openShort();
  store.outline.value.waits = true;
  store.recordingState.value = state("paused", "process (0, 0) waits for an item of infeed");
  store.outlineVersion.value++;
  assert.equal(whyIdle("recordRest"), "Process (0, 0) waits for an item of infeed.");
  assert.equal(whyIdle("over"), "");
});

test("the rest is recorded until the server says that it stops", () => {
  openShort();
  recordRest();
  assert.deepEqual([isRecordingRest.value, isShort.value], [true, false]);
  store.recordingState.value = state("recording", "recorded 60 steps so far");
  assert.equal(isRecordingRest.value, true);
  store.recordingState.value = state("done");
  assert.deepEqual([isRecordingRest.value, isShort.value], [false, false]);
});

test("a limit ends it as well, and one may go on again", () => {
  openShort();
  recordRest();
  store.recordingState.value = state("paused", "paused at the limit run_step_limit = 60 steps");
  assert.deepEqual([isRecordingRest.value, isShort.value], [false, true]);
});

test("a refusal ends it, but not that of something else while it goes on", () => {
  openShort();
  recordRest();
  receive({ type: "error", message: "There is no worker for this session." });
  assert.deepEqual([isRecordingRest.value, isShort.value], [false, true]);
  recordRest();
  store.recordingState.value = state("recording", "recorded 60 steps so far");
  receive({ type: "error", message: "This message is invalid." });
  assert.equal(isRecordingRest.value, true);
  pauseRest();
});

test("it is stopped by hand, and another run has one of its own", () => {
  openShort();
  recordRest();
  pauseRest();
  assert.equal(isRecordingRest.value, false);
  recordRest();
  openShort("b");
  assert.deepEqual([isRecordingRest.value, isShort.value], [false, true]);
});
