/**
 * The source of a saved page: returns what the server would return for the same paths, and refuses other requests with
 * a sentence, as the server does.
 *
 * @typedef {{run: import("../types.js").RunInfo, table: Table}} OtherRun
 * @typedef {{session: import("../types.js").SessionInfo, sources: Record<string, string>, table: Table,
 *   others: OtherRun[], lessons: Record<string, import("../types.js").LessonInfo>|null}} Contents
 *   others: the second run and those after it, where the page has several programs; lessons: a lesson about them, by language
 * @typedef {(query: URLSearchParams, match: string[]) => Promise<Response|null>} Answerer null: not in this file
 */
import { elementOf } from "../tensor/axes.js";
import { elementAt, elementText } from "../tensor/elements.js";
import { compareValues, jointRange } from "./comparison.js";
import { differenceInfo, differenceValue } from "./difference.js";
import { hasPart, jsonPart, part } from "./parts.js";
import { search } from "./search.js";
import { isBad, placesOf, Refusal, wholeValue } from "./values.js";
import { cutWindow, oneAfterAnother, viewOf } from "./windows.js";
/** @import {Source} from "../source.js" */

/** @param {Table} table */
const absent = ({ about }) =>
  `This is not in this file: ${about.left_out || "it has what fitted into it"}. Open it with hloscope serve, or drop it on the opening page of hloscope, and everything is recorded again.`;

/** Read the contents of the page. @returns {Promise<Contents>} */
export async function contentsOfPage() {
  const [session, sources, table] = await Promise.all([jsonPart("session"), jsonPart("sources"), Table.ofPage()]);
  const lessons = hasPart("lessons") ? await jsonPart("lessons") : null;
  return { session, sources, table, others: await otherRuns(), lessons };
}

/** The runs after the first: `run-2` and the table whose parts begin with `run-2-`, and so on. @returns {Promise<OtherRun[]>} */
async function otherRuns() {
  /** @type {OtherRun[]} */
  const found = [];
  for (let name = "run-2"; hasPart(name); name = `run-${found.length + 2}`) {
    const [run, table] = await Promise.all([jsonPart(name), Table.ofPage(`${name}-`)]);
    found.push({ run, table });
  }
  return found;
}

/** @param {unknown} value */
const json = (value) => new Response(JSON.stringify(value), { headers: { "Content-Type": "application/json" } });

/** @param {number} status @param {string} kind @param {string} message */
const refused = (status, kind, message) => new Response(JSON.stringify({ error: { message, kind } }), { status });

/** @param {Contents} contents @returns {Source} */
export function fileSource(contents) {
  const answerers = answerersOf(contents);
  return {
    isFile: true,
    hasEngine: false,
    isWhole: [contents, ...contents.others].every(({ table }) => isWholeTable(table)),
    fetch: async (path, { method = "GET" }) => {
      // Only a server stores the position and edits.
      if (method === "PUT") return new Response(null, { status: 204 });
      try {
        return (
          (method === "GET" && (await answered(path, answerers))) || refused(404, "not_in_file", absent(contents.table))
        );
      } catch (error) {
        if (error instanceof Refusal) return refused(422, "request", error.message);
        throw error;
      }
    },
    follow: (_session, _onMessage, onChange) => {
      queueMicrotask(() => onChange(""));
      return { send: () => {}, close: () => {} };
    },
  };
}

/** @param {Table} table */
const isWholeTable = ({ about }) => !about.left_out && about.whole === about.summaries;

/** @param {string} path @param {[RegExp, Answerer][]} answerers */
async function answered(path, answerers) {
  const [name = "", query = ""] = path.split("?");
  const said = new URLSearchParams(query);
  for (const [form, answer] of answerers) {
    const match = form.exec(decodeURIComponent(name));
    if (match) return answer(said, match.slice(1));
  }
  return null;
}

/** A path with its query parameters sorted, as in the table. @param {string} name @param {URLSearchParams} query */
function inTable(name, query) {
  const said = [...query].map(([key, value]) => `${key}=${value}`).sort();
  return said.length > 0 ? `${name}?${said.join("&")}` : name;
}

