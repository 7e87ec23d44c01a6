/**
 * What a page that is a file answers to paths: for tests of app/export/one_file, which compare it with a server's answers.
 *
 *     echo '{"session": …, "sources": …, "index": …, "packs": {name: base64}, "paths": […]}' | node one_file_answers.mjs
 *
 * prints `{path: {status, body: base64, headers}}`. Packs are not deflated. A search is gone on with to its end.
 */
import { readFileSync } from "node:fs";
import { fileSource } from "../../static/js/core/one_file/file_source.js";
import { Table } from "../../static/js/core/one_file/file_source.js";

const given = JSON.parse(readFileSync(0, "utf8"));
const read = async (name) => Uint8Array.from(Buffer.from(given.packs[name], "base64"));
const source = fileSource({
  session: given.session,
  sources: given.sources,
  table: new Table(given.index, read),
  others: [],
  lessons: null,
});

/** All hits of a search, as one answer. */
async function searched(path) {
  const hits = [];
  for (let next = 0; next !== null;) {
    const response = await source.fetch(path.replace("from=0", `from=${next}`), {});
    if (!response.ok) return response;
    const found = await response.json();
    hits.push(...found.hits);
    next = found.next;
  }
  return new Response(JSON.stringify({ hits }));
}

const answers = {};
for (const path of given.paths) {
  const response = await (path.includes("/search?") ? searched(path) : source.fetch(path, {}));
  const body = Buffer.from(await response.arrayBuffer()).toString("base64");
  const headers = Object.fromEntries([...response.headers].filter(([name]) => name.startsWith("x-")));
  answers[path] = { status: response.status, body, headers };
}
process.stdout.write(JSON.stringify(answers));
