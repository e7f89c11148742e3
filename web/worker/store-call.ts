/** The message by which the test page calls a blob store; not part of the build that is published. */

/** A call of one method of the blob store at `root`. */
export type StoreCall = {
  readonly id: number;
  readonly root: string;
  readonly method: "read" | "write" | "append" | "truncate" | "list" | "remove";
  readonly args: readonly [path: string, more?: Uint8Array | number];
};