/** @param {URLSearchParams} query @returns {string[]} */
const addressesOf = (query) => (query.get("addresses") ?? "").split(",").filter(Boolean);

/** @param {Contents} contents @returns {[RegExp, Answerer][]} the first that fits answers */
function answerersOf({ session, sources, table, others, lessons }) {
  const runs = [session.run, ...others.map(({ run }) => run)];
  return [
    [/^\/api\/sessions\/[^/]+$/, async () => json(session)],
    [
      /^\/api\/sessions\/[^/]+\/runs\/(\d+)$/,
      async (_query, [number]) => json(runs.find((run) => String(run?.number) === number) ?? session.run),
    ],
    [/^\/api\/lessons\/[^/]+$/, async (query) => lessons && json(inLanguage(lessons, query.get("language")))],
    [/^\/api\/source$/, async (query) => json(sourceText(sources, query.get("file") ?? ""))],
    [
      /^(\/api\/ops(?:\/.*)?)$/,
      async (_query, [path = ""]) => opsOf([table, ...others.map((other) => other.table)], path),
    ],
    ...differenceAnswerers([
      { key: session.run?.key ?? "", table },
      ...others.map((other) => ({ key: other.run.key, table: other.table })),
    ]),
    ...others.flatMap(({ run, table: own }) => recordingAnswerers(run.key, own)),
    ...recordingAnswerers("[^/]+", table),
  ];
}

/** @param {Record<string, import("../types.js").LessonInfo>} lessons @param {string|null} language */
const inLanguage = (lessons, language) => lessons[language ?? ""] ?? Object.values(lessons)[0];

/** The reference entries of the ops of a run. @param {Table[]} tables @param {string} path @returns {Promise<Response|null>} */
async function opsOf(tables, path) {
  if (path !== "/api/ops") return tables.find((table) => table.has(path))?.response(path) ?? null;
  const lists = await Promise.all(tables.map((table) => table.json(path)));
  const all = new Map(lists.flat().map((op) => [op?.name, op]));
  return json([...all.values()].filter(Boolean));
}

/**
 * Answers about the difference of two values, of one run or of two.
 *
 * @param {{key: string, table: Table}[]} runs @returns {[RegExp, Answerer][]}
 */
function differenceAnswerers(runs) {
  const path = (/** @type {string} */ part) => new RegExp(`^/api/recordings/([^/]+)/comparison/${part}$`);
  const pair = async (/** @type {URLSearchParams} */ query, /** @type {string|undefined} */ key) => {
    const tableOf = (/** @type {string|null|undefined} */ wanted) =>
      (runs.find((run) => run.key === wanted) ?? runs[0])?.table;
    const [table, other] = [tableOf(key), tableOf(query.get("with"))];
    const one = table && (await wholeValue(table, query.get("address") ?? ""));
    const two = other && (await wholeValue(other, query.get("other_address") ?? ""));
    if (!one || !two) return null;
    const measure = /** @type {import("../addresses.js").Measure} */ (query.get("measure") ?? "absolute");
    return { one, two, apart: differenceValue(one, two, measure) };
  };
  return [
    [
      path("difference"),
      async (query, [key]) => {
        const found = await pair(query, key);
        return found && json(differenceInfo(found.apart, found.one, found.two));
      },
    ],
    [
      path("window"),
      async (query, [key]) => {
        const found = await pair(query, key);
        return found && new Response(cutWindow(found.apart, viewOf(query)));
      },
    ],
  ];
}

