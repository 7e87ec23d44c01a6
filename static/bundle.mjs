/**
 * Bundles each page's module and style sheet into static/built/: one minified file each, with a hash of its content
 * in its name, so that a browser may keep it for ever, and a source map.
 *
 * static/built/manifest.json says which file stands for which source, and of which sources, with their SHA-256, all
 * of them were made: where one has changed, pages are made of the sources (app/web/page_files.py) until they are bundled
 * again. The build hook (hatch_build.py) runs this at install, after static/vendor.mjs, and so does `make run`; by
 * hand it is `npm run bundle`.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import * as esbuild from "esbuild";
import { licencesOf } from "./licences.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const built = join(root, "static", "built");
const building = `${built}.${process.pid}`;

/** What decides how the bundle comes out, besides the sources that pages import. */
const RECIPE = ["package-lock.json", "static/bundle.mjs", "static/licences.mjs"];
/** The licences of the libraries in a page that is a file, which has to carry them. */
const LICENCES = "licenses.txt";

async function filesIn(/** @type {string} */ folder) {
  return (await readdir(join(root, folder))).sort().map((name) => `${folder}/${name}`);
}

/** The pages of the debugger. They load every panel, and the style sheet of every panel, without naming one. */
const WITH_PANELS = /pages\/(session|file)\.(js|css)$/;
/** The page that is a file, and the features that need a server: it is made without their modules. */
const FILE_PAGE = "static/js/pages/file.js";
const FILE_STYLE = "static/css/pages/file.css";
const EDITOR_NOT_IN_FILE = "static/js/features/workbench/editor_not_in_file.js";
const COMMANDS_NOT_IN_FILE = "static/js/features/workbench/commands_not_in_file.js";
const FOR_WRITING = /^@codemirror\/(autocomplete|lint)$/;
const OF_SERVER =
  /features\/(breakpoints\/texts|compare\/engine|graph\/(op_numbers|picture_file)|home\/dropped|console\/prompt|index_map\/(element_tools|numbers\/view)|inputs\/dialog|lesson\/(exercise|onward|result|revision|way_back|words_with_server)|plugins\/plugin_panels|printing\/drawing|provenance\/walk|program\/rename|queues\/feed_dialog|room\/(page|following)|tensor\/(marks|origin)|tensor\/step_in|toolbar\/save_page|workbench\/turn|sessions\/(kept_view|menu)|share\/(dialog|items|read_only))\.js$|ui\/(record_rest|server_items)\.js$|core\/(live|watches|run\/(evaluated_stops|glimpse|later_start|memory|rest|stop_lists))\.js$/;
/** Panels that need a server; a saved page has neither their module nor their style sheet. */
const PANELS_OF_SERVER =
  /\/(compare|lesson\/(own|playground)|memory|microscope|precision|profile|provenance|room|watch)\/panel\.js$|\/(breakpoint_texts|compare|memory|microscope|own|precision|profile|provenance|watch)\.css$/;

const OURS = /static\/js\/.*\.js$/;
/**
 * Without the indentation of templates, which htm drops as well: it is 1 KB of a saved page. Pages with source maps keep
 * it, because they lose lines otherwise.
 */
const withoutIndent = (/** @type {string} */ text) => text.replaceAll(/\n +(?=<|\$\{)/g, "").replaceAll(/\n +/g, "\n");

/** A module of the server in a saved page, where nothing of it is rendered: under each name that it exports, a function that returns null. */
function withoutContent(/** @type {string} */ text) {
  const names = [...text.matchAll(/^export (?:async )?(?:const|function|class) (\w+)/gm)].map(([, name]) => name);
  return `const nothing = () => null;\nexport { ${names.map((name) => `nothing as ${name}`).join(", ")} };`;
}

/** @type {esbuild.Plugin} */
const withoutServer = {
  name: "without what takes a server",
  setup: (build) => {
    build.onResolve({ filter: /^@codemirror\/commands$/ }, ({ importer }) =>
      importer.endsWith(COMMANDS_NOT_IN_FILE) ? undefined : { path: join(root, COMMANDS_NOT_IN_FILE) },
    );
    build.onResolve({ filter: FOR_WRITING }, () => ({ path: join(root, EDITOR_NOT_IN_FILE) }));
    build.onLoad({ filter: OF_SERVER }, async ({ path }) => ({
      contents: withoutContent(await readFile(path, "utf8")),
    }));
    build.onLoad({ filter: OURS }, async ({ path }) => ({ contents: withoutIndent(await readFile(path, "utf8")) }));
  },
};

/**
 * Import every panel of a page: features/.../panel.js and css/panels/*.css. app/web/pages.py does the same for pages of sources.
 *
 * @param {(path: string) => boolean} isWanted @returns {esbuild.Plugin}
 */
const withPanels = (isWanted) => ({
  name: "with every panel",
  setup: (build) =>
    build.onLoad({ filter: WITH_PANELS }, async ({ path }) => {
      const isStyle = path.endsWith(".css");
      const found = await panelFiles(
        isStyle ? "static/css/panels" : "static/js/features",
        isStyle ? /\.css$/ : /\/panel\.js$/,
      );
      const imports = found.filter(isWanted).map((file) => `${isStyle ? "@import" : "import"} "${join(root, file)}";`);
      const text = await readFile(path, "utf8");
      // A style sheet of a panel comes after those that all panels share; a panel has to be there before the page begins.
      return {
        contents: [isStyle ? text : "", ...imports, isStyle ? "" : text].join("\n"),
        loader: isStyle ? "css" : "js",
      };
    }),
});

/** @param {string} folder @param {RegExp} name @returns {Promise<string[]>} */
async function panelFiles(folder, name) {
  const files = await readdir(join(root, folder), { recursive: true });
  return files
    .map((file) => `${folder}/${file}`)
    .filter((file) => name.test(file))
    .sort();
}

/**
 * What pages share is in the file of each: the page of a session then needs one request and not twelve, and the
 * libraries that other pages need once more are small beside it.
 */
async function bundle(/** @type {string[]} */ entryPoints, /** @type {esbuild.Plugin[]} */ plugins = []) {
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    bundle: true,
    entryNames: "[name]-[hash]",
    entryPoints,
    format: "esm",
    legalComments: "none", // the licences are in static/vendor/LICENSES.txt, and for pages that are files in LICENCES
    logLevel: "warning",
    metafile: true,
    minify: true,
    outdir: building,
    platform: "browser",
    plugins: [...plugins, withoutUnused],
    sourcemap: true,
    sourcesContent: false, // the sources are served as well
    target: "es2022",
  });
  return metafile;
}

