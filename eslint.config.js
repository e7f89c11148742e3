import js from "@eslint/js";
import jsdoc from "eslint-plugin-jsdoc";
import ts from "typescript-eslint";
import { defineConfig } from "eslint/config";

const noHiddenRandomness = [
  "error",
  { object: "Math", property: "random", message: "Take an Rng from src/base/rng.ts." },
  { object: "Date", property: "now", message: "Take a Clock from src/base/clock.ts." },
];

const noLooseSyntax = [
  "error",
  { selector: "ExportDefaultDeclaration", message: "Named exports only." },
  { selector: "ExportAllDeclaration", message: "List the names." },
  { selector: "NewExpression[callee.name='Error']", message: "Throw a built-in or a LabError." },
];

export default defineConfig(
  { ignores: ["**/dist", "docs/api", "runs", ".pretrain", "bin", "**/*.config.*", "*.cjs"] },
  js.configs.recommended,
  ts.configs.strictTypeChecked,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
  {
    rules: {
      "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
      "max-lines-per-function": ["error", { max: 80, skipBlankLines: true, skipComments: true }],
      "max-params": ["error", 3],
      "no-console": "error",
      "no-restricted-properties": noHiddenRandomness,
      "no-restricted-syntax": noLooseSyntax,
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/consistent-type-definitions": ["error", "type"],
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      // There are no enums (erasableSyntaxOnly), and it is one of the slowest rules.
      "@typescript-eslint/no-unsafe-enum-assignment": "off",
      "@typescript-eslint/naming-convention": [
        "error",
        { selector: "default", format: ["camelCase"], leadingUnderscore: "allow" },
        { selector: "variable", modifiers: ["const", "global"], format: ["camelCase", "UPPER_CASE"] },
        { selector: "typeLike", format: ["PascalCase"] },
        { selector: "import", format: null },
        { selector: ["objectLiteralProperty", "typeProperty"], format: null },
      ],
    },
  },
  {
    files: ["src/**/*.ts", "domains/**/*.ts"],
    plugins: { jsdoc },
    rules: {
      "jsdoc/require-jsdoc": [
        "error",
        {
          publicOnly: true,
          require: { FunctionDeclaration: true, ClassDeclaration: true, MethodDefinition: true },
          contexts: ["TSInterfaceDeclaration", "TSTypeAliasDeclaration"],
        },
      ],
      "jsdoc/no-types": "error",
      "jsdoc/check-param-names": "error",
      "jsdoc/check-tag-names": "error",
    },
  },
  { files: ["src/cli/**/*.ts", "bench/**/*.ts", "scripts/**/*.ts"], rules: { "no-console": "off" } },
  {
    files: ["tests/**/*.ts"],
    rules: {
      "max-lines-per-function": "off",
      "@typescript-eslint/no-non-null-assertion": "off",
    },
  },
);
