import { describeParity } from "../support/parity.ts";

describeParity("webgpu");
