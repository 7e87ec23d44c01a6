// Reads names of JavaScript files, one a line; prints as JSON [file, first line, lines] of each function.
import { readFileSync } from "node:fs";
import { parse } from "espree";

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

function* functionsIn(node) {
  if (Array.isArray(node)) for (const part of node) yield* functionsIn(part);
  else if (node && typeof node.type === "string") {
    if (FUNCTIONS.has(node.type)) yield node;
    for (const [key, part] of Object.entries(node)) if (key !== "loc" && typeof part === "object") yield* functionsIn(part);
  }
}

const found = [];
for (const file of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const tree = parse(readFileSync(file, "utf8"), { ecmaVersion: "latest", sourceType: "module", loc: true });
  for (const { loc } of functionsIn(tree)) found.push([file, loc.start.line, loc.end.line - loc.start.line + 1]);
}
process.stdout.write(JSON.stringify(found));
