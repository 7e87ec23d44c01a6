/** Evaluates index maps that a Python test hands over as JSON, for comparison with the engine's own evaluation. */
import { imageOf } from "../../static/js/core/indexing/maps.js";
import { contains, count, indicesIn } from "../../static/js/core/indexing/regions.js";

/** @param {Record<string, {shape: number[], values: number[]}>} operands */
function valuesOf(operands) {
  return {
    shapeOf: (number) => operands[number]?.shape ?? [],
    at: (number, index) =>
      operands[number]?.values[index.reduce((place, at, axis) => place * operands[number].shape[axis] + at, 0)],
  };
}

function answer({ map, place, box, shape, operands }) {
  const region = imageOf(map, place, box, shape, valuesOf(operands), 1 << 20);
  if (region === null) return null;
  const found = new Map();
  for (const part of region.parts) for (const index of indicesIn(part)) found.set(index.join(), index);
  const elements = [...found.values()];
  return {
    complete: region.complete,
    count: count(region).count,
    contained: elements.every((index) => contains(region, index)),
    elements,
  };
}

let text = "";
for await (const chunk of process.stdin) text += chunk;
process.stdout.write(JSON.stringify(JSON.parse(text).map(answer)));
