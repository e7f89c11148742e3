import { describeParity } from "../support/parity.ts";

describeParity("cpu");
describeParity("wasm");
