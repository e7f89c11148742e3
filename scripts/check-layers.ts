/**
 * Runs dependency-cruiser over the tree and fails on any violation, or when it saw fewer modules than there are files:
 * with a TypeScript it does not know it silently cruises nothing and reports success.
 */
import { execFileSync, spawnSync } from "node:child_process";

type Report = {
  readonly summary: {
    readonly totalCruised: number;
    readonly violations: readonly {
      readonly rule: { readonly name: string };
      readonly from: string;
      readonly to: string;
    }[];
  };
};

const ROOTS = ["src", "domains", "web"];
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...ROOTS], {
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file.endsWith(".ts"));
const run = spawnSync("npx", ["depcruise", "--config", ".dependency-cruiser.cjs", "--output-type", "json", ...ROOTS], {
  encoding: "utf8",
  maxBuffer: 1 << 28,
});
const { summary } = JSON.parse(run.stdout) as Report;
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} -> ${to}`);
if (summary.totalCruised < files.length)
  console.error(`layers: ${String(summary.totalCruised)} modules seen, ${String(files.length)} files present`);
const isClean = summary.violations.length === 0 && summary.totalCruised >= files.length;
console.log(`layers: ${String(summary.totalCruised)} modules, ${String(summary.violations.length)} violations`);
process.exitCode = isClean ? 0 : 1;
