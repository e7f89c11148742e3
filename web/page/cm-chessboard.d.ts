/** Types of the parts of cm-chessboard that the page uses; the package brings none. */
declare module "cm-chessboard/src/Chessboard.js" {
  type BoardOptions = {
    readonly position: string;
    readonly orientation: "w" | "b";
    readonly assetsUrl: string;
    readonly style: object;
    readonly extensions: readonly { readonly class: unknown; readonly props: object }[];
  };
  export class Chessboard {
    constructor(context: HTMLElement, options: BoardOptions);
    setPosition(fen: string, animated?: boolean): Promise<void>;
    /** Of the extension Markers. */
    addMarker(type: object, square: string): void;
    /** Of the extension Markers. */
    removeMarkers(type?: object, square?: string): void;
  }
}

declare module "cm-chessboard/src/extensions/markers/Markers.js" {
  // The package's own name.
  const markerType: { readonly square: object };
  const markers: unknown;
  export { markerType as MARKER_TYPE, markers as Markers };
}
