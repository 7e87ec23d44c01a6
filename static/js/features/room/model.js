/**
 * A room as this page knows it, without a page: what changes it, who leads, and when one has left the class's way.
 *
 * @typedef {object} RoomView
 * @property {import("../../core/types.js").RoomSelf|null} you null before the first welcome
 * @property {RoomState|null} room
 * @property {ClassMember[]} members for the teacher: of a large class not all
 * @property {import("../../core/types.js").ClassCounts|null} counts
 * @property {import("../../core/types.js").StepProgress[]} progress
 * @property {import("../../core/types.js").PollResultsMessage|null} results of the poll that there is
 * @property {GivenAnswer|null} sent one's answer
 * @property {boolean} isKept whether the server has it
 * @property {string} refusal what was asked for last and cannot be
 * @property {boolean} hasEnded
 */
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
  refusal: "",
  hasEnded: false,
};

/** The room after a word of the server. @param {RoomView} view @param {RoomServerMessage} message @returns {RoomView} */
export function hear(view, message) {
  if (message.type === "welcome") return welcomed(view, message);
  if (message.type === "room") return withRoom(view, message.room);
  if (message.type === "class")
    return { ...view, members: message.members, counts: message.counts, progress: message.progress };
  if (message.type === "results") return message.poll === view.room?.poll?.id ? { ...view, results: message } : view;
  if (message.type === "answered")
    return { ...view, sent: { poll: message.poll, value: message.value }, isKept: true, refusal: "" };
  if (message.type === "hand") return view.you ? { ...view, you: { ...view.you, hand: message.up } } : view;
  if (message.type === "ended") return { ...view, hasEnded: true };
  // Who has led a moment ago may not have heard yet that another one does.
  if (message.type === "error" && ["chalk", "role"].includes(message.kind)) return view;
  if (message.type === "error") return { ...view, refusal: [message.message, message.hint].filter(Boolean).join(" ") };
  return view;
}

/** What one has answered and the server has not kept yet is sent again, and stays. @param {RoomView} view @param {import("../../core/types.js").RoomWelcomeMessage} message @returns {RoomView} */
function welcomed(view, { you, room }) {
  const isUnkept = view.sent !== null && !view.isKept && view.sent.poll === room.poll?.id;
  const answer = isUnkept ? { sent: view.sent, isKept: false } : { sent: you.answer, isKept: you.answer !== null };
  return { ...withRoom(view, room), ...answer, you, refusal: "" };
}

/** @param {RoomView} view @param {RoomState} room @returns {RoomView} */
function withRoom(view, room) {
  const isSamePoll = view.room?.poll?.id === room.poll?.id;
  return { ...view, room, ...(!isSamePoll && { results: null, sent: null, isKept: false }) };
}

/** Whose step is the class's: the teacher's, unless the chalk is lent. @param {RoomView} view @returns {boolean} */
export function isLeading({ you, room }) {
  if (!you || !room) return false;
  return room.chalk === null ? you.role === "owner" : room.chalk === you.name;
}

/** Whether what a poll asks for is covered here. @param {RoomView} view @returns {boolean} */
export function isCovered({ you, room }) {
  const poll = room?.poll;
  return you?.role !== "owner" && !!poll && !poll.revealed && poll.kind !== "cell" && poll.target !== null;
}

/** Whether what an element was made of is covered here: the class is asked for it. @param {RoomView} view @returns {boolean} */
export function isWayCovered({ you, room }) {
  const poll = room?.poll;
  return you?.role !== "owner" && !!poll && !poll.revealed && poll.kind === "cell" && poll.target !== null;
}

/** @param {RoomPosition} a @param {RoomPosition} b @returns {boolean} */
export const isSamePlace = (a, b) => FIELDS.every((field) => String(a[field]) === String(b[field]));

const FIELDS = /** @type {const} */ (["run", "step", "process", "tab", "value", "path", "element"]);

