/** The thread of one replica: decodes on one core what the engine in the first thread deals out. */
import { serveReplica } from "../generation/remote-replica.ts";
import { openRuntime } from "../platform/node/ort-node.ts";
import { parentThread } from "../platform/node/thread.ts";

serveReplica(parentThread(), openRuntime("cpu", { threads: 1 }));
