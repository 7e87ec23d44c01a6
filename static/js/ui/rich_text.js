/**
 * Rich text that the server makes from Markdown: HTML without scripts and styles. The page never uses the browser's
 * HTML parser, so this module parses the allowed tags and drops everything else.
 */
import { h } from "preact";
import { html } from "htm/preact";
import { useMemo } from "preact/hooks";
import { pageHere } from "../core/reference_paths.js";
import { isFile } from "../core/source.js";

/** @typedef {import("preact").ComponentChild} Child */
/** @typedef {{tag: string, attributes: Record<string, string>, children: Child[]}} Open */

const TAGS = new Set(
  "p br hr em strong s del code pre kbd span div sub sup ul ol li dl dt dd a blockquote h3 h4 h5 h6 table thead tbody tr th td".split(
    " ",
  ),
);
const EMPTY = new Set(["br", "hr", "img"]);
const ATTRIBUTES = new Set(["href", "class", "title", "lang", "start", "src", "alt"]);
const TOKENS = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>|([^<]+)|</gi;
/** @type {Record<string, string>} */
const NAMED = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** @param {{text: string, inline?: boolean}} props inline: a single paragraph is unwrapped */
export function RichText({ text, inline = false }) {
  const nodes = useMemo(() => nodesOf(inline ? text.trim().replace(/^<p>((?:(?!<p>).)*)<\/p>$/s, "$1") : text), [text]);
  return html`${nodes}`;
}

/** @param {string} text @returns {Child[]} */
export function nodesOf(text) {
  /** @type {[Open, ...Open[]]} */
  const open = [{ tag: "", attributes: {}, children: [] }];
  for (const [, slash, name = "", given = "", plain] of text.matchAll(TOKENS)) {
    const tag = name.toLowerCase();
    if (plain !== undefined) top(open).children.push(decoded(plain));
    else if (!tag) top(open).children.push("<");
    else if (slash) close(open, tag);
    else if (EMPTY.has(tag)) top(open).children.push(emptyNode(tag, attributesOf(tag, given)));
    else if (TAGS.has(tag)) open.push({ tag, attributes: attributesOf(tag, given), children: [] });
  }
  while (open.length > 1) close(open, top(open).tag);
  return open[0].children;
}

/** A picture is inlined, or a file beside the text. @param {string} tag @param {Record<string, string>} attributes @returns {Child} */
function emptyNode(tag, { src = "", ...attributes }) {
  if (tag !== "img") return h(tag, null);
  const isOurs = /^data:image\/|^\/(?!\/)/i.test(src);
  return isOurs ? h("img", { alt: "", ...attributes, src }) : (attributes.alt ?? "");
}

/** @param {Open[]} open @returns {Open} */
const top = (open) => /** @type {Open} */ (open.at(-1));

/** An unmatched end tag is dropped. @param {Open[]} open @param {string} tag */
function close(open, tag) {
  if (!open.some((node) => node.tag === tag)) return;
  for (;;) {
    const { tag: last, attributes, children } = /** @type {Open} */ (open.pop());
    top(open).children.push(h(last, attributes, ...children));
    if (last === tag) return;
  }
}

/** @param {string} tag @param {string} text @returns {Record<string, string>} */
function attributesOf(tag, text) {
  const pairs = [...text.matchAll(/([a-z-]+)="([^"]*)"/gi)].map(
    ([, name = "", value = ""]) => /** @type {const} */ ([name.toLowerCase(), decoded(value)]),
  );
  const kept = Object.fromEntries(pairs.filter(([name]) => ATTRIBUTES.has(name)));
  // Focusable, so that keyboard users can scroll long lines.
  if (tag === "pre") return { ...kept, tabindex: "0" };
  return tag === "a" ? linkOf(kept) : kept;
}

/** A saved page has no server behind a path. @param {Record<string, string>} attributes @returns {Record<string, string>} */
function linkOf({ href = "", ...others }) {
  const isOutside = /^https?:\/\//i.test(href);
  if (!isOutside && (!/^[/#?](?!\/)/.test(href) || isFile())) return others;
  const here = pageHere(href);
  return here === null ? others : { ...others, href: here, target: "_blank", rel: "noopener" };
}

/** @param {string} text @returns {string} */
const decoded = (text) =>
  text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? parseInt(hex, 16) : null;
    if (code !== null) return code < 0x11_0000 ? String.fromCodePoint(code) : "";
    return NAMED[name] ?? whole;
  });
