import js from "@eslint/js";
import boundaries from "eslint-plugin-boundaries";
import vue from "eslint-plugin-vue";
import a11y from "eslint-plugin-vuejs-accessibility";
import globals from "globals";
import ts from "typescript-eslint";

/** What ties the page to its surroundings; only the two edges may touch it. */
const edges = [
  { name: "fetch", message: "Only api/http.ts calls the server." },
  { name: "EventSource", message: "Only api/http.ts calls the server." },
  { name: "window", message: "Only api/wails.ts talks to the window; document, matchMedia and the like have names of their own." },
];

/** Lets files of one layer import those of others. @type {(from: string, ...to: string[]) => object} */
const reach = (from, ...to) => ({ from: { element: { type: from } }, allow: { to: { element: { types: { anyOf: to } } } } });

export default ts.config(
  { ignores: ["dist/", "node_modules/", "wailsjs/", "src/api/*.gen.ts"] },
  js.configs.recommended,
  {
    files: ["src/**/*.{ts,vue}", "*.ts"],
    extends: [ts.configs.strictTypeChecked, ts.configs.stylisticTypeChecked, vue.configs["flat/recommended"], a11y.configs["flat/recommended"]],
    languageOptions: {
      globals: globals.browser,
      parserOptions: { parser: ts.parser, project: ["./tsconfig.json", "./tsconfig.node.json"], extraFileExtensions: [".vue"] },
    },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      // The types of .vue files are known to vue-tsc alone, which checks these uses.
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-return": "off",
      // Composables return plain functions to be taken apart.
      "@typescript-eslint/unbound-method": "off",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "no-restricted-globals": ["error", ...edges],
      "vue/block-lang": ["error", { script: { lang: "ts" } }],
      "vue/component-api-style": ["error", ["script-setup"]],
      "vue/define-props-destructuring": "error",
      "vue/no-bare-strings-in-template": ["error", { allowlist: ["–", "<", "·", "›", "≥", "/", "#", "→", "…", "[", "]", ",", "+", ":"] }],
      "vue/no-undef-components": "error",
      "vue/no-unused-emit-declarations": "error",
      "vue/no-unused-properties": "error",
      "vue/no-v-html": "error",
      // The shape of a line is the author's; what it means is checked above.
      "vue/max-attributes-per-line": "off",
      "vue/singleline-html-element-content-newline": "off",
      "vue/html-self-closing": "off",
      "vue/html-indent": "off",
      "vue/multiline-html-element-content-newline": "off",
      "vue/html-closing-bracket-newline": "off",
      // A label that wraps its control names it too.
      "vuejs-accessibility/label-has-for": ["error", { controlComponents: ["SwitchRoot"], required: { some: ["nesting", "id"] } }],
      "vuejs-accessibility/heading-has-content": ["error", { accessibleChildren: ["UiSelect"] }],
      // Whether a property may be left out is said by its type.
      "vue/require-default-prop": "off",
    },
  },
  {
    files: ["src/api/http.ts", "src/api/wails.ts"],
    rules: { "no-restricted-globals": "off" },
  },
  {
    files: ["src/**/*.{ts,vue}"],
    plugins: { boundaries },
    settings: {
      "import/resolver": { typescript: { project: "./tsconfig.json" } },
      "boundaries/elements": [
        { type: "app", pattern: "src/app" },
        { type: "feature", pattern: "src/features/*", capture: ["feature"] },
        { type: "ui", pattern: "src/ui" },
        { type: "api", pattern: "src/api" },
        { type: "lib", pattern: "src/lib" },
      ],
    },
    rules: {
      "boundaries/dependencies": [
        "error",
        {
          default: "disallow",
          message: "Imports go app → features → ui and api → lib, and no feature imports another.",
          policies: [
            // Packages are limited by package.json; the page's own layers by what follows.
            { allow: { to: { module: { origin: ["external", "core"] } } } },
            reach("app", "app", "feature", "ui", "api", "lib"),
            reach("feature", "ui", "api", "lib"),
            {
              from: { element: { type: "feature" } },
              allow: { to: { element: { type: "feature", captured: { feature: "{{from.element.captured.feature}}" } } } },
            },
            reach("ui", "ui", "lib"),
            reach("api", "api", "lib"),
            reach("lib", "lib"),
          ],
        },
      ],
    },
  },
  {
    files: ["e2e/**/*.mjs", "*.js"],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
  },
);
