import { describeCachedDecoding } from "../support/cached-decoding.ts";

describeCachedDecoding("cpu", ["inputs", "constants"]);
describeCachedDecoding("wasm", ["inputs"]);
