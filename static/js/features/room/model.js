/**
 * The state of a room without the page: its messages, its leader, and whether this page has left the class.
 *
 * @typedef {object} RoomView
 * @property {import("../../core/types.js").RoomSelf|null} you null before the first welcome
 * @property {RoomState|null} room
 * @property {ClassMember[]} members for the teacher: for a large class only a part
 * @property {import("../../core/types.js").ClassCounts|null} counts
 * @property {import("../../core/types.js").StepProgress[]} progress
 * @property {import("../../core/types.js").PollResultsMessage|null} results of the open poll
 * @property {GivenAnswer|null} sent one's answer
 * @property {boolean} isKept whether the server has stored it
 * @property {GivenAnswer|null} kept the answer that it stored last
 * @property {import("../lesson/refused.js").Refusal|null} refusal the last request, refused
 * @property {boolean} hasEnded
 */
import { countWords, words } from "./lesson.js";
/** @import {ClassMember, GivenAnswer, RoomPosition, RoomServerMessage, RoomState} from "../../core/types.js" */

/** @type {RoomView} */
export const NOTHING = {
  you: null,
  room: null,
  members: [],
  counts: null,
  progress: [],
  results: null,
  sent: null,
  isKept: false,
  kept: null,
  refusal: null,
  hasEnded: false,
};

/** The room after a message of the server. @param {RoomView} view @param {RoomServerMessage} message @returns {RoomView} */
export function hear(view, message) {
  if (message.type === "welcome") return welcomed(view, message);
  if (message.type === "room") return withRoom(view, message.room);
  if (message.type === "class")
    return { ...view, members: message.members, counts: message.counts, progress: message.progress };
  if (message.type === "results") return message.poll === view.room?.poll?.id ? { ...view, results: message } : view;
  if (message.type === "answered") return { ...withKept(view, message), refusal: null };
  if (message.type === "hand") return view.you ? { ...view, you: { ...view.you, hand: message.up } } : view;
  if (message.type === "ended") return { ...view, hasEnded: true };
  // A former leader may not know yet that another page leads.
  if (message.type === "error" && ["chalk", "role"].includes(message.kind)) return view;
  if (message.type !== "error") return view;
  // What was on its way may be what the server refused.
  return { ...(view.isKept ? view : withKept(view, view.kept)), refusal: message };
}

/** @param {RoomView} view @param {GivenAnswer|null} answer @returns {RoomView} */
function withKept(view, answer) {
  const kept = answer && { poll: answer.poll, value: answer.value };
  return { ...view, sent: kept, isKept: kept !== null, kept };
}

/** An answer that the server has not stored is sent again and kept. @param {RoomView} view @param {import("../../core/types.js").RoomWelcomeMessage} message @returns {RoomView} */
function welcomed(view, { you, room }) {
  const isUnkept = view.sent !== null && !view.isKept && view.sent.poll === room.poll?.id;
  const next = withKept(withRoom(view, room), you.answer);
  return { ...next, ...(isUnkept && { sent: view.sent, isKept: false }), you, refusal: null };
}

/** @param {RoomView} view @param {RoomState} room @returns {RoomView} */
function withRoom(view, room) {
  const isSamePoll = view.room?.poll?.id === room.poll?.id;
  return { ...view, room, ...(!isSamePoll && { results: null, sent: null, isKept: false, kept: null }) };
}

/** The position of the class: the teacher's, unless the chalk is lent. @param {RoomView} view @returns {boolean} */
export function isLeading({ you, room }) {
  if (!you || !room) return false;
  return room.chalk === null ? you.role === "owner" : room.chalk === you.name;
}

/** Whether a poll asks here, so that what it asks for is hidden: until its answer is shown, except from the teacher. @param {RoomView} view @returns {boolean} */
export function isAsked({ you, room }) {
  const poll = room?.poll;
  return you?.role !== "owner" && !!poll && !poll.revealed;
}

/** @param {RoomPosition} a @param {RoomPosition} b @returns {boolean} */
export const isSamePlace = (a, b) => FIELDS.every((field) => String(a[field]) === String(b[field]));

const FIELDS = /** @type {const} */ (["run", "step", "process", "tab", "value", "path", "element"]);

/** @param {RoomPosition} a @param {RoomPosition} b @returns {boolean} */
const isSameStep = (a, b) => a.run === b.run && a.step === b.step && a.process === b.process;

/**
 * Detects whether the user has left the class: the page is at another position than the class, and the user has acted
 * since. Without an action the page is still moving there.
 */
export class Way {
  /** @type {RoomPosition|null} */
  target = null;
  hasActed = false;
  hasArrived = false;
  /** of the lesson, if there is one @type {string|null} */
  lessonStep = null;

  /** The page is moving there. @param {RoomPosition} target @param {RoomPosition|null} [here] */
  leadTo(target, here = null) {
    this.target = target;
    this.hasActed = false;
    this.hasArrived = here !== null && isSameStep(here, target);
  }

