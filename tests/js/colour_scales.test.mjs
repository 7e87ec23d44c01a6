/** The rule of colours, in the page, with the cases that tests/app/present/test_colours.py proves of the server. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { automaticMap, cssColour, lookupTable } from "../../static/js/drawing/colour_maps.js";
import { coloursIn, paint } from "../../static/js/drawing/paint.js";
import { AUTOMATIC, scaleFor } from "../../static/js/drawing/scale.js";
import { inlineSource } from "../../static/js/ui/tensor_grid/sources.js";

const { maps, tensors } = JSON.parse(readFileSync(new URL("../colour_scales.json", import.meta.url), "utf8"));
const LEVELS = [0, 37, 124, 125, 201, 250, 253, 254, 255];

/** `#rrggbb`. @param {number|undefined} pixel */
const hexOf = (pixel) =>
  `#${(cssColour(pixel ?? 0).match(/\d+/g) ?? []).map((channel) => Number(channel).toString(16).padStart(2, "0")).join("")}`;

/** @param {string} dtype @returns {import("../../static/js/core/tensor/elements.js").Kind} */
const kindOf = (dtype) =>
  dtype === "bool"
    ? "boolean"
    : dtype.startsWith("int")
      ? "integer"
      : dtype.startsWith("complex")
        ? "complex"
        : "float";

/** @param {string} dtype @returns {(element: any) => number} */
const numberOf = (dtype) => (element) =>
  Array.isArray(element)
    ? Math.hypot(...element)
    : dtype === "float32"
      ? Math.fround(Number(element))
      : Number(element);

test("the colour maps are those of the server", () => {
  for (const [map, colours] of Object.entries(maps)) {
    const table = lookupTable(/** @type {any} */ (map));
    assert.deepEqual(
      LEVELS.map((level) => hexOf(table[level])),
      colours,
      map,
    );
  }
});

for (const { name, dtype, elements, map, scale, lastColours } of tensors)
  test(`${name}: the scale and the colours are those of the server`, () => {
    const values = Float64Array.from(elements, numberOf(dtype));
    const named = { name, type: "", shape: [values.length], elementType: "f64" };
    const { statistics, spread } = inlineSource({ ...named, values });
    const found = scaleFor(statistics, kindOf(dtype), AUTOMATIC, "abs", spread);
    assert.equal(automaticMap(found), map);
    assert.deepEqual([found.low, found.high, found.shape], [Number(scale.low), Number(scale.high), scale.shape]);
    const header = { height: 1, width: values.length, wire: { dtype: "f64", components: 1 } };
    const pixels = paint(/** @type {any} */ ({ header, planes: { value: values } }), coloursIn(found));
    assert.deepEqual([...pixels].slice(-7).map(hexOf), lastColours);
  });
