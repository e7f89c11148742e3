/** The port for a folder of model files: a directory in Node, picked files or a download cache in a browser. */

/** A file that can be read in parts. */
export type FileReader = {
  /** Size in bytes. */
  readonly size: number;
  /** The bytes from `start` up to `end`, without the byte at `end`; fewer where the file has become shorter. */
  readonly read: (start: number, end: number) => Promise<Uint8Array>;
};

/** A folder that can only be read. Paths use `/` and are relative to it. */
export type FolderReader = {
  /** What to call the folder in messages, such as the path that the user gave. */
  readonly name: string;
  /** The bytes of the file at `path`, or undefined where there is none. */
  readonly read: (path: string) => Promise<Uint8Array | undefined>;
  /** The file at `path` for reading in parts, so that weights need not lie in memory twice. @default by way of `read` */
  readonly open?: (path: string) => Promise<FileReader | undefined>;
};

/** Opens the file at `path` of `folder` for reading in parts, or gives undefined where there is none. */
export async function openFile(folder: FolderReader, path: string): Promise<FileReader | undefined> {
  if (folder.open) return folder.open(path);
  const bytes = await folder.read(path);
  return bytes && { size: bytes.byteLength, read: (start, end) => Promise.resolve(bytes.subarray(start, end)) };
}
