import { describeCachedDecoding } from "../support/cached-decoding.ts";

describeCachedDecoding("webgpu", ["constants"]);