/** What pages do not need of libraries: the editor's own search panel, which features/program/search_panel.js replaces. */
const UNUSED = {
  "search/dist/index.js": [[/^ +createPanel: view => new SearchPanel\(view\),$/gm, ""]],
};
const withoutUnused = {
  name: "without what is not used",
  setup: (/** @type {esbuild.PluginBuild} */ build) => {
    for (const [file, changes] of Object.entries(UNUSED))
      build.onLoad({ filter: new RegExp(`${file.replaceAll(".", "\\.")}$`) }, async ({ path }) => {
        const text = await readFile(path, "utf8");
        const contents = changes.reduce((found, [part, instead]) => found.replaceAll(part, instead), text);
        if (contents === text) throw new Error(`${path} is another version: see UNUSED in static/bundle.mjs`);
        return { contents };
      });
  },
};

/** The file of each entry point, by its path below static/. */
function filesOf(/** @type {esbuild.Metafile} */ { outputs }) {
  const entries = Object.entries(outputs).filter(([, { entryPoint }]) => entryPoint);
  return Object.fromEntries(
    entries.map(([output, { entryPoint }]) => [entryPoint?.replace("static/", ""), basename(output)]),
  );
}

async function sourcesOf(/** @type {esbuild.Metafile} */ { inputs }) {
  const ours = Object.keys(inputs).filter((path) => path.startsWith("static/"));
  const sources = [...RECIPE, ...ours].sort();
  return Object.fromEntries(await Promise.all(sources.map(async (file) => [file, await sha256(file)])));
}

async function sha256(/** @type {string} */ file) {
  const bytes = await readFile(join(root, file));
  return createHash("sha256").update(bytes).digest("hex");
}

/** The npm packages in a bundle. */
function packagesOf(/** @type {esbuild.Metafile} */ { outputs }) {
  const parts = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const used = parts.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  return new Set(used.flatMap((path) => path.match(/(?<=^node_modules\/)(@[^/]+\/)?[^/]+/)?.[0] ?? []));
}

/** Beside each file the same one compressed, for visitors from far away. */
async function compress() {
  for (const name of (await readdir(building)).filter((name) => /\.(js|css)$/.test(name))) {
    const file = join(building, name);
    await writeFile(`${file}.gz`, await promisify(gzip)(await readFile(file), { level: 9 }));
  }
}

await mkdir(building, { recursive: true });
const pages = [...(await filesIn("static/js/pages")), ...(await filesIn("static/css/pages"))];
const others = ["static/js/theme.js", "static/js/page_loader.js", "static/js/scorm.js"];
const FILE_PAGES = [FILE_PAGE, FILE_STYLE];
const served = await bundle(
  [...others, ...pages.filter((page) => !FILE_PAGES.includes(page))],
  [withPanels(() => true)],
);
const file = await bundle(FILE_PAGES, [withPanels((path) => !PANELS_OF_SERVER.test(path)), withoutServer]);
const manifest = {
  files: { ...filesOf(served), ...filesOf(file), [LICENCES]: LICENCES },
  sources: { ...(await sourcesOf(served)), ...(await sourcesOf(file)) },
};
await writeFile(join(building, LICENCES), await licencesOf(packagesOf(file)));
await compress();
await writeFile(join(building, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
await rm(built, { recursive: true, force: true });
await rename(building, built);
console.log(`static/built: ${Object.keys(manifest.files).length} files`);
