import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";

const kept = new Map();
globalThis.localStorage = /** @type {any} */ ({
  getItem: (name) => kept.get(name) ?? null,
  setItem: (name, value) => void kept.set(name, value),
  removeItem: (name) => void kept.delete(name),
});
const { grouped, nextRung, progressFragment, readFragment, rungs, takeOver } =
  await import("../../static/js/features/lesson/ladder.js");
const { keepProgress, keptProgress, newProgress } = await import("../../static/js/features/lesson/progress.js");

const lesson = (name, version, group, needs = [], steps = ["a", "b", "c"]) => ({ name, version, group, needs, steps });
const LESSONS = /** @type {any[]} */ ([
  lesson("first", "aaaaaa1111", "Basics"),
  lesson("second", "bbbbbb2222", "Basics", ["third"]),
  lesson("third", "cccccc3333", "Far", ["first"]),
  lesson(
    "long",
    "dddddd4444",
    null,
    [],
    Array.from({ length: 70 }, (_, at) => `s${at}`),
  ),
]);
const done = (name, version, ...steps) => keepProgress(name, { ...newProgress(version, 3), done: steps });

beforeEach(() => kept.clear());

test("lessons are numbered through their groups, and the next is one whose prerequisites are done", () => {
  done("first", "aaaaaa1111", "a", "c", "gone");
  const all = rungs(LESSONS);
  assert.deepEqual(
    grouped(all).map(({ title, rungs: of }) => [title, of.map(({ number }) => number)]),
    [
      ["Basics", [1, 2]],
      ["Far", [3]],
      [null, [4]],
    ],
  );
  assert.deepEqual([all[0]?.done, all[0]?.isDone, nextRung(all)?.lesson.name], [["a", "c"], false, "first"]);
  done("first", "aaaaaa1111", "a", "b", "c");
  assert.equal(nextRung(rungs(LESSONS))?.lesson.name, "third");
  for (const { name, version, steps } of LESSONS) done(name, version, ...steps);
  assert.equal(nextRung(rungs(LESSONS)), null);
});

test("a link carries the progress to another browser, and adds to what is there", () => {
  done("first", "aaaaaa1111", "a", "c");
  done("long", "dddddd4444", "s0", "s69");
  done("second", "an older version", "a");
  const fragment = progressFragment(rungs(LESSONS));
  assert.equal(fragment.split(".").length, 3);
  assert.ok(fragment.length < 50);
  kept.clear();
  done("first", "aaaaaa1111", "b");
  const read = readFragment(fragment, LESSONS);
  assert.deepEqual(
    read?.found.map((each) => [each.lesson.name, each.done]),
    [
      ["first", ["a", "c"]],
      ["long", ["s0", "s69"]],
    ],
  );
  assert.equal(read?.unknown, 0);
  takeOver(read?.found ?? []);
  assert.deepEqual(keptProgress("first", "aaaaaa1111")?.done, ["b", "a", "c"]);
  assert.deepEqual(keptProgress("long", "dddddd4444")?.done, ["s0", "s69"]);
});

test("what a link says of other lessons, and what is no progress, is left alone", () => {
  assert.equal(readFragment("#clamped", LESSONS), null);
  assert.equal(readFragment("#progress=12.aaaaaa-1", LESSONS), null);
  assert.deepEqual(readFragment("#progress=1", LESSONS), { found: [], unknown: 0 });
  const read = readFragment("#progress=1.eeeeee-7.aaaaaa-2.aaaaaa-<b>.x", LESSONS);
  assert.deepEqual([read?.found.map((each) => each.done), read?.unknown], [[["b"]], 1]);
});
