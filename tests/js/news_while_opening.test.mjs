/** News of a recording that comes while the page still asks for what it shows of it. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { openRun, updateRecording } from "../../static/js/core/run/recording.js";
import { openSession, receive } from "../../static/js/core/session.js";
import { readFrom, source } from "../../static/js/core/source.js";
import * as store from "../../static/js/core/store.js";
import { collectiveGrid } from "./grids.mjs";

const RECORDING = { kind: "recording", reason: "", diagnostic: null };
const DONE = { kind: "done", reason: "", diagnostic: null };
const PROGRESS = { key: "k", frames: 1, prints: 0, processes: 4 };
const RUN = { ...PROGRESS, number: 1, entry: "main", steps: 2, state: RECORDING };

const noRows = (...columns) => Object.fromEntries(columns.map((name) => [name, []]));
const NO_LISTS = noRows("lengths", "items");
const OPS = ["kinds", "kind", "locations", "location", "starts", "lengths", "lines", "columns", "heights", "blocks"];
const NO_PROGRAM = {
  head: { language: "stablehlo", windows: 1, begin: null, parameters: {}, argumentNames: {} },
  ops: { ...noRows(...OPS), operands: NO_LISTS, results: NO_LISTS, regions: NO_LISTS },
  values: noRows("names", "types", "type"),
  blocks: { ...noRows("functions", "openers", "regions", "lines"), arguments: NO_LISTS },
  functions: noRows("names", "blocks", "starts", "lengths", "lines"),
};

/** The answers by the end of the path; a function says what happens before the answer. */
let answers = {};
let fetchBefore;

const turn = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  answers = { program: () => NO_PROGRAM, grid: () => collectiveGrid().grid.info };
  fetchBefore = globalThis.fetch;
  globalThis.fetch = async (path) => Response.json(await answers[/(program|grid)[^/]*(\/window.*)?$/.exec(path)[1]]());
  store.run.value = null;
});

afterEach(() => {
  globalThis.fetch = fetchBefore;
});

test("the last word is heard although the run is not shown yet", async () => {
  const answer = answers.grid;
  answers.grid = () => {
    answers.grid = answer;
    updateRecording({ ...PROGRESS, steps: 5, state: DONE });
    return answer();
  };
  await openRun(RUN);
  for (let quiet = 0; quiet < 20; quiet++) await turn();
  assert.equal(store.recordingState.value.kind, "done");
  assert.equal(store.grid.value.over, true);
});

test("later news is told where the grid does not answer earlier news", async () => {
  await openRun({ ...RUN, key: "another" });
  assert.equal(store.recordingState.value.kind, "recording");
  answers.grid = () => Promise.reject(new TypeError("offline"));
  updateRecording({ ...PROGRESS, key: "another", steps: 3, state: RECORDING });
  updateRecording({ ...PROGRESS, key: "another", steps: 5, state: DONE });
  const told = new Promise((resolve) => {
    const stop = store.recordingState.subscribe(({ kind }) => kind === "done" && resolve(setImmediate(() => stop())));
  });
  await told;
  assert.equal(store.recordingState.value.kind, "done");
});

test("the end of the verification is heard although it overtakes the session's answer", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.location = { search: "" };
  const session = {
    id: "s",
    name: "",
    text: "t",
    long_text: null,
    run: null,
    runs: [],
    diagnostics: [],
    waiting: null,
  };
  let requests = 0;
  const fetch = async (path) => {
    if (!path.includes("apart=true")) return Response.json([]);
    const verifying = requests++ ? null : { phase: "reading", line: 0, lines: 1 };
    if (verifying) receive({ type: "verifying", verifying: null });
    return Response.json({ ...session, verifying });
  };
  readFrom({ ...source(), fetch, follow: () => ({ send: () => undefined, close: () => undefined }) });
  await openSession("s"); // no timer runs, so it does not wait until it looks again
  assert.equal(requests, 2);
});

test("that the user cancelled is said although the rest of a long text is still on its way", async () => {
  const message = "You cancelled the verification, so the program was not run.";
  const session = {
    id: "long",
    name: "",
    text: "",
    long_text: { hash: "h", windows: 2 },
    run: null,
    runs: [],
    diagnostics: [],
    waiting: null,
  };
  let requests = 0;
  let sendRest = () => undefined;
  const rest = new Promise((resolve) => (sendRest = resolve));
  const fetch = async (path) => {
    if (path.includes("chunk=1")) await rest;
    if (path.includes("chunk=")) return new Response("t\n");
    if (!path.includes("apart=true")) return Response.json([]);
    const verifying = requests++ ? null : { phase: "reading", line: 0, lines: 2 };
    if (verifying) receive({ type: "verifying", verifying: null });
    const place = { line: 1, column: 1, from: 0, to: 0, severity: "error", kind: "cancelled" };
    return Response.json({ ...session, verifying, diagnostics: verifying ? [] : [{ ...place, message }] });
  };
  readFrom({ ...source(), fetch, follow: () => ({ send: () => undefined, close: () => undefined }) });
  const said = new Promise((resolve) => {
    const stop = store.diagnostics.subscribe(
      (found) => found[0]?.message === message && resolve(setImmediate(() => stop())),
    );
  });
  const opened = openSession("long");
  await said;
  assert.equal(store.whyNoRun.value, message); // and not that the error on line 1 is to be fixed
  assert.equal(store.verifying.value, null);
  sendRest();
  await opened;
  assert.equal(store.draft.value, "t\nt\n");
});
