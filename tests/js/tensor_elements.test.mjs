import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bitsOf,
  bytesText,
  elementAt,
  elementText,
  fittedText,
  digitsOf,
  floatText,
  kindOf,
  percentText,
  short,
} from "../../static/js/core/tensor/elements.js";

const F32 = /** @type {const} */ ({ dtype: "f32", components: 1 });
const I64 = /** @type {const} */ ({ dtype: "i64", components: 1 });
const C64 = /** @type {const} */ ({ dtype: "f32", components: 2 });

test("a float is written in as few digits as its type needs", () => {
  assert.equal(floatText(Math.fround(0.1), "f32"), "0.1");
  assert.equal(floatText(Math.fround(Math.PI), "f32"), "3.1415927");
  assert.equal(floatText(0.1, "f64"), "0.1");
  assert.equal(floatText(Math.fround(0.1), "f64"), "0.10000000149011612");
  assert.equal(floatText(0.0999755859375, "f16"), "0.1");
  assert.equal(floatText(0.10009765625, "bf16"), "0.1");
});

test("what is written reads back the same", () => {
  const numbers = new Float32Array(2000);
  const bits = new Uint32Array(numbers.buffer);
  for (let i = 0; i < bits.length; i++) bits[i] = (i * 2654435761) >>> 0;
  for (const number of numbers) {
    if (Number.isFinite(number)) assert.equal(Math.fround(Number(floatText(number, "f32"))), number);
  }
});

test("zero keeps its sign, and what is not a number its name", () => {
  assert.deepEqual(
    [-0, 0, NaN, Infinity, -Infinity].map((x) => floatText(x, "f32")),
    ["-0", "0", "NaN", "+Inf", "-Inf"],
  );
});

test("integers of 64 bits are exact", () => {
  const plane = BigInt64Array.of(9223372036854775807n, -9007199254740993n);
  assert.equal(elementText(elementAt(plane, I64, 0), "i64", I64), "9223372036854775807");
  assert.equal(elementText(elementAt(plane, I64, 1), "i64", I64), "-9007199254740993");
});

test("complex numbers and booleans", () => {
  assert.equal(elementText(elementAt(Float32Array.of(0, 0, 1.5, -2), C64, 1), "complex<f32>", C64), "1.5-2i");
  assert.equal(elementText({ re: 1, im: NaN }, "complex<f32>", C64), "1+NaNi");
  assert.equal(elementText(1, "i1", { dtype: "u8", components: 1 }), "true");
  assert.equal(kindOf("i1", { dtype: "u8", components: 1 }), "boolean");
  assert.equal(kindOf("complex<f32>", C64), "complex");
});

test("in little room numbers are rounded, or left out", () => {
  assert.equal(fittedText(Math.fround(-0.12345678), "f32", F32, 6), "-0.123");
  assert.equal(fittedText(9223372036854775807n, "i64", I64, 7), "9.22e18");
  assert.equal(fittedText(9223372036854775807n, "i64", I64, 2), null);
  assert.equal(fittedText(Math.fround(3.2e-16), "f32", F32, 6), "3e-16");
  assert.equal(fittedText(Infinity, "f32", F32, 4), "+Inf");
  assert.equal(short(12345678), "1.235e7");
  assert.equal(short("NaN"), "NaN");
  assert.equal(short(0), "0");
});

test("sizes", () => {
  assert.equal(bitsOf("complex<f32>"), 64);
  assert.equal(bitsOf("f8E4M3FN"), 8);
  assert.equal(bitsOf("bf16"), 16);
  assert.equal(bitsOf("s1"), 1);
  assert.equal(bytesText(32768), "32 KiB");
  assert.deepEqual([3200, 19_200].map(bytesText), ["3.13 KiB", "18.8 KiB"]); // as the command line rounds
  assert.equal(bytesText(1536), "1.5 KiB");
  assert.equal(bytesText("36893488147419103232"), "32800 PiB");
});

test("numbers in a line have at most seven digits, and all of them on demand", () => {
  assert.deepEqual(digitsOf(Math.fround(0.1), "f32"), { text: "0.1", whole: "0.1" });
  assert.deepEqual(digitsOf(Math.fround(-0.28208043), "f32"), { text: "-0.2820804", whole: "-0.28208044" });
  assert.deepEqual(digitsOf(0.1 + 0.2, "f64"), { text: "0.3", whole: "0.30000000000000004" });
  assert.deepEqual(digitsOf(1.234567891e-9, "f64"), { text: "1.234568e-9", whole: "1.234567891e-9" });
  assert.deepEqual(digitsOf(3.4028234663852886e38, "f32"), { text: "3.402823e38", whole: "3.4028235e+38" });
  assert.deepEqual(digitsOf("9007199254740993", "i64"), { text: "9007199254740993", whole: "9007199254740993" });
  assert.equal(digitsOf(-0, "f32").text, "-0");
  assert.equal(digitsOf(null, "f32").text, "–");
  assert.deepEqual(
    ["NaN", Infinity, -Infinity].map((value) => digitsOf(value, "f32").text),
    ["NaN", "+Inf", "-Inf"],
  );
});

test("a share is written with one decimal, and never rounded to none or all", () => {
  const written = [0, 0.00001, 0.001, 0.1254, 0.57, 0.99999, 1, 3, 20.5].map(percentText);
  const expected = ["0 %", "under 0.1 %", "0.1 %", "12.5 %", "57 %", "99.9 %", "100 %", "300 %", "2,050 %"];
  assert.deepEqual(written, expected);
});
