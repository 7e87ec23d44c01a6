/** The answers in a page, by the paths that the server has them at; some may not be there. */
import { jsonPart, part } from "./parts.js";

/**
 * Pack, offset and length of an answer, and its headers where it has some.
 *
 * @typedef {[number, number, number, Record<string, string>?]} Place
 * @typedef {{complete: boolean, summaries: number, whole: number}} About whether all tensors have a summary, how many have one, how many are here whole
 */

export class Table {
  /** @param {{about: About, answers: Record<string, Place>}} index @param {(name: string) => Promise<Uint8Array<ArrayBuffer>>} read */
  constructor({ about, answers }, read = part) {
    this.about = about;
    this.answers = new Map(Object.entries(answers));
    this.read = read;
  }

  /** Of the page; `mark` is before the names of the parts of a run that is not the first. @param {string} [mark] @returns {Promise<Table>} */
  static async ofPage(mark = "") {
    return new Table(await jsonPart(`${mark}index`), (name) => part(`${mark}${name}`));
  }

  /** @param {string} path */
  has(path) {
    return this.answers.has(path);
  }

  /** The answer, in bytes of its own; null where it is not here. @param {string} path @returns {Promise<ArrayBuffer|null>} */
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

  /** What the server would say. @param {string} path @returns {Promise<Response|null>} */
  async response(path) {
    const bytes = await this.bytes(path);
    return bytes && new Response(bytes, { headers: this.headers(path) });
  }
}
