/** A film as a file: an animated SVG, or a video where the browser can record one. */
import { cssColour, textColourOn } from "../../drawing/colour_maps.js";
import { elementOf } from "../../core/tensor/axes.js";
import { drawPicture, originOf, pictureSvg } from "../index_map/picture_tools.js";
import { drawMoment, flightsOf, fontSize, LANDED, stageOf, themeOf } from "./film_stage.js";
/** @import {Film} from "./film.js" */
/** @import {Cell, Names, Theme} from "./film_stage.js" */

/** Maximum number of beats in a file. */
export const MOST_BEATS = 480;
/** The length of a beat in seconds, and the maximum length of a video. */
const BEAT = 0.6;
const LONGEST_VIDEO = 24;
/** How long the finished result stays, in seconds. */
const REST = 1.5;

/** @typedef {{element: number, beat: number, sources: import("../../core/types.js").SourceElement[], shows: string}} Scene */

/** The beats of a film from its beginning, as far as a file goes. @param {Film} film @returns {Promise<Scene[]>} */
export async function scenesOf(film) {
  /** @type {Scene[]} */
  const scenes = [];
  for (let element = 0; element < film.count && scenes.length < MOST_BEATS; element++) {
    await film.load(element);
    const beats = film.beats(element);
    if (!beats) break;
    if (scenes.length > 0 && scenes.length + beats.length > MOST_BEATS) break;
    beats.forEach((each, beat) => scenes.push({ element, beat, ...each }));
  }
  return scenes;
}

/** @param {number} number */
const short = (number) => String(Math.round(number * 100) / 100);
/** @param {string} text */
const escaped = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** Visible for some seconds of each round. @param {number} from @param {number} seconds */
const visible = (from, seconds) =>
  `<set attributeName="visibility" to="visible" begin="clock.begin+${short(from)}s" dur="${short(seconds)}s"/>`;

/** @param {Cell} cell @param {string} text @param {string} colour @param {Theme} theme */
const label = ({ x, y, width, height }, text, colour, { mono }) =>
  width < 14
    ? ""
    : `<text x="${short(x + width / 2)}" y="${short(y + height / 2)}" fill="${colour}" font-family="${escaped(mono)}" font-weight="600" font-size="${fontSize(text, width)}" text-anchor="middle" dominant-baseline="central">${escaped(text)}</text>`;

/** @param {Cell} cell @param {string} paint */
const rectangle = ({ x, y, width, height }, paint) =>
  `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" ${paint}/>`;

/**
 * The picture as an animated SVG, which plays in a loop; with reduced motion, nothing flies, and results appear one
 * after another.
 *
 * @param {HTMLElement} sides @param {Film} film @param {Scene[]} scenes @param {Names} names @param {string} title @param {string[]} caption
 */
