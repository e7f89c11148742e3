/** The process behind the `spyhop` command. */
import { setFlagsFromString } from "node:v8";
import { runCommandLine } from "./dispatch.ts";
import { openProcessTerminal } from "./terminal.ts";

// Libraries may chat on stdout, which belongs to results.
console.log = console.error;
console.info = console.error;
console.debug = console.error;

// A parallel collection waits for helper threads, which wait for a core where every core decodes or plays another run.
setFlagsFromString("--no-parallel-scavenge");

process.exitCode = await runCommandLine(process.argv.slice(2), openProcessTerminal());
