import assert from "node:assert/strict";
import test from "node:test";
import * as model from "../../static/js/features/room/model.js";
import { refusal } from "../../static/js/features/lesson/refused.js";
import { countWords, numberAnd, withoutLesson } from "../../static/js/features/room/lesson.js";
import { newPoll, prefilled, textOfHtml } from "../../static/js/features/room/questions.js";

/** @typedef {import("../../static/js/core/types.js").RoomServerMessage} Message */

const POSITION = { run: 1, step: 3, process: 0, tab: "tensor", value: null, path: [], element: null };
const POLL = {
  id: "p1",
  kind: /** @type {import("../../static/js/core/types.js").AskKind} */ ("number"),
  question: "What will %2[1, 0] be?",
  options: [],
  target: { run: 1, process: 0, address: "0.s2.0", element: [1, 0], read_by: null },
  lesson_ask: null,
  open: true,
  revealed: false,
};
const ROOM = {
  code: "K7D4QM",
  title: "gather.mlir",
  session: "view-x",
  lesson: null,
  position: POSITION,
  lesson_step: null,
  chalk: /** @type {string|null} */ (null),
  locked: false,
  paused: false,
  members: 5,
  following: 5,
  poll: /** @type {typeof POLL|null} */ (null),
};
const YOU = {
  name: "teal otter 14",
  role: /** @type {"owner"|"member"|"screen"} */ ("member"),
  member: "secret-of-a-member",
  hand: false,
  lost: false,
  answer: null,
};

/** @param {Partial<typeof ROOM>} [room] @param {Partial<typeof YOU>} [you] @returns {Message} */
const welcome = (room = {}, you = {}) => ({
  type: "welcome",
  you: { ...YOU, ...you },
  room: { ...ROOM, ...room },
  version: 1,
});
/** @param {Message[]} messages */
const after = (...messages) => messages.reduce(model.hear, model.NOTHING);
/** @param {Partial<typeof ROOM>} room @returns {Message} */
const snapshot = (room) => ({ type: "room", room: { ...ROOM, ...room }, version: 2 });

test("the teacher leads, then whoever has the chalk, then the teacher again", () => {
  const teacher = after(welcome({}, { role: "owner", name: "teacher" }));
  const student = after(welcome());
  assert.deepEqual([teacher, student].map(model.isLeading), [true, false]);
  const lent = snapshot({ chalk: "teal otter 14" });
  assert.deepEqual(
    [teacher, student].map((view) => model.isLeading(model.hear(view, lent))),
    [false, true],
  );
  const back = snapshot({ chalk: null });
  assert.deepEqual(
    [teacher, student].map((view) => model.isLeading(model.hear(model.hear(view, lent), back))),
    [true, false],
  );
  assert.equal(model.isLeading(after(welcome({ chalk: "red fox 2" }))), false);
  assert.equal(model.isLeading(model.NOTHING), false);
});

test("a poll asks until the answers are shown, and never asks the teacher", () => {
  const asked = after(welcome({ poll: POLL }));
  assert.equal(model.isAsked(asked), true);
  assert.equal(model.isAsked(model.hear(asked, snapshot({ poll: { ...POLL, open: false } }))), true);
  assert.equal(model.isAsked(model.hear(asked, snapshot({ poll: { ...POLL, open: false, revealed: true } }))), false);
  assert.equal(model.isAsked(model.hear(asked, snapshot({ poll: null }))), false);
  assert.equal(model.isAsked(after(welcome({ poll: POLL }, { role: "owner" }))), false);
});

