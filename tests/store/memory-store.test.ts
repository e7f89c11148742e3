import { describe } from "vitest";
import { createMemoryStore } from "../../src/store/memory-store.ts";
import { testBlobStore } from "../support/blob-store-contract.ts";

describe("createMemoryStore", () => {
  testBlobStore(createMemoryStore);
});
