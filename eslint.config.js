import js from "@eslint/js";

// Text from programs reaches the page as text nodes only (Trusted Types are on as well).
const AS_TEXT = "Text from programs is only ever a text node: use textContent, append or a Preact child.";

/** The property `name` of whatever object, written `.name`, `["name"]` or `{ name: … }` in a pattern. */
const property = (name, message) => ({ property: name, message });

export default [
  { ignores: ["static/vendor/", "static/vendor.*/", "node_modules/", ".venv/", "dist/", "build/", "test-results/"] },
  js.configs.recommended,
  {
    rules: {
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-restricted-properties": [
        "error",
        ...["innerHTML", "outerHTML", "insertAdjacentHTML", "setHTMLUnsafe", "srcdoc"].map((name) => property(name, AS_TEXT)),
        ...["createContextualFragment", "parseFromString", "parseHTMLUnsafe"].map((name) => property(name, AS_TEXT)),
        ...["write", "writeln"].map((name) => ({ object: "document", property: name, message: AS_TEXT })),
      ],
      "no-restricted-syntax": [
        "error",
        { selector: "Property[key.name=/^(inner|outer)HTML$/]", message: AS_TEXT },
        { selector: "Property[key.name='dangerouslySetInnerHTML']", message: AS_TEXT },
        { selector: "Property[key.value='dangerouslySetInnerHTML']", message: AS_TEXT },
        { selector: "TemplateElement[value.raw=/(dangerouslySetInnerHTML|innerHTML|srcdoc)=/]", message: AS_TEXT },
      ],
      "no-undef": "off", // tsc knows the browser's globals better
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", caughtErrors: "none" }],
      "no-var": "error",
      "prefer-const": "error",
    },
  },
];
