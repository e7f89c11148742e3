/** The process behind the `spyhop` command. */
import { runCommandLine } from "./dispatch.ts";
import { openProcessTerminal } from "./terminal.ts";

// Libraries may chat on stdout, which belongs to results.
console.log = console.error;
console.info = console.error;
console.debug = console.error;

process.exitCode = await runCommandLine(process.argv.slice(2), openProcessTerminal());