/** @param {string} key the form of it @param {Table} table @returns {[RegExp, Answerer][]} */
function recordingAnswerers(key, table) {
  const recording = (/** @type {string} */ form) => new RegExp(`^/api/recordings/${key}/${form}$`);
  return [
    [recording("thumbnails"), (query) => several(table, "thumbnails", addressesOf(query))],
    [recording("summaries"), (query) => several(table, "values", addressesOf(query))],
    [recording("windows"), (query) => windows(table, query.getAll("window"))],
    [recording("values/([^/]+)/window"), (query, [address = ""]) => window(table, address, query)],
    [recording("values/([^/]+)/nonfinite"), (query, [address = ""]) => nonfinite(table, address, query)],
    [recording("search"), async (query) => json(await search(table, query))],
    [recording("findings"), () => table.response("findings")],
    [recording("findings/origin"), (query) => origin(table, query)],
    [recording("grid/compare"), (query) => comparison(table, addressesOf(query))],
    [recording("grid/range"), (query) => range(table, addressesOf(query))],
    [recording("grid/strips"), (query) => strips(table, query)],
    [recording("maps/(\\d+)/found"), (query, [op = ""]) => found(table, op, query)],
    [recording("(.+)"), (query, [path = ""]) => table.response(inTable(path, query))],
  ];
}

