import { readdirSync } from "node:fs";
import js from "@eslint/js";

// Text from programs reaches the page as text nodes only (Trusted Types are on as well).
const AS_TEXT = "Text from programs is only ever a text node: use textContent, append or a Preact child.";

// Panels read the store and change it by actions, so that one finds in two files all that can happen to it.
const BY_ACTIONS = "Change the store by a function of core/actions.js or core/view_actions.js.";
const AS_A_WHOLE =
  "Import the store as a whole (`import * as store from …/core/store.js`), so that writing to it is recognised.";
const STORE = "ImportDeclaration[source.value=/core.store\\.js$/]";

const SAFE_TEXT = [
  { selector: "Property[key.name=/^(inner|outer)HTML$/]", message: AS_TEXT },
  { selector: "Property[key.name='dangerouslySetInnerHTML']", message: AS_TEXT },
  { selector: "Property[key.value='dangerouslySetInnerHTML']", message: AS_TEXT },
  { selector: "TemplateElement[value.raw=/(dangerouslySetInnerHTML|innerHTML|srcdoc)=/]", message: AS_TEXT },
];

const READ_ONLY_STORE = [
  { selector: "AssignmentExpression[left.object.object.name='store']", message: BY_ACTIONS },
  { selector: "UpdateExpression[argument.object.object.name='store']", message: BY_ACTIONS },
  { selector: `${STORE} > ImportSpecifier`, message: AS_A_WHOLE },
  { selector: `${STORE} > ImportNamespaceSpecifier[local.name!='store']`, message: AS_A_WHOLE },
  { selector: "VariableDeclarator[init.name='store']", message: AS_A_WHOLE },
];

// A room speaks the language of its lesson: words.js and words_with_server.js have the English, app/lessons/ the other languages.
const IN_WORDS = "A room speaks the language of its lesson: name these words in words_with_server.js.";
const IN_HTML = "TaggedTemplateExpression[tag.name='html'] > TemplateLiteral > TemplateElement";
const TRANSLATED = [
  // After a tag, or after an expression and before a tag.
  { selector: `${IN_HTML}[value.raw=/(>[^<>]*|^[^<>=\\u002f]*)[A-Za-z]{2}[^<>=]*(<|$)/]`, message: IN_WORDS },
  { selector: `${IN_HTML}[value.raw=/ (title|aria-label|alt|label)="[^"]*[A-Za-z]{2}/]`, message: IN_WORDS },
  { selector: "TemplateElement[value.raw=/^[A-Z\u201C].* /]", message: IN_WORDS },
  { selector: "Literal[value=/^[A-Z\u201C].* | .*[.?!\u2026]$/]", message: IN_WORDS },
];

/** No import from a folder of static/js. */
const folder = (name) => ({
  group: [`**/${name}/**`],
  message: `core <- drawing <- ui <- features <- pages: not from ${name}/.`,
});
const ABOVE = [folder("features"), folder("pages")];

/** The folders of features/ in layers, the lowest first: a feature imports only features of lower layers, which are the lines above its own. */
const LISTED = [
  ["inputs", "layout", "printing"],
  [
    "breakpoints",
    "call_stack",
    "index_map",
    "op",
    "precision",
    "presenting",
    "profile",
    "queues",
    "source",
    "steps",
    "variables",
  ],
  ["tensor"],
  ["find", "findings", "grid", "provenance", "sessions"],
  ["compare", "console", "home", "notebook", "passes", "timeline"],
  ["playground", "reference"],
  ["lesson"],
  ["program", "room"],
  ["share"],
  [], // folders that no line names, such as a new panel
  ["toolbar"],
  ["workbench"],
];
const FOLDERS = readdirSync(new URL("static/js/features", import.meta.url));
const FEATURES = LISTED.map((layer) =>
  layer.length > 0 ? layer : FOLDERS.filter((folder) => !LISTED.flat().includes(folder)),
);

/** For each feature: no import of a feature that is not in a lower layer. */
const BETWEEN_FEATURES = FEATURES.flatMap((layer, at) =>
  layer.map((feature) => {
    const closed = FEATURES.slice(at)
      .flat()
      .filter((other) => other !== feature);
    const message = `${feature} imports features of lower layers only: see FEATURES in eslint.config.js.`;
    return {
      files: [`static/js/features/${feature}/**`],
      rules: {
        "no-restricted-imports": [
          "error",
          { patterns: [folder("pages"), { regex: `^(\\.\\./)+(${closed.join("|")})/`, message }] },
        ],
      },
    };
  }),
);

/** The property `name` of whatever object, written `.name`, `["name"]` or `{ name: … }` in a pattern. */
const property = (name, message) => ({ property: name, message });

export default [
  {
    ignores: [
      "static/vendor/",
      "static/vendor.*/",
      "static/built/",
      "static/built.*/",
      "node_modules/",
      "editors/vscode/node_modules/",
      "editors/vscode/dist/",
      ".venv*/",
      "dist/",
      "build/",
      "test-results/",
    ],
  },
  js.configs.recommended,
  {
    rules: {
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-restricted-properties": [
        "error",
        ...["innerHTML", "outerHTML", "insertAdjacentHTML", "setHTMLUnsafe", "srcdoc"].map((name) =>
          property(name, AS_TEXT),
        ),
        ...["createContextualFragment", "parseFromString", "parseHTMLUnsafe"].map((name) => property(name, AS_TEXT)),
        ...["write", "writeln"].map((name) => ({ object: "document", property: name, message: AS_TEXT })),
      ],
      "no-restricted-syntax": ["error", ...SAFE_TEXT],
      "no-undef": "off", // tsc knows the browser's globals better
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", caughtErrors: "none" }],
      "no-var": "error",
      "prefer-const": "error",
    },
  },
  {
    files: ["static/js/core/**"],
    rules: { "no-restricted-imports": ["error", { patterns: [folder("ui"), folder("drawing"), ...ABOVE] }] },
  },
  {
    files: ["static/js/drawing/**"],
    rules: { "no-restricted-imports": ["error", { patterns: [folder("ui"), ...ABOVE] }] },
  },
  {
    files: ["static/js/ui/**"],
    rules: { "no-restricted-imports": ["error", { patterns: ABOVE }] },
  },
  {
    files: ["static/js/{features,drawing,ui,pages}/**"],
    rules: { "no-restricted-syntax": ["error", ...SAFE_TEXT, ...READ_ONLY_STORE] },
  },
  {
    files: ["static/js/features/room/**"],
    rules: { "no-restricted-syntax": ["error", ...SAFE_TEXT, ...READ_ONLY_STORE, ...TRANSLATED] },
  },
  ...BETWEEN_FEATURES,
];
