/** Starts hloscope's debug adapter and language server, and opens its page beside the text. */
import { spawn } from "node:child_process";
import { basename } from "node:path";
import { setTimeout } from "node:timers";
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node.js";

const LANGUAGES = ["mlir", "hlo"];
const START_SECONDS = 60;

/** @type {LanguageClient|undefined} */
let client;
/** The servers of pages, by the file that each has opened. @type {Map<string, {process: import("node:child_process").ChildProcess, address: Promise<string>}>} */
const pages = new Map();

const command = () => vscode.workspace.getConfiguration("hloscope").get("command") || "hloscope";

/** What to do where the command cannot be started. @param {unknown} error */
function explain(error) {
  const reason = error instanceof Error ? error.message : String(error);
  vscode.window.showErrorMessage(
    `hloscope: ${reason}. Install it with "pip install 'hloscope[editors]'", or name its command in the setting hloscope.command.`,
  );
}

/** @param {vscode.ExtensionContext} context */
export function activate(context) {
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory("hloscope", {
      createDebugAdapterDescriptor: adapter,
    }),
    vscode.debug.registerDebugConfigurationProvider("hloscope", { resolveDebugConfiguration: complete }),
    vscode.languages.registerEvaluatableExpressionProvider(LANGUAGES, { provideEvaluatableExpression: valueAt }),
    vscode.commands.registerCommand("hloscope.open", () => openPage().catch(explain)),
    vscode.commands.registerCommand("hloscope.recordFile", () => record().catch(explain)),
  );
  client = new LanguageClient(
    "hloscope",
    "hloscope",
    { command: command(), args: ["lsp"] },
    { documentSelector: LANGUAGES.map((language) => ({ language })) },
  );
  // Not awaited: what waits for the extension, as a debugging session does, needs no language server.
  client.start().catch(explain);
}

export async function deactivate() {
  for (const { process } of pages.values()) process.kill();
  pages.clear();
  await client?.stop();
}

/** The debug adapter; where its command is missing the editor alone would say nothing. @returns {Promise<vscode.DebugAdapterExecutable>} */
async function adapter() {
  const name = command();
  const started = new Promise((resolve, reject) => {
    const process = spawn(name, ["--version"], { stdio: "ignore" });
    process.on("spawn", () => resolve(undefined));
    process.on("error", reject);
  });
  await started.catch((error) => {
    explain(error);
    throw error;
  });
  return new vscode.DebugAdapterExecutable(name, ["dap"]);
}

/** A launch without a configuration is one of the file in the editor. @param {unknown} _folder @param {vscode.DebugConfiguration} config */
function complete(_folder, config) {
  const document = vscode.window.activeTextEditor?.document;
  if (!config.type && !config.request && document && LANGUAGES.includes(document.languageId))
    return { type: "hloscope", request: "launch", name: "Step through this program", program: document.fileName };
  return config;
}

/** The value under the pointer; names of HLO text may stand without their sign. @param {vscode.TextDocument} document @param {vscode.Position} position */
function valueAt(document, position) {
  const sign = document.languageId === "hlo" ? "%?" : "%";
  const range = document.getWordRangeAtPosition(
    position,
    new RegExp(`${sign}[A-Za-z0-9_$][A-Za-z0-9_$.-]*(?:#[0-9]+)?`),
  );
  return range && new vscode.EvaluatableExpression(range, `%${document.getText(range).replace(/^%/, "")}`);
}

/** Records the program of the editor in the background; hovers and hints show its values from then on. */
async function record() {
  const document = vscode.window.activeTextEditor?.document;
  if (!document || !client) return;
  const task = vscode.commands.executeCommand("hloscope.record", document.uri.toString());
  const progress = { location: vscode.ProgressLocation.Window, title: "hloscope records" };
  const told = await vscode.window.withProgress(progress, () => task);
  vscode.window.setStatusBarMessage(`hloscope: ${told}`, 10_000);
}

/** Opens the page of the file in the editor, beside it where this editor has a browser of its own. */
async function openPage() {
  const document = vscode.window.activeTextEditor?.document;
  if (!document) return;
  await document.save();
  const address = await addressOf(document.fileName);
  const all = await vscode.commands.getCommands(true);
  if (all.includes("workbench.action.browser.open")) {
    await vscode.commands.executeCommand("workbench.action.browser.open", { url: address, openToSide: true });
    return;
  }
  // The page refuses to stand in a frame, so a preview inside of the editor would stay empty.
  await vscode.env.openExternal(vscode.Uri.parse(address));
}

/** The address of a file's page; its server runs as long as the editor does. @param {string} file */
function addressOf(file) {
  const known = pages.get(file);
  if (known) return known.address;
  const process = spawn(command(), ["serve", file, "--no-browser", "--port", "0"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const address = new Promise((resolve, reject) => {
    const opened = `${basename(file)} is at `;
    let said = "";
    const listen = (/** @type {import("node:buffer").Buffer} */ part) => {
      said += part;
      const start = said.indexOf(opened);
      const found = start < 0 ? null : /^\S+(?=\s)/.exec(said.slice(start + opened.length));
      if (found) resolve(found[0]);
    };
    process.stdout.on("data", listen);
    process.stderr.on("data", listen);
    process.on("error", reject);
    process.on("exit", (code) => {
      pages.delete(file);
      reject(new Error(said.trim() || `the server has ended with status ${code}`));
    });
    setTimeout(() => reject(new Error(`the server has not started within ${START_SECONDS} s`)), START_SECONDS * 1000);
  });
  pages.set(file, { process, address });
  return address;
}