/** @param {Record<string, string>} sources @param {string} file @returns {import("../types.js").SourceText} */
function sourceText(sources, file) {
  const text = sources[file];
  if (text === undefined) return { file, lines: null, reason: "The file is not in this page." };
  return { file, lines: text.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n"), reason: null };
}

/** Summaries or thumbnails of several values, by address. @param {Table} table @param {"thumbnails"|"values"} what @param {string[]} addresses */
async function several(table, what, addresses) {
  const all = await Promise.all(
    addresses.map(async (address) => /** @type {const} */ ([address, await table.json(`${what}/${address}`)])),
  );
  return json(Object.fromEntries(all.filter(([, info]) => info !== null)));
}

/** @param {Table} table @param {string} address @param {URLSearchParams} query */
async function window(table, address, query) {
  const value = await wholeValue(table, address);
  return value && new Response(cutWindow(value, viewOf(query)));
}

/** Several windows, each preceded by its length: see app/answers/values.py. @param {Table} table @param {string[]} names */
async function windows(table, names) {
  const all = await Promise.all(
    names.map(async (name) => {
      const [address = "", rows = "", columns = "", at = "", from = "", size = "", level = ""] = name.split(";");
      const value = await wholeValue(table, address);
      const view = viewOf(new URLSearchParams({ rows, columns, at, from, size, level }));
      return value ? cutWindow(value, view) : new ArrayBuffer(0);
    }),
  );
  return new Response(oneAfterAnother(all));
}

/** The nearest non-finite element; the search wraps around at the end. @param {Table} table @param {string} address @param {URLSearchParams} query */
async function nonfinite(table, address, query) {
  const value = await wholeValue(table, address);
  if (!value) return null;
  const { summary, plane } = value;
  const places = placesOf(value, (index) => isBad(value, index));
  if (places.length === 0) return json({ index: null, text: "", number: 0, count: 0 });
  const after = Number(query.get("after") ?? -1);
  const before = places.filter((place) => place < after).length;
  const upTo = places.filter((place) => place <= after).length;
  const wanted = query.get("direction") === "back" ? before - 1 : upTo;
  const at = (wanted + places.length) % places.length;
  const place = places[at] ?? 0;
  const text = elementText(elementAt(plane, summary.wire, place), summary.elementType, summary.wire);
  return json({ index: elementOf(summary.shape, place), text, number: at + 1, count: places.length });
}

/** The nearest step at which a non-finite value arises. @param {Table} table @param {URLSearchParams} query */
async function origin(table, query) {
  const process = Number(query.get("process") ?? 0);
  /** @type {{forward: import("../types.js").OriginStop[], back: import("../types.js").OriginStop[]}|null} */
  const stops = await table.json(process === 0 ? "findings/origins" : `findings/origins?process=${process}`);
  const step = Number(query.get("step"));
  const isBack = query.get("direction") === "back";
  const found = isBack
    ? stops?.back.findLast((stop) => stop.step < step)
    : stops?.forward.find((stop) => stop.step > step);
  return json(found ?? null);
}

/** @param {Table} table @param {string[]} addresses */
async function comparison(table, addresses) {
  const values = await Promise.all(addresses.map((address) => wholeValue(table, address)));
  const here = values.flatMap((value) => (value ? [value] : []));
  return here.length === values.length ? json(compareValues(here)) : null;
}

/** @param {Table} table @param {string[]} addresses */
async function range(table, addresses) {
  const summaries = await Promise.all(addresses.map((address) => table.json(`values/${address}`)));
  return summaries.includes(null) ? null : json(jointRange(summaries));
}

/** @param {Table} table @param {URLSearchParams} query */
async function strips(table, query) {
  const path = `grid/strips?team=${query.get("team") ?? 0}`;
  const bytes = await table.bytes(path);
  const kept = Number(table.headers(path)["X-Columns"]);
  return bytes && new Response(resampled(new Uint8Array(bytes), kept, Number(query.get("columns"))));
}

/** A part of what an op computed at a step. @param {Table} table @param {string} op @param {URLSearchParams} query */
async function found(table, op, query) {
  const named = new URLSearchParams([...query].filter(([name]) => ["number", "process", "step"].includes(name)));
  if (!named.has("process")) named.set("process", "0");
  const path = inTable(`maps/${op}/found`, named);
  const bytes = await table.bytes(path);
  const [start, count] = [Number(query.get("start") ?? 0), Number(query.get("count") ?? 1 << 16)];
  return bytes && new Response(bytes.slice(8 * start, 8 * (start + count)), { headers: table.headers(path) });
}

/**
 * The share of each column, rounded up so that short runs stay visible.
 *
 * @param {Uint8Array} strips process by process @param {number} kept columns of each @param {number} wanted
 * @returns {Uint8Array<ArrayBuffer>}
 */
function resampled(strips, kept, wanted) {
  const processes = strips.length / kept;
  const found = new Uint8Array(processes * wanted);
  for (let process = 0; process < processes; process++) {
    const row = strips.subarray(process * kept, (process + 1) * kept);
    for (let column = 0; column < wanted; column++) {
      const share = meanOf(row, (column * kept) / wanted, ((column + 1) * kept) / wanted);
      found[process * wanted + column] = Math.ceil(share - 1e-9);
    }
  }
  return found;
}

/** @param {Uint8Array} row @param {number} from @param {number} to @returns {number} */
function meanOf(row, from, to) {
  let total = 0;
  for (let at = Math.floor(from); at < Math.min(Math.ceil(to), row.length); at++)
    total += (row[at] ?? 0) * (Math.min(to, at + 1) - Math.max(from, at));
  return total / (to - from);
}

/**
 * Pack, offset and length of an answer, and its headers if it has any.
 *
 * @typedef {[number, number, number, Record<string, string>?]} Place
 * @typedef {{left_out: string, summaries: number, whole: number}} About why values have no summary, or empty; how many have one, how many are here whole
 */

export class Table {
  /** @param {{about: About, answers: Record<string, Place>}} index @param {(name: string) => Promise<Uint8Array<ArrayBuffer>>} read */
  constructor({ about, answers }, read = part) {
    this.about = about;
    this.answers = new Map(Object.entries(answers));
    this.read = read;
  }

  /** The table of a run; `mark` is the prefix of its parts. @param {string} [mark] @returns {Promise<Table>} */
  static async ofPage(mark = "") {
    return new Table(await jsonPart(`${mark}index`), (name) => part(`${mark}${name}`));
  }

  /** @param {string} path */
  has(path) {
    return this.answers.has(path);
  }

  /** The bytes of the answer; null if it is not in this file. @param {string} path @returns {Promise<ArrayBuffer|null>} */
  async bytes(path) {
    const place = this.answers.get(path);
    if (!place) return null;
    const [pack, start, length] = place;
    return (await this.read(`pack-${pack}`)).slice(start, start + length).buffer;
  }

  /** @param {string} path @returns {Promise<any>} null where it is not here */
  async json(path) {
    const bytes = await this.bytes(path);
    return bytes && JSON.parse(new TextDecoder().decode(bytes));
  }

  /** @param {string} path @returns {Record<string, string>} */
  headers(path) {
    return this.answers.get(path)?.[3] ?? {};
  }

  /** The response that the server would send. @param {string} path @returns {Promise<Response|null>} */
  async response(path) {
    const bytes = await this.bytes(path);
    return bytes && new Response(bytes, { headers: this.headers(path) });
  }
}