test("an answer counts once the server has kept it, and goes with its poll", () => {
  const sent = { ...after(welcome({ poll: POLL })), sent: { poll: "p1", value: "3" } };
  assert.equal(sent.isKept, false);
  const back = model.hear(sent, welcome({ poll: POLL }));
  assert.deepEqual([back.sent, back.isKept], [sent.sent, false], "the line was lost before: it is sent again");
  const kept = model.hear(sent, { type: "answered", poll: "p1", value: "3" });
  assert.equal(kept.isKept, true);
  const reloaded = after(welcome({ poll: POLL }, { answer: /** @type {any} */ ({ poll: "p1", value: "3" }) }));
  assert.deepEqual([reloaded.sent, reloaded.isKept], [{ poll: "p1", value: "3" }, true]);
  const next = model.hear(kept, snapshot({ poll: { ...POLL, id: "p2" } }));
  assert.deepEqual([next.sent, next.isKept, next.results], [null, false, null]);
});

test("an answer that the server refuses is not on its way, and the one before it counts", () => {
  const error = /** @type {any} */ ({ type: "error", kind: "answer", error: "not a number" });
  const sending = (view) => ({ ...view, sent: { poll: "p1", value: "1,5" }, isKept: false });
  const asked = after(welcome({ poll: POLL }));
  const refused = model.hear(sending(asked), error);
  assert.deepEqual([refused.sent, refused.isKept, refused.refusal], [null, false, error]);
  const kept = model.hear(asked, { type: "answered", poll: "p1", value: "3" });
  assert.deepEqual(model.hear(sending(kept), error), { ...kept, refusal: error });
});

test("results of another poll are not shown", () => {
  const asked = after(welcome({ poll: POLL }));
  assert.equal(model.hear(asked, { type: "results", poll: "p0", count: 4 }).results, null);
  assert.equal(model.hear(asked, { type: "results", poll: "p1", count: 4 }).results?.count, 4);
});

test("a word that came too late to lead is no fault; other refusals are said", () => {
  const error = (/** @type {string} */ kind) =>
    model.hear(after(welcome()), /** @type {any} */ ({ type: "error", kind, message: "No.", hint: "Do." })).refusal
      ?.kind ?? "";
  assert.deepEqual(["chalk", "role", "answer"].map(error), ["", "", "answer"]);
});

test("one leaves the way by an own step only", () => {
  const way = new model.Way();
  const elsewhere = { ...POSITION, step: 7 };
  assert.equal(way.isLeft(elsewhere), false, "nobody has been led yet");
  way.leadTo(POSITION);
  assert.equal(way.isLeft({ ...POSITION, step: 2 }), false, "on the way there");
  assert.equal(way.isLeft(POSITION), false);
  way.act();
  assert.equal(way.isLeft(POSITION), false, "a key that changes nothing");
  for (const own of [
    elsewhere,
    { ...POSITION, value: 4 },
    { ...POSITION, tab: "index" },
    { ...POSITION, element: [1, 0] },
  ])
    assert.equal(way.isLeft(own), true);
  way.lessonStep = "clamped";
  assert.deepEqual([way.isLeft(POSITION, "clamped"), way.isLeft(POSITION, "next")], [false, true]);
  way.leadTo(elsewhere);
  assert.equal(way.isLeft(POSITION), false, "led on: what was done before does not count");
  assert.equal(way.isLeft(elsewhere), false, "there");
  assert.equal(way.isLeft({ ...elsewhere, element: [1, 0] }), false, "the element that the class is at, shown later");
  assert.equal(way.isLeft(POSITION), true, "a step by a key pressed in the controls of the room");
  way.leadTo(POSITION, POSITION);
  assert.equal(way.isLeft(elsewhere), true, "the page was there already");
});

test("an index is read as people write it, and checked against the shape", () => {
  assert.deepEqual(model.readIndex("[1, 0]", [2, 3]), { index: [1, 0] });
  assert.deepEqual(model.readIndex(" 1 0 ", [2, 3]), { index: [1, 0] });
  assert.deepEqual(model.readIndex("", []), { index: [] });
  const problem = (/** @type {string} */ text) => /** @type {any} */ (model.readIndex(text, [2, 3])).problem;
  assert.match(problem("one"), /whole numbers/);
  assert.match(problem("1"), /2 dimensions, and the index 1/);
  assert.match(problem("2, 0"), /2 is outside dimension 0, which has size 2/);
  assert.match(problem("-1, 0"), /whole numbers/);
});

