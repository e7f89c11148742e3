/** Runs or resumes the toy run in a directory, as a process of its own that a test may kill. Arguments: folder, steps. */
import { createFsBlobStore } from "../../src/platform/node/fs-blob-store.ts";
import { createRun, openRun } from "../../src/store/run-store.ts";
import { continueToyRun } from "./toy-run.ts";

const [root = "", steps = "0"] = process.argv.slice(2);
const store = createFsBlobStore(root);
const started = (await store.read("config.json")) !== undefined;
const run = started ? await openRun(store, root) : await createRun(store, { name: root, config: {} });
await continueToyRun(run, Number(steps));
