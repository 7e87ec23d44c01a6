/** The processor time of the graph's tree and layout, for tests/bench/graph.py: program and names as JSON come in on standard input. */
import { readFileSync } from "node:fs";
import { Program } from "../../static/js/core/run/program.js";
import { readNames } from "../../static/js/core/run/scopes.js";
import { arrange } from "../../static/js/features/graph/arrange.js";
import { wholeProgram } from "../../static/js/features/graph/nest.js";
import { Parts } from "../../static/js/features/graph/parts.js";
import { nodesOf, openAtFirst } from "../../static/js/features/graph/state.js";

const { info, names, text, entry, repetitions } = JSON.parse(readFileSync(0, "utf-8"));

/** @param {boolean} isWhole @returns {{ms: number, nodes: number}} of a fresh program */
function timed(isWhole) {
  const program = new Program(info);
  const begin = process.cpuUsage();
  const parts = new Parts(program, text, names.rests.length > 0 ? readNames(names) : null);
  const open = isWhole ? null : openAtFirst(parts, entry);
  const root = wholeProgram(parts, entry, (key) => open?.has(key) ?? true);
  arrange(parts, root);
  const { user, system } = process.cpuUsage(begin);
  return { ms: (user + system) / 1000, nodes: nodesOf(root).length };
}

/** @param {boolean} isWhole */
function median(isWhole) {
  const all = Array.from({ length: repetitions }, () => timed(isWhole)).sort((one, other) => one.ms - other.ms);
  return all[Math.floor(all.length / 2)];
}

console.log(JSON.stringify({ first: median(false), whole: info.ops.length < 10_000 ? median(true) : null }));
