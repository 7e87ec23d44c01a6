/**
 * The film of an op: elements move from operands into the result, one result element after another, and partial
 * results are accumulated. Its position is an element, one of its beats, and how far the beat has come.
 */
import { signal } from "@preact/signals";
import { sendJson } from "../../core/api.js";
import { elementOf } from "../../core/tensor/axes.js";
import { beatsOf } from "./arithmetic.js";
/** @import {Beat} from "./arithmetic.js" */
/** @import {Derivation} from "../../core/types.js" */

/** Maximum number of elements in one request, which the server limits. */
const BLOCK = 64;

/** @typedef {{element: number, beat: number, phase: number}} Position */

export class Film {
  /**
   * @param {{op: string, operands: any, fields: any}} form @param {number} process @param {number} result @param {number[]} shape
   * @param {typeof sendJson} [send]
   */
  constructor(form, process, result, shape, send = sendJson) {
    this.form = form;
    this.process = process;
    this.result = result;
    this.shape = shape;
    this.count = shape.reduce((count, size) => count * size, 1);
    this.send = send;
    /** Null: the whole result is shown. */
    this.position = signal(/** @type {Position|null} */ (null));
    /** Grows when derivations arrive. */
    this.arrived = signal(0);
    this.failure = signal("");
    /** @type {Map<number, Derivation>} */
    this.derivations = new Map();
    /** @type {Map<number, Promise<void>>} */
    this.requests = new Map();
  }

  /** The derivation of an element; null while it is on its way. @param {number} element @returns {Derivation|null} */
  derivation(element) {
    const known = this.derivations.get(element);
    if (!known) void this.load(element);
    return known ?? null;
  }

  /** @param {number} element @returns {Beat[]|null} */
  beats(element) {
    const known = this.derivation(element);
    return known && beatsOf(known);
  }

  /** Request the block of an element, once. @param {number} element @returns {Promise<void>} */
  load(element) {
    const first = element - (element % BLOCK);
    const known = this.requests.get(first);
    if (known) return known;
    const numbers = Array.from({ length: Math.min(BLOCK, this.count - first) }, (_, at) => first + at);
    const elements = numbers.map((number) => elementOf(this.shape, number));
    const request = this.send("/api/playground", {
      ...this.form,
      derive: { process: this.process, result: this.result, elements },
    }).then(
      (answer) => {
        (answer.derivations ?? []).forEach((/** @type {Derivation} */ each, /** @type {number} */ at) =>
          this.derivations.set(first + at, each),
        );
        this.arrived.value++;
      },
      (error) => {
        this.requests.delete(first);
        this.failure.value = error instanceof Error ? error.message : String(error);
      },
    );
    this.requests.set(first, request);
    return request;
  }

  /** The last position: everything is there. @returns {Position} */
  get end() {
    return { element: this.count - 1, beat: Math.max(0, (this.beats(this.count - 1)?.length ?? 1) - 1), phase: 1 };
  }

  /** Begin an element, with nothing of it there. @param {number} element */
  seek(element) {
    this.position.value = { element: Math.max(0, Math.min(this.count - 1, element)), beat: 0, phase: 0 };
  }

  /** Finish this beat, or else the next one. */
  stepForward() {
    const at = this.position.peek();
    if (!at) this.position.value = { element: 0, beat: 0, phase: 1 };
    else if (at.phase < 1) this.position.value = { ...at, phase: 1 };
    else this.move(1);
  }

  /** Undo this beat, or else the one before. */
  stepBack() {
    const at = this.position.peek() ?? this.end;
    if (at.phase > 0) this.position.value = { ...at, phase: 0 };
    else {
      this.position.value = at;
      this.move(-1);
    }
  }

  /**
   * Move by a fraction of a beat or by beats, forwards or backwards; waits for derivations that are on their way.
   *
   * @param {number} beats @returns {boolean} whether there was anywhere to go
   */
  move(beats) {
    let { element, beat, phase } = this.position.peek() ?? (beats > 0 ? { element: 0, beat: 0, phase: 0 } : this.end);
    phase += beats;
    while (phase > 1) {
      const known = this.beats(element);
      if (!known) return true;
      if (beat + 1 < known.length) beat++;
      else if (element + 1 < this.count) [element, beat] = [element + 1, 0];
      else {
        this.position.value = this.end;
        return false;
      }
      phase -= 1;
    }
    while (phase < 0) {
      if (beat > 0) beat--;
      else if (element > 0) {
        const before = this.beats(element - 1);
        if (!before) return true;
        [element, beat] = [element - 1, before.length - 1];
      } else {
        this.position.value = { element: 0, beat: 0, phase: 0 };
        return false;
      }
      phase += 1;
    }
    this.position.value = { element, beat, phase };
    return true;
  }
}
