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
 * @property {string} refusal the last request, refused
 * @property {boolean} hasEnded
 */
import { counted } from "../../core/tensor/elements.js";
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

/** The room after a message of the server. @param {RoomView} view @param {RoomServerMessage} message @returns {RoomView} */
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
  // A former leader may not know yet that another page leads.
  if (message.type === "error" && ["chalk", "role"].includes(message.kind)) return view;
  if (message.type === "error") return { ...view, refusal: [message.message, message.hint].filter(Boolean).join(" ") };
  return view;
}

/** An answer that the server has not stored is sent again and kept. @param {RoomView} view @param {import("../../core/types.js").RoomWelcomeMessage} message @returns {RoomView} */
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

/**
 * Detects whether the user has left the class: the page is at another position than the class, and the user has acted
 * since. Without an action the page is still moving there.
 */
export class Way {
  /** @type {RoomPosition|null} */
  target = null;
  hasActed = false;
  /** of the lesson, if there is one @type {string|null} */
  lessonStep = null;

  /** The page is moving there. @param {RoomPosition} target */
  leadTo(target) {
    this.target = target;
    this.hasActed = false;
  }

  /** The user has pressed a key or a button. */
  act() {
    this.hasActed = true;
  }

  /** The page is at this position now. @param {RoomPosition} here @param {string|null} [lessonStep] @returns {boolean} whether the user chose it */
  isLeft(here, lessonStep = this.lessonStep) {
    if (!this.hasActed || this.target === null) return false;
    return lessonStep !== this.lessonStep || !isSamePlace(here, this.target);
  }
}

/** The code in two halves, for reading. @param {string} code @returns {string} */
export const spacedCode = (code) => `${code.slice(0, 3)} ${code.slice(3)}`;

/** An answer in words. @param {import("../../core/types.js").PollValue} value @param {Pick<import("../../core/types.js").RoomPoll, "kind"|"options">} poll @returns {string} */
export function answerWords(value, { kind, options }) {
  if (Array.isArray(value))
    return kind === "step" ? stepWords(value) : kind === "shape" ? shapeWords(value) : `[${value.join(", ")}]`;
  return typeof value === "number" ? (options[value] ?? String(value)) : value;
}

/** A position in the run, in words. @param {readonly number[]} place the process and the position @returns {string} */
export const stepWords = ([process = 0, step = 0]) => `step ${step}${process ? ` of process ${process}` : ""}`;

/** As the server has it. @param {readonly number[]} sizes @returns {string} */
export const shapeWords = (sizes) => `(${sizes.join(", ")})`;

/** A typed index: `1, 0`, `[1, 0]`, empty for a scalar. @param {string} text @param {readonly number[]|null} shape @returns {{index: number[]}|{problem: string}} */
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

/** Members by the step of the program that they are at, the largest group first. @param {readonly ClassMember[]} members @returns {{step: number, run: number, count: number}[]} */
export function placesOf(members) {
  /** @type {Map<string, {step: number, run: number, count: number}>} */
  const places = new Map();
  for (const { run, step } of members.filter(({ own }) => !own)) {
    const place = places.get(`${run} ${step}`) ?? { run, step, count: 0 };
    places.set(`${run} ${step}`, { ...place, count: place.count + 1 });
  }
  return [...places.values()].sort((a, b) => b.count - a.count || a.run - b.run || a.step - b.step);
}

/** Members who need help first, then by name. @param {readonly ClassMember[]} members @returns {ClassMember[]} */
export const sortedMembers = (members) =>
  [...members].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name, "en", { numeric: true }));

/** @param {ClassMember} member */
const rank = ({ hand, lost, away }) => (hand ? 0 : lost ? 1 : away ? 3 : 2);
