/**
 * A sandbox without an isolate, for tests that make hundreds of runs with harnesses of their own: it evaluates the module
 * in this process and counts nothing. What the real one guarantees is tested in `tests/sandbox`.
 */
import { runInThisContext } from "node:vm";
import { describeError } from "../../src/base/errors.ts";
import type { JsonValue } from "../../src/base/json.ts";
import type { GuestOutcome, GuestProgram, HostFunctions, Sandbox } from "../../src/sandbox/isolate.ts";

type Entry = (...args: readonly unknown[]) => Promise<JsonValue | undefined>;

/** A sandbox for trusted sources whose exports stand at the start of a line. */
export function createDirectSandbox(): Sandbox {
  const entries = new Map<string, Entry>();
  const compile = ({ source, entry = "undefined" }: GuestProgram): Entry => {
    const known = entries.get(source);
    if (known !== undefined) return known;
    const body = source.replace(/^export /gm, "");
    const compiled = runInThisContext(`(() => { ${body}\nreturn ${entry}; })()`) as Entry;
    entries.set(source, compiled);
    return compiled;
  };
  return {
    alive: () => 0,
    run: async (program): Promise<GuestOutcome> => {
      try {
        const value = await compile(program)(...program.args, nest(program.host));
        return { ok: true, value, fuel: 1, log: [] };
      } catch (error) {
        return { ok: false, fault: "thrown", message: describeError(error), fuel: 1, log: [] };
      }
    },
    [Symbol.dispose]: () => {
      entries.clear();
    },
  };
}

/** Host functions as the harness sees them; tools are left out, since the tests' domains have none. */
function nest(host: HostFunctions): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(host).map(([name, call]) => [name, async (...args: JsonValue[]) => call(args)]),
  );
}
