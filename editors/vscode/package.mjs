/** Bundles the extension into one file and packs it: dist/hloscope.vsix, at the top of the repository. */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const TOP = join(HERE, "..", "..");
const OUT = argv[2] ?? join(TOP, "dist", "hloscope.vsix");

const { metafile } = await build({
  absWorkingDir: HERE,
  entryPoints: ["src/extension.js"],
  outfile: "dist/extension.js",
  bundle: true,
  minify: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  metafile: true,
});

/** The licences of the packages that were bundled, which want to be said. */
function licences() {
  const names = Object.keys(metafile.inputs).map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  const packages = [...new Set(names.filter((name) => name !== undefined))].sort();
  return packages.map((name) => {
    const folder = join(HERE, "node_modules", name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`the package ${name} comes without a licence`);
    return `${name}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  });
}

writeFileSync(join(HERE, "dist", "third-party-licences.txt"), licences().join("\n----\n\n"));
copyFileSync(join(TOP, "LICENSE"), join(HERE, "LICENSE"));
if (!existsSync(dirname(OUT))) mkdirSync(dirname(OUT), { recursive: true });
execFileSync(
  "node",
  [join(HERE, "node_modules", "@vscode", "vsce", "vsce"), "package", "--no-dependencies", "--out", OUT],
  {
    cwd: HERE,
    stdio: "inherit",
  },
);
