/** The film of an op: its arithmetic, its beats, and where it stands after steps forwards and backwards. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { arithmeticOf, beatsOf } from "../../static/js/features/playground/arithmetic.js";
import { Film } from "../../static/js/features/playground/film.js";

const element = (name, index, text) => ({ name, index, text, value: 0, address: "0.f0.0", role: "" });
const row = (terms, partial = null, note = "") => ({
  terms,
  joined: [],
  partial,
  exact: null,
  lost: null,
  cancelled: 0,
  note,
});
const derivation = (kind, text, rows, value, more = {}) => ({
  kind,
  text,
  rows,
  value,
  start: 0,
  rowCount: rows.length,
  termCount: rows.flatMap(({ terms }) => terms).length,
  ...more,
});

const PRODUCTS = derivation(
  "sum of products",
  "%r[0] = %a[0] * %b[0] + %a[1] * %b[1] = -11",
  [
    row([[element("%a", [0], "1"), element("%b", [0], "1")]], "1"),
    row([[element("%a", [1], "2"), element("%b", [1], "-6")]], "-11"),
  ],
  "-11",
);
const folded = (text, value) =>
  derivation(
    "fold",
    text,
    ["3", "-1", "4"].map((each, at) => row([[element("%a", [at], each)]], each)),
    value,
  );

test("an element is written out in numbers", () => {
  assert.equal(arithmeticOf(PRODUCTS), "1·1 + 2·(-6) = -11");
  assert.equal(arithmeticOf(folded("%r = %a[0] + %a[1] + … (3 terms) = 6", "6")), "3 + (-1) + 4 = 6");
  assert.equal(arithmeticOf(folded("%r = %a[0] * %a[1] * %a[2] = -12", "-12")), "3 · (-1) · 4 = -12");
  assert.equal(arithmeticOf(folded("%r = max of %a[0], %a[1], … (3 terms) = 4", "4")), "max(3, -1, 4) = 4");
  const ofTwo = (text, value) =>
    derivation("function", text, [row([[element("%a", [1], "-2")], [element("%ab", [1], "-2")]])], value);
  assert.equal(arithmeticOf(ofTwo("%r[1] = %a[1] + %ab[1] = -2 + (-2) = -4", "-4")), "-2 + (-2) = -4");
  assert.equal(arithmeticOf(ofTwo("%r[1] = max(%a[1] = -2, %ab[1] = -2) = -2", "-2")), "max(-2, -2) = -2");
  const one = derivation("updates", "%r[0] = %a[0] = 3", [row([[element("%a", [0], "3")]])], "3");
  assert.equal(arithmeticOf(one), "%a[0] = 3");
  assert.equal(arithmeticOf({ ...PRODUCTS, termCount: 9 }), "1·1 + 2·(-6) + … (9 terms) = -11");
});

test("each combination is a beat, and the last one shows the element", () => {
  assert.deepEqual(
    beatsOf(PRODUCTS).map(({ sources, shows }) => [sources.length, shows]),
    [
      [2, "1"],
      [2, "-11"],
    ],
  );
  assert.deepEqual(beatsOf(derivation("listed", "", [], "7")), [{ sources: [], shows: "7" }]);
  const line = [
    row([[element("%a", [2], "1")]], null, "this element"),
    row([[element("%a", [0], "5")]], null, "after it"),
  ];
  assert.deepEqual(
    beatsOf(derivation("sort", "", line, "1"))[0].sources.map(({ index }) => index),
    [[2]],
  );
});

/** A film of three elements with two beats each, whose requests are counted. */
function film(requests) {
  const send = async (_, body) => {
    requests.push(body.derive.elements.length);
    return { derivations: body.derive.elements.map(() => PRODUCTS) };
  };
  return new Film({ op: "stablehlo.dot_general", operands: {}, fields: {} }, 0, 0, [3], send);
}

test("a film goes forwards and back again through every beat", async () => {
  const requests = [];
  const shown = film(requests);
  await shown.load(0);
  const forwards = [];
  for (let at = 0; at < 6; at++) {
    shown.stepForward();
    const { element, beat, phase } = shown.position.value;
    forwards.push(`${element}.${beat}.${phase}`);
  }
  assert.deepEqual(forwards, ["0.0.1", "0.1.1", "1.0.1", "1.1.1", "2.0.1", "2.1.1"]);
  assert.equal(shown.move(0.5), false, "the film is at its end");
  const backwards = [];
  for (let at = 0; at < 6; at++) {
    shown.stepBack();
    const { element, beat, phase } = shown.position.value;
    backwards.push(`${element}.${beat}.${phase}`);
  }
  assert.deepEqual(backwards, ["2.1.0", "2.0.0", "1.1.0", "1.0.0", "0.1.0", "0.0.0"]);
  assert.equal(shown.move(-1), false, "the film is at its beginning");
  assert.deepEqual(requests, [3], "one request for the block");
});

test("a fast film skips no element, and waits for what is on its way", async () => {
  const shown = film([]);
  assert.equal(shown.move(1.5), true, "nothing is known yet");
  assert.equal(shown.position.value, null);
  await shown.load(0);
  shown.move(3.5);
  assert.deepEqual(shown.position.value, { element: 1, beat: 1, phase: 0.5 });
  shown.move(-3);
  assert.deepEqual(shown.position.value, { element: 0, beat: 0, phase: 0.5 });
});
