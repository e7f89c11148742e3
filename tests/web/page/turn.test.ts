import { expect, test } from "vitest";
import { turnOf, type TurnState } from "../../../web/page/model/turn.ts";
import { EMPTY_RUN } from "../../../web/page/model/run-view.ts";

function stateOf(active: string, isComplete: boolean): TurnState {
  return { view: { ...EMPTY_RUN, isComplete }, runs: [], look: { run: "r" }, active };
}

test("turnOf says Finished only once the run is closed, since no other can begin before", () => {
  expect(turnOf(stateOf("r", true)).words).toBe("Finishing");
  expect(turnOf(stateOf("", true)).words).toBe("Finished");
  expect(turnOf(stateOf("other", true)).words).toBe("Finished");
});
