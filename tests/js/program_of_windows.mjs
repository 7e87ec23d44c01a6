/** Reads programs from the windows of their tables, and fails where one differs from its table. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Missing } from "../../static/js/core/run/outline.js";
import { Program } from "../../static/js/core/run/program.js";
import { programTable, rowsOf } from "../../static/js/core/run/program_table.js";

const OP = ["id", "name", "opcode", "family", "line", "column", "endLine", "from", "to", "operands", "results"];
const FIELDS = {
  ops: [...OP, "block", "regions", "location", "summary"],
  values: ["id", "name", "type", "layout", "elements", "shape", "elementType"],
  blocks: ["id", "function", "opener", "region", "arguments", "ops"],
};

/** @param {any} row @param {readonly string[]} fields */
const fieldsOf = (row, fields) => Object.fromEntries(fields.map((name) => [name, row[name]]));

/** The rows of some windows are those of the table; what the others have is missing. @param {any} windows @param {string} text @param {any} table */
function checkPart(windows, text, table) {
  const rows = rowsOf(windows[0]);
  const part = [...windows];
  delete part[1];
  const program = new Program(programTable(part, text), false);
  table.ops.forEach((/** @type {any} */ op) => {
    if (Math.floor(op.id / rows) === 1) return assert.throws(() => program.op(op.id), Missing);
    assert.deepEqual(fieldsOf(program.op(op.id), FIELDS.ops), fieldsOf(op, FIELDS.ops));
    assert.ok(program.opsOn(op.line).includes(op.id));
    for (const value of op.results)
      if (Math.floor(value / rows) !== 1) assert.equal(program.definition(value).op, op.id);
  });
  table.values.forEach((/** @type {any} */ { id, name }) => {
    if (Math.floor(id / rows) === 1) assert.throws(() => program.value(id), Missing);
    else assert.equal(program.value(id).name, name);
  });
}

for (const { text, windows, table } of JSON.parse(readFileSync(0, "utf8"))) {
  const read = programTable(windows, text);
  for (const [name, fields] of Object.entries(FIELDS))
    assert.deepEqual(
      /** @type {any} */ (read)[name].map((/** @type {any} */ row) => fieldsOf(row, fields)),
      table[name].map((/** @type {any} */ row) => fieldsOf(row, fields)),
    );
  for (const name of ["language", "functions", "parameters", "argumentNames", "begin"])
    assert.deepEqual(/** @type {any} */ (read)[name], table[name]);
  if (windows.length > 1) checkPart(windows, text, table);
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
