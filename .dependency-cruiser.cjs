/** The layer table lives in layers.json: which folders of src/ each folder of src/ may import. */
const MAY_IMPORT = require("./layers.json");
const CORE = `^src/(${Object.keys(MAY_IMPORT).join("|")})/`;
const PORTS = "base|store|runtime|sandbox|weights|text|platform";
module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-orphans",
      severity: "error",
      from: { orphan: true, pathNot: ["\\.d\\.ts$", "\\.config\\.", "^tests/"] },
      to: {},
    },
    ...Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
      name: `layer-${folder}`,
      severity: "error",
      from: { path: `^src/${folder}/` },
      to: { path: "^(src|web|domains|tests|bench)/", pathNot: `^src/(${[folder, ...allowed].join("|")})/` },
    })),
    {
      name: "core-is-portable",
      severity: "error",
      comment: "no Node built-ins outside platform/node and cli",
      from: { path: CORE },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "platform-implements-ports-only",
      severity: "error",
      from: { path: "^src/platform/" },
      to: { path: "^(src|web|domains)/", pathNot: `^src/(${PORTS})/` },
    },
    {
      name: "domains-see-the-contract-only",
      severity: "error",
      from: { path: "^domains/([^/]+)/" },
      to: {
        path: "^(src|web|domains)/",
        pathNot: ["^src/(base|rollout|sandbox)/", "^domains/$1/", "^domains/shared/"],
      },
    },
    {
      name: "src-never-names-a-domain",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/cli/" },
      to: { path: "^domains/" },
    },
    {
      name: "web-uses-the-public-door",
      severity: "error",
      from: { path: "^web/" },
      to: { path: "^src/", pathNot: "^src/(index\\.ts$|platform/browser/)" },
    },
    {
      name: "no-dev-dependency-in-src",
      severity: "error",
      from: { path: "^(src|domains)/" },
      to: { dependencyTypes: ["npm-dev"] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
  },
};
