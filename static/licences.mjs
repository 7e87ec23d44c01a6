/** The licences of npm packages, and of colour schemes, as one text, in which each licence that several packages share stands once. */
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const modules = join(dirname(dirname(fileURLToPath(import.meta.url))), "node_modules");
const RULE = `\n${"-".repeat(80)}\n\n`;
const COPYRIGHT = /^\s*(The MIT License.*|MIT License|Copyright .*)$/gim;
/** Of static/js/drawing/colour_maps.js. */
const COLOUR_SCHEMES = `The colour schemes PuOr, RdBu and Greys are those of ColorBrewer.

Copyright 2002 Cynthia Brewer, Mark Harrower, and The Pennsylvania State University

Licensed under the Apache License, Version 2.0: http://www.apache.org/licenses/LICENSE-2.0
`;

/** @param {Iterable<string>} packages @returns {Promise<string>} */
export async function licencesOf(packages) {
  /** @type {Map<string, string[]>} */
  const heads = new Map();
  for (const name of [...packages].sort()) {
    const folder = join(modules, name);
    const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} ${version} has no file with its licence`);
    const text = (await readFile(join(folder, file), "utf8")).replaceAll("\r", "");
    // The appendix of the Apache License has copyright lines that are examples.
    const isApache = license === "Apache-2.0";
    const owners = isApache ? [] : (text.match(COPYRIGHT) ?? []).filter((line) => /copyright/i.test(line));
    const body = isApache ? text : text.replaceAll(COPYRIGHT, "");
    const words = body.replaceAll(/\s+/g, " ").trim();
    const head = [`${name} ${version} (${license})`, ...owners.map((line) => `  ${line.trim()}`)].join("\n");
    const known = [...heads.keys()].find((other) => other.replaceAll(/\s+/g, " ").trim() === words);
    if (known) heads.get(known)?.push(head);
    else heads.set(body, [head]);
  }
  const licences = [...heads].map(([body, named]) => `${named.join("\n")}\n\n${body.trim()}\n`);
  return [COLOUR_SCHEMES, ...licences].join(RULE);
}