const about = { address: "0.s2.0", value: 2, path: [], name: "%2", shape: [3, 2], element: [1, 0] };
const source = { address: "0.f0.0", value: 0, path: [], name: "%0", shape: [4, 2], element: null };
const form = {
  kind: /** @type {import("../../static/js/core/types.js").AskKind} */ ("number"),
  about,
  element: "1, 0",
  source,
  hasTruth: true,
  options: "",
  question: "",
  isOwn: false,
};

test("the question is prefilled from the chosen element, until one is written", () => {
  assert.equal(prefilled(form).question, "What will %2[1, 0] be?");
  assert.equal(prefilled({ ...form, kind: "cell" }).question, "Which element of %0 does %2[1, 0] read?");
  assert.equal(prefilled({ ...form, about: { ...about, shape: [] }, element: "" }).question, "What will %2 be?");
  assert.equal(prefilled({ ...form, isOwn: true, question: "Why?" }).question, "Why?");
});

test("a poll names what the server reads the truth from", () => {
  const asked = prefilled(form);
  assert.deepEqual(newPoll(asked, 1, 0), {
    kind: "number",
    question: "What will %2[1, 0] be?",
    options: [],
    lesson_ask: null,
    target: { run: 1, process: 0, address: "0.s2.0", element: [1, 0], read_by: null },
  });
  const cell = /** @type {any} */ (newPoll(prefilled({ ...form, kind: "cell" }), 1, 0));
  assert.deepEqual(cell.target, {
    run: 1,
    process: 0,
    address: "0.f0.0",
    element: null,
    read_by: { address: "0.s2.0", element: [1, 0] },
  });
  const choice = /** @type {any} */ (newPoll({ ...asked, kind: "choice", options: "0\n\n 3 \n" }, 1, 0));
  assert.deepEqual(
    [choice.options, choice.target.element],
    [
      ["0", "3"],
      [1, 0],
    ],
  );
  assert.equal(
    /** @type {any} */ (newPoll({ ...asked, kind: "choice", options: "a\nb", hasTruth: false }, 1, 0)).target,
    null,
  );
});

test("what is missing is said before it is asked", () => {
  const problem = (/** @type {Partial<typeof form>} */ changes) =>
    /** @type {any} */ (newPoll({ ...prefilled(form), ...changes }, 1, 0)).problem;
  assert.match(problem({ question: " " }), /Write the question/);
  assert.match(problem({ element: "9, 0" }), /outside dimension 0/);
  assert.match(problem({ kind: "choice", options: "one" }), /2 to 8 options; these are 1/);
  assert.match(problem({ kind: "cell", source: /** @type {any} */ (null) }), /operands are clicked on/);
});

test("a lesson's question loses its marks and nothing else", () => {
  assert.equal(
    textOfHtml("<p>What is <code>%2[1, 0]</code> &lt; 3 &amp; why&#39;s <em>that</em>?</p>\n"),
    "What is %2[1, 0] < 3 & why's that?",
  );
});

/** @type {import("../../static/js/core/types.js").ClassMember} */
const MEMBER = {
  name: "a",
  following: true,
  lost: false,
  hand: false,
  away: false,
  own: false,
  idle: 0,
  position: { ...POSITION, line: null },
  lesson_step: null,
  answers: {},
};

test("places are counted, the fullest first; copies of one's own have other steps", () => {
  const at = (/** @type {number} */ step) => ({ ...MEMBER, position: { ...MEMBER.position, step } });
  assert.deepEqual(model.placesOf([MEMBER, at(3), at(1), { ...at(9), own: true }]), [
    { run: 1, step: 3, count: 2 },
    { run: 1, step: 1, count: 1 },
  ]);
});

