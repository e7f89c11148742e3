/** The port for a folder of model files: a directory in Node, a picked folder or a download cache in a browser. */

/** A folder that can only be read. Paths use `/` and are relative to it. */
export type FolderReader = {
  /** What to call the folder in messages, such as the path that the user gave. */
  readonly name: string;
  /** The bytes of the file at `path`, or undefined where there is none. */
  readonly read: (path: string) => Promise<Uint8Array | undefined>;
};