export async function filmSvg(sides, film, scenes, names, title, caption) {
  const still = await pictureSvg(sides, title, caption).text();
  const [stage, theme] = [stageOf(sides, names), themeOf(sides)];
  const begins = new Map(scenes.map(({ element }, at) => [element, at]));
  const seconds = scenes.length * BEAT + REST;
  const cell = (/** @type {number} */ number) => stage.cell("result", film.result, elementOf(film.shape, number));
  const covers = Array.from({ length: film.count }, (_, number) => {
    const last = begins.get(number);
    const found = cell(number);
    if (!found) return "";
    const shows =
      last === undefined
        ? ""
        : `<set attributeName="visibility" to="hidden" begin="clock.begin+${short((last + LANDED) * BEAT)}s" end="clock.end"/>`;
    const paint = `fill="${theme.ground}" stroke="${theme.line}"`;
    return rectangle(found, paint).replace("/>", `>${shows}</rect>`);
  });
  const parts = scenes.map(({ element, sources, shows }, at) => {
    const target = cell(element);
    if (!target) return "";
    const isLast = scenes[at + 1]?.element !== element;
    const partial = isLast
      ? ""
      : `<g visibility="hidden">${label(target, shows, theme.text, theme)}${visible((at + LANDED) * BEAT, BEAT)}</g>`;
    const flying = flightsOf(stage, film, sources).map(({ from, text }) => {
      const [x, y] = [
        target.x + target.width / 2 - from.x - from.width / 2,
        target.y + target.height / 2 - from.y - from.height / 2,
      ];
      return `<g class="flying" visibility="hidden">${rectangle(from, `fill="${cssColour(from.pixel)}" stroke="${theme.accent}" stroke-width="2"`)}${label(from, text, textColourOn(from.pixel), theme)}${visible(at * BEAT, LANDED * BEAT)}<animateTransform attributeName="transform" type="translate" from="0 0" to="${short(x)} ${short(y)}" begin="clock.begin+${short(at * BEAT)}s" dur="${short(LANDED * BEAT)}s"/></g>`;
    });
    return partial + flying.join("");
  });
  const { x, y } = originOf();
  const clock = `<rect width="0" height="0"><animate id="clock" attributeName="x" from="0" to="0" begin="0s;clock.end" dur="${short(seconds)}s"/></rect>`;
  const style = "<style>@media (prefers-reduced-motion: reduce){.flying{display:none}}</style>";
  const drawn = `${style}<g transform="translate(${x} ${y})">${clock}${covers.join("")}${parts.join("")}</g></svg>`;
  return new Blob([still.replace(/<\/svg>\s*$/, drawn)], { type: "image/svg+xml" });
}

/** The first kind of video that this browser records; null if there is none. @returns {{type: string, ending: string}|null} */
export function videoKind() {
  if (typeof MediaRecorder === "undefined" || !("captureStream" in HTMLCanvasElement.prototype)) return null;
  const kinds = [
    { type: "video/mp4;codecs=avc1.42E01E", ending: "mp4" },
    { type: "video/webm;codecs=vp9", ending: "webm" },
    { type: "video/webm", ending: "webm" },
  ];
  return kinds.find(({ type }) => MediaRecorder.isTypeSupported(type)) ?? null;
}

/**
 * The film as a video. It takes as long as the video: browsers record in real time.
 *
 * @param {HTMLElement} sides @param {Film} film @param {Scene[]} scenes @param {Names} names @param {string[]} caption @param {string} type
 * @returns {Promise<Blob>}
 */
export async function filmVideo(sides, film, scenes, names, caption, type) {
  const canvas = document.createElement("canvas");
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const [stage, theme, { x, y }] = [stageOf(sides, names), themeOf(sides), originOf()];
  const draw = (/** @type {number} */ part) => {
    drawPicture(canvas, sides, caption);
    const at = Math.min(scenes.length - 1, Math.floor(part));
    const scene = scenes[at];
    if (!scene) return;
    context.save();
    context.scale(Math.max(1, devicePixelRatio), Math.max(1, devicePixelRatio));
    context.translate(x, y);
    drawMoment(
      context,
      stage,
      film,
      { element: scene.element, beat: scene.beat, phase: Math.min(1, part - at) },
      theme,
    );
    context.restore();
  };
  draw(0);
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 4_000_000 });
  /** @type {Blob[]} */
  const parts = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const stopped = new Promise((resolve) => (recorder.onstop = resolve));
  recorder.start();
  const seconds = Math.min(LONGEST_VIDEO, scenes.length * BEAT);
  const begin = performance.now();
  await new Promise((resolve) => {
    const frame = () => {
      const part = (performance.now() - begin) / 1000;
      draw((Math.min(part, seconds) / seconds) * scenes.length);
      if (part < seconds + REST) requestAnimationFrame(frame);
      else resolve(undefined);
    };
    frame();
  });
  recorder.stop();
  await stopped;
  return new Blob(parts, { type: type.split(";")[0] ?? type });
}