test("those who need help most come first, each with the reasons", () => {
  const steps = ["one", "two", "three", "four"];
  const members = [
    { ...MEMBER, name: "away", away: true, idle: 9 },
    { ...MEMBER, name: "otter 10" },
    { ...MEMBER, name: "otter 9", following: true, idle: 9 },
    { ...MEMBER, name: "idle", following: false, idle: 4 },
    { ...MEMBER, name: "behind", lesson_step: "one" },
    { ...MEMBER, name: "near", lesson_step: "two" },
    { ...MEMBER, name: "wrong once", answers: { one: false, two: true } },
    { ...MEMBER, name: "wrong twice", answers: { one: false, two: false }, lesson_step: "one" },
    { ...MEMBER, name: "z", hand: true, lost: true },
    { ...MEMBER, name: "y", lost: true },
  ];
  const sorted = model.sortedByNeed(members.map((member) => ({ member, ...model.needOf(member, steps, "three") })));
  assert.deepEqual(
    sorted.map(({ member, needs }) => [member.name, needs.join(", ")]),
    [
      ["z", "hand up, lost"],
      ["y", "lost"],
      ["wrong twice", "2 wrong, 2 steps behind"],
      ["wrong once", "1 wrong"],
      ["behind", "2 steps behind"],
      ["idle", "idle 4 min"],
      ["near", ""],
      ["otter 9", ""],
      ["otter 10", ""],
      ["away", "away"],
    ],
  );
});

test("an answer in words", () => {
  const asked = (/** @type {import("../../static/js/core/types.js").AskKind} */ kind) => ({
    kind,
    options: ["a", "b"],
  });
  assert.equal(model.answerWords([1, 0], asked("cell")), "[1, 0]");
  assert.equal(model.answerWords([3, 4], asked("shape")), "(3, 4)");
  assert.equal(model.answerWords([], asked("shape")), "()");
  assert.equal(model.answerWords([0, 12], asked("step")), "step 12");
  assert.equal(model.answerWords([2, 12], asked("step")), "step 12 of process 2");
  assert.equal(model.answerWords(1, asked("choice")), "b");
});

/** @param {string} language @param {Record<string, string>} labels @param {() => void} check */
function speaking(language, labels, check) {
  withoutLesson.value = { language, labels };
  check();
  withoutLesson.value = null;
}

test("a number has the noun of its language: in French, 0 is singular", () => {
  const labels = { oneAnswer: "{} réponse", answers: "{} réponses", handUp: "main levée", handsUp: "mains levées" };
  const said = (/** @type {number} */ count) => [
    countWords("oneAnswer", "answers", count),
    numberAnd("handUp", "handsUp", count),
  ];
  assert.deepEqual(said(0), ["0 answers", "0 hands up"]);
  speaking("fr", labels, () => {
    assert.deepEqual(said(0), ["0 réponse", "0 main levée"]);
    assert.deepEqual(said(1), ["1 réponse", "1 main levée"]);
    assert.deepEqual(said(1200), ["1,200 réponses", "1,200 mains levées"]);
  });
  speaking("de-AT", { handUp: "Meldung", handsUp: "Meldungen" }, () => {
    assert.deepEqual(
      [0, 1, 2].map((count) => numberAnd("handUp", "handsUp", count)),
      ["0 Meldungen", "1 Meldung", "2 Meldungen"],
    );
  });
});

test("a refusal is in the language of the page, with its figure; what only the server can say is English", () => {
  const error = { kind: "copies", message: "You have made 3 copies in this room.", hint: "Delete one.", parts: ["3"] };
  assert.deepEqual(refusal(error), { text: "You have made 3 copies in this room. Delete one.", lang: "en" });
  speaking("de", { refused_copies: "Du hast {} Kopien angelegt." }, () => {
    assert.deepEqual(refusal(error), { text: "Du hast 3 Kopien angelegt.", lang: "de" });
    assert.deepEqual(refusal({ kind: "internal", message: "It failed." }), { text: "It failed.", lang: "en" });
  });
});
