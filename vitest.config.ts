import { defineConfig } from "vitest/config";

const project = (name: string, include: string[], testTimeout: number) => ({
  test: {
    name,
    include,
    testTimeout,
    hookTimeout: testTimeout,
    setupFiles: ["tests/setup.ts"],
    pool: "forks" as const,
  },
});

/** Tests of the built page in Chromium; one file at a time, since each of them keeps two processors busy. */
const pageProject = () => {
  const { test } = project("page", ["tests/**/*.page.test.ts"], 300_000);
  return { test: { ...test, globalSetup: ["tests/support/page-build.ts"], fileParallelism: false } };
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      project("unit", ["tests/**/*.test.ts", "!tests/**/*.{slow,browser,page}.test.ts"], 20_000),
      project("slow", ["tests/**/*.slow.test.ts"], 600_000),
      project("browser", ["tests/**/*.browser.test.ts"], 600_000),
      pageProject(),
    ],
  },
});
