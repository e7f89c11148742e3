import { describeCachedDecoding } from "../support/cached-decoding.ts";

describeCachedDecoding("cpu", ["baked", "inputs", "constants"]);
describeCachedDecoding("wasm", ["baked", "inputs"]);