/**
 * Knows whether one has left the way of the class: the page is elsewhere than where it was led, and its user has done
 * something since. Without that it is only on its way.
 */
export class Way {
  /** @type {RoomPosition|null} */
  target = null;
  hasActed = false;
  /** Of the lesson, if there is one. @type {string|null} */
  lessonStep = null;

  /** The page is being led there. @param {RoomPosition} target */
  leadTo(target) {
    this.target = target;
    this.hasActed = false;
  }

  /** Somebody has pressed a key or a button in the page. */
  act() {
    this.hasActed = true;
  }

  /** The page is here now. @param {RoomPosition} here @param {string|null} [lessonStep] @returns {boolean} whether that is a way of one's own */
  isLeft(here, lessonStep = this.lessonStep) {
    if (!this.hasActed || this.target === null) return false;
    return lessonStep !== this.lessonStep || !isSamePlace(here, this.target);
  }
}

/** The code in two halves, as one reads it. @param {string} code @returns {string} */
export const spacedCode = (code) => `${code.slice(0, 3)} ${code.slice(3)}`;

/** @param {number} number @param {string} one @param {string} [many] @returns {string} */
export const counted = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** What an answer is, in words. @param {import("../../core/types.js").PollValue} value @param {Pick<import("../../core/types.js").RoomPoll, "kind"|"options">} poll @returns {string} */
export function answerWords(value, { kind, options }) {
  if (Array.isArray(value))
    return kind === "step" ? stepWords(value) : kind === "shape" ? shapeWords(value) : `[${value.join(", ")}]`;
  return typeof value === "number" ? (options[value] ?? String(value)) : value;
}

/** A place in the run. @param {readonly number[]} place the process and the position @returns {string} */
export const stepWords = ([process = 0, step = 0]) => `step ${step}${process ? ` of process ${process}` : ""}`;

/** As the server has it. @param {readonly number[]} sizes @returns {string} */
export const shapeWords = (sizes) => `(${sizes.join(", ")})`;

/** An index as it is typed: `1, 0`, `[1, 0]`, nothing for a scalar. @param {string} text @param {readonly number[]|null} shape @returns {{index: number[]}|{problem: string}} */
export function readIndex(text, shape) {
  const inside = text.trim().replace(/^\[|\]$/g, "");
  const parts = inside.trim() === "" ? [] : inside.split(/[\s,]+/).filter(Boolean);
  if (!parts.every((part) => /^\d+$/.test(part)))
    return { problem: `${text.trim()} is no index: write whole numbers, such as 1, 0.` };
  const index = parts.map(Number);
  if (shape === null) return { index };
  if (index.length !== shape.length)
    return { problem: `The value has ${counted(shape.length, "dimension")}, and the index ${index.length}.` };
  const axis = index.findIndex((at, number) => at >= (shape[number] ?? 0));
  if (axis >= 0) return { problem: `${index[axis]} is outside dimension ${axis}, which has size ${shape[axis]}.` };
  return { index };
}

/** Members by the step of the program that they are at, the fullest first. @param {readonly ClassMember[]} members @returns {{step: number, run: number, count: number}[]} */
export function placesOf(members) {
  /** @type {Map<string, {step: number, run: number, count: number}>} */
  const places = new Map();
  for (const { run, step } of members.filter(({ own }) => !own)) {
    const place = places.get(`${run} ${step}`) ?? { run, step, count: 0 };
    places.set(`${run} ${step}`, { ...place, count: place.count + 1 });
  }
  return [...places.values()].sort((a, b) => b.count - a.count || a.run - b.run || a.step - b.step);
}

/** Who needs something first, then by name. @param {readonly ClassMember[]} members @returns {ClassMember[]} */
export const sortedMembers = (members) =>
  [...members].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name, "en", { numeric: true }));

/** @param {ClassMember} member */
const rank = ({ hand, lost, away }) => (hand ? 0 : lost ? 1 : away ? 3 : 2);
