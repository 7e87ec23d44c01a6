/** Reads programs from the windows of their tables, and fails where one differs from its table. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Program } from "../../static/js/core/run/program.js";
import { programTable } from "../../static/js/core/run/program_table.js";

const OP = ["id", "name", "opcode", "family", "line", "column", "endLine", "from", "to", "operands", "results"];
const FIELDS = {
  ops: [...OP, "block", "regions", "location", "summary"],
  values: ["id", "name", "type", "layout", "elements", "shape", "elementType"],
  blocks: ["id", "function", "opener", "region", "arguments", "ops"],
};

/** @param {any} row @param {readonly string[]} fields */
const fieldsOf = (row, fields) => Object.fromEntries(fields.map((name) => [name, row[name]]));

for (const { text, windows, table } of JSON.parse(readFileSync(0, "utf8"))) {
  const read = programTable(windows, text);
  for (const [name, fields] of Object.entries(FIELDS))
    assert.deepEqual(
      /** @type {any} */ (read)[name].map((/** @type {any} */ row) => fieldsOf(row, fields)),
      table[name].map((/** @type {any} */ row) => fieldsOf(row, fields)),
    );
  for (const name of ["language", "functions", "parameters", "argumentNames", "begin"])
    assert.deepEqual(/** @type {any} */ (read)[name], table[name]);
  const program = new Program(read);
  for (const [line, ops] of Object.entries(table.lines)) assert.deepEqual(program.opsOn(Number(line)), ops);
  for (const { id, block, results } of table.ops)
    results.forEach((/** @type {number} */ value, /** @type {number} */ index) =>
      assert.deepEqual(program.definition(value), { block, op: id, index }),
    );
  for (const block of table.blocks)
    block.arguments.forEach((/** @type {number} */ value, /** @type {number} */ index) =>
      assert.deepEqual(program.definition(value), { block: block.id, op: null, index }),
    );
}
