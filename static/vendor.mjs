/**
 * Bundles the third-party packages that the page imports into static/vendor/, one minified ES module
 * per bare import, and writes the import map.
 *
 * A package that another one needs becomes a file of its own as well, imported by relative path. So
 * there is one instance of each (CodeMirror breaks with two copies of @codemirror/state), and Web
 * Workers, which know no import map, can import the files by URL.
 *
 * The build hook (hatch_build.py) runs this at install; by hand it is `npm run vendor`.
 */
import { createHash } from "node:crypto";
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { licencesOf } from "./licences.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const vendor = join(root, "static", "vendor");
const building = `${vendor}.${process.pid}`;

/** What our own modules may import. Packages that these need are found on the way. */
const IMPORTS = [
  "preact",
  "preact/hooks",
  "htm",
  "htm/preact",
  "@preact/signals",
  "@codemirror/state",
  "@codemirror/view",
  "@codemirror/language",
  "@codemirror/commands",
  "@codemirror/search",
  "@codemirror/lint",
  "@codemirror/autocomplete",
  "@lezer/common",
  "@lezer/highlight",
  "uplot",
];

const STYLES = { "uplot.css": "uplot/dist/uPlot.min.css" };

const fileOf = (/** @type {string} */ name) => `${name.replace("@", "").replaceAll("/", "-")}.js`;

const packageOf = (/** @type {string} */ name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/");

/** Bundles one bare import and returns the bare imports that it needs itself. */
async function bundle(/** @type {string} */ name) {
  /** @type {Set<string>} */
  const needs = new Set();
  const result = await esbuild.build({
    absWorkingDir: root,
    bundle: true,
    entryPoints: [name],
    format: "esm",
    legalComments: "none",
    metafile: true,
    minify: true,
    outfile: join(building, fileOf(name)),
    platform: "browser",
    target: "es2022",
    plugins: [
      {
        name: "each bare import is a file of its own",
        setup(build) {
          build.onResolve({ filter: /^[^./]/ }, ({ kind, path }) => {
            if (kind === "entry-point") return undefined;
            needs.add(path);
            return { path: `./${fileOf(path)}`, external: true };
          });
        },
      },
    ],
  });
  const formats = Object.values(result.metafile.inputs).map((input) => input.format);
  if (formats.includes("cjs")) throw new Error(`${name} is CommonJS: its named exports would be lost`);
  return needs;
}

/** Changes whenever static/vendor/ has to be built again; hatch_build.py computes the same. */
async function stamp() {
  const hash = createHash("sha256");
  for (const file of ["package-lock.json", "static/vendor.mjs"]) hash.update(await readFile(join(root, file)));
  return hash.digest("hex");
}

await mkdir(building, { recursive: true });
const names = new Set(IMPORTS);
for (const name of names) for (const need of await bundle(name)) names.add(need);

const sorted = [...names].sort();
const imports = Object.fromEntries(sorted.map((name) => [name, `/static/vendor/${fileOf(name)}`]));
if (new Set(Object.values(imports)).size !== names.size) throw new Error("two imports share a file name");

for (const [to, from] of Object.entries(STYLES)) await cp(join(root, "node_modules", from), join(building, to));
await writeFile(join(building, "LICENSES.txt"), await licencesOf(new Set(sorted.map(packageOf))));
await writeFile(join(building, "importmap.json"), `${JSON.stringify({ imports }, null, 2)}\n`);
await writeFile(join(building, ".stamp"), await stamp());
await rm(vendor, { recursive: true, force: true });
await rename(building, vendor);
console.log(`static/vendor: ${names.size} modules`);