  /** The user has pressed a key or a button. */
  act() {
    this.hasActed = true;
  }

  /** The page is at this position now. @param {RoomPosition} here @param {string|null} [lessonStep] @returns {boolean} whether the user chose it */
  isLeft(here, lessonStep = this.lessonStep) {
    if (this.target === null) return false;
    if (isSameStep(here, this.target)) this.hasArrived = true;
    else if (this.hasArrived) this.act(); // A page never steps by itself: the key was pressed in the room's controls.
    if (!this.hasActed) return false;
    return lessonStep !== this.lessonStep || !isSamePlace(here, this.target);
  }
}

/** The code in two halves, for reading. @param {string} code @returns {string} */
export const spacedCode = (code) => `${code.slice(0, 4)} ${code.slice(4)}`;

/** An answer in words. @param {import("../../core/types.js").PollValue} value @param {Pick<import("../../core/types.js").RoomPoll, "kind"|"options">} poll @returns {string} */
export function answerWords(value, { kind, options }) {
  if (Array.isArray(value))
    return kind === "step" ? stepWords(value) : kind === "shape" ? shapeWords(value) : `[${value.join(", ")}]`;
  return typeof value === "number" ? (options[value] ?? String(value)) : value;
}

/** A position in the run, in words. @param {readonly number[]} place the process and the position @returns {string} */
export const stepWords = ([process = 0, step = 0]) =>
  process ? words("atStepOfProcess", step, process) : words("atStep", step);

/** As the server has it. @param {readonly number[]} sizes @returns {string} */
export const shapeWords = (sizes) => `(${sizes.join(", ")})`;

/** A typed index: `1, 0`, `[1, 0]`, empty for a scalar. @param {string} text @param {readonly number[]|null} shape @returns {{index: number[]}|{problem: string}} */
export function readIndex(text, shape) {
  const inside = text.trim().replace(/^\[|\]$/g, "");
  const parts = inside.trim() === "" ? [] : inside.split(/[\s,]+/).filter(Boolean);
  if (!parts.every((part) => /^\d+$/.test(part))) return { problem: words("notIndex", text.trim()) };
  const index = parts.map(Number);
  if (shape === null) return { index };
  if (index.length !== shape.length)
    return { problem: words("otherRank", countWords("dimension", "dimensions", shape.length), index.length) };
  const axis = index.findIndex((at, number) => at >= (shape[number] ?? 0));
  if (axis >= 0) return { problem: words("outside", Number(index[axis]), axis, Number(shape[axis])) };
  return { index };
}

/** Members by the step of the program that they are at, the largest group first. @param {readonly ClassMember[]} members @returns {{step: number, run: number, count: number}[]} */
export function placesOf(members) {
  /** @type {Map<string, {step: number, run: number, count: number}>} */
  const places = new Map();
  for (const { position, own } of members) {
    if (own) continue;
    const { run, step } = position;
    const place = places.get(`${run} ${step}`) ?? { run, step, count: 0 };
    places.set(`${run} ${step}`, { ...place, count: place.count + 1 });
  }
  return [...places.values()].sort((a, b) => b.count - a.count || a.run - b.run || a.step - b.step);
}

/** So many steps of the lesson behind the class, one needs help. */
const FAR_BEHIND = 2;
/** Minutes without a sign, of somebody who does not follow. */
const IDLE = 3;

/**
 * Why a member needs help, the strongest reason first: the hand, "I am lost", wrong answers, far behind, idle.
 *
 * @param {ClassMember} member @param {readonly string[]} steps ids of the lesson's steps, in order @param {string|null} at the step of the class
 * @returns {{rank: number, needs: string[], isUp: boolean}} rank: less is more urgent; needs: in words; isUp: the first one is the hand
 */
export function needOf({ hand, lost, away, answers, lesson_step, following, idle }, steps, at) {
  const wrong = Object.values(answers).filter((right) => !right).length;
  const behind = lesson_step && at ? steps.indexOf(at) - steps.indexOf(lesson_step) : 0;
  const reasons = /** @type {[boolean, number, string][]} */ ([
    [hand, 0, words("handUp")],
    [lost, 1, words("isLost")],
    [wrong > 0, 3 - Math.min(wrong, 99) / 100, words("wrongCount", wrong)],
    [behind >= FAR_BEHIND, 4, words("behind", behind)],
    [!away && !following && idle >= IDLE, 5, words("idle", idle)],
    [away, 7, words("away")],
  ]).filter(([holds]) => holds);
  return { rank: reasons[0]?.[1] ?? 6, needs: reasons.map(([, , need]) => need), isUp: hand };
}

/** Members who need help first, then by name. @template {{member: ClassMember, rank: number}} T @param {T[]} members @returns {T[]} */
export const sortedByNeed = (members) =>
  members.sort((a, b) => a.rank - b.rank || inOrder.compare(a.member.name, b.member.name));

const inOrder = new Intl.Collator("en", { numeric: true });
