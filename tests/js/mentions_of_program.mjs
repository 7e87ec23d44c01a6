/** Reads programs and their texts, and writes the words that the page finds for each value and function. */
import { readFileSync } from "node:fs";
import { mentionsOf } from "../../static/js/core/run/mentions.js";
import { Program } from "../../static/js/core/run/program.js";

const found = JSON.parse(readFileSync(0, "utf8")).map(({ text, table }) => {
  const program = new Program(table);
  const referents = [
    ...program.values.map(({ id }) => ({ value: id })),
    ...program.functions.map(({ name }) => ({ function: name })),
  ];
  return referents.map((referent) => mentionsOf(program, text, referent).map(({ from, to }) => [from, to]));
});
process.stdout.write(JSON.stringify(found));
