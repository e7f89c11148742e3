/** What the build tells the service worker of each of its files. */
export type BuildFile = {
  /** Path below the page's address. */
  readonly path: string;
  /** Of its content, so that what did not change is not fetched again. */
  readonly hash: string;
  /** Whether it is stored at once, or when it is first fetched. */
  readonly isNeeded: boolean;
};
