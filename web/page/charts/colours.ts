/** The colours of the stylesheet for what is drawn on a canvas. Okabe & Ito (2008): blue is weights, orange is harness. */

/** Colours by their role. */
export type Palette = {
  readonly ink: string;
  readonly soft: string;
  readonly faint: string;
  readonly line: string;
  readonly surface: string;
  readonly weights: string;
  readonly weightsWash: string;
  readonly weightsText: string;
  readonly harness: string;
  readonly harnessWash: string;
  readonly harnessText: string;
  readonly test: string;
  readonly testBand: string;
  readonly validationBand: string;
  readonly overlays: readonly string[];
  readonly font: string;
};

/** The palette of the theme as it is now. */
export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: get("ink"),
    soft: get("ink-soft"),
    faint: get("line-soft"),
    line: get("line"),
    surface: get("surface"),
    weights: get("weights"),
    weightsWash: get("weights-wash"),
    weightsText: get("weights-text"),
    harness: get("harness"),
    harnessWash: get("harness-wash"),
    harnessText: get("harness-text"),
    test: get("ink"),
    testBand: get("test-band"),
    validationBand: get("validation-band"),
    overlays: [get("overlay-1"), get("overlay-2"), get("overlay-3"), get("overlay-4")],
    font: `12px ${get("sans")}`,
  };
}
