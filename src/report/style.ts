/**
 * The report's style sheet. Blue stands for weights and orange for the harness, everywhere (Okabe & Ito's palette, which
 * survives colour blindness); both have a darker form for text on white. Nothing is loaded from outside.
 */

/**
 * Conditions that have a colour of their own where each occurs once, in the order of the `run-N` classes; others take the
 * colours in turn. What stands for one part has that part's hue. No two are told apart by red and green.
 */
export const SERIES = ["whale", "weight-only", "harness-only", "adaptive", "stagewise", "fst", "fst-native"] as const;

/** The style sheet as text. */
export const REPORT_STYLE: string = `
:root {
  color-scheme: light dark;
  --page: #fdfdfc; --card: #ffffff; --ink: #1b1f24; --quiet: #5b6470; --rule: #dfe3e8; --soft: #f3f5f7;
  --weights: #0072b2; --harness: #d55e00; --harness-fill: #e69f00; --on-weights: #ffffff;
  --added: #e3f1fb; --removed: #fdeedd; --added-mark: #a9d5f2; --removed-mark: #f8cc94;
  --run-0: #1b1f24; --run-1: #0072b2; --run-2: #c45a00; --run-3: #8a4fbf; --run-4: #b65f8f; --run-5: #7a6a00; --run-6: #2f93c9;
  --heat: #5b3f8c; --on-heat: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171a; --card: #1b1f23; --ink: #e8eaed; --quiet: #a2abb6; --rule: #343a41; --soft: #22272c;
    --weights: #56b4e9; --harness: #f0a33a; --harness-fill: #e69f00; --on-weights: #06202f;
    --added: #12324a; --removed: #46290a; --added-mark: #1f5f8e; --removed-mark: #85500f;
    --run-0: #e8eaed; --run-1: #56b4e9; --run-2: #f0a33a; --run-3: #bd93e6; --run-4: #e09cc3; --run-5: #e2cf4a; --run-6: #9fd8f7;
    --heat: #b79cf0; --on-heat: #1a1030;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif;
  font-variant-numeric: tabular-nums;
}
main, header.top, footer { max-width: 1080px; margin: 0 auto; padding: 0 24px; }
header.top { padding-top: 48px; }
h1 { font-size: 28px; line-height: 1.25; margin: 4px 0 12px; letter-spacing: -0.01em; }
h2 { font-size: 20px; margin: 56px 0 8px; letter-spacing: -0.005em; }
h3 { font-size: 16px; margin: 0 0 4px; }
p { max-width: 72ch; margin: 8px 0; }
.eyebrow { font-size: 13px; color: var(--quiet); margin: 0; }
.lead { font-size: 20px; line-height: 1.45; max-width: 64ch; margin: 0 0 20px; }
.quiet { color: var(--quiet); font-size: 14px; }
code, pre { font-family: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 13px; }
.w { color: var(--weights); font-weight: 600; } .h { color: var(--harness); font-weight: 600; }
.warning { border-left: 4px solid var(--harness-fill); background: var(--soft); padding: 8px 12px; }

.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(180px, 1fr)); gap: 12px; margin: 20px 0 8px; }
.tile { border: 1px solid var(--rule); border-radius: 8px; background: var(--card); padding: 12px 16px; }
.tile b { display: block; font-size: 28px; line-height: 1.2; letter-spacing: -0.01em; }
.tile span { font-size: 13px; color: var(--quiet); display: block; }
.tile.is-chosen { border-color: var(--ink); }

figure { margin: 16px 0 0; } figcaption { font-size: 13px; color: var(--quiet); margin-bottom: 4px; }
figcaption b { color: var(--ink); }
.card { border: 1px solid var(--rule); border-radius: 8px; background: var(--card); padding: 12px 12px 4px; }
.card.wide { overflow-x: auto; } .card.wide svg { min-width: 620px; } .card.wide svg[style*=max-width] { min-width: 320px; }
svg { display: block; width: 100%; height: auto; overflow: visible; }
svg text { font-size: 12px; fill: var(--quiet); font-family: inherit; }
.grid { stroke: var(--rule); stroke-width: 1; } .base-rule { stroke: var(--quiet); }
.axis-title { fill: var(--ink); }
.wash { opacity: 0.09; } .phase.weights .wash, .wash.weights { fill: var(--weights); }
.phase.harness .wash, .wash.harness { fill: var(--harness-fill); opacity: 0.12; }
.phase.weights .strip { fill: var(--weights); } .phase.harness .strip { fill: var(--harness-fill); }
.phase text { font-size: 11px; font-weight: 600; fill: var(--on-weights); } .phase.harness text { fill: #241a00; }
.base-line line { stroke: var(--quiet); stroke-dasharray: 2 4; }
.series .line { fill: none; stroke: var(--ink); stroke-width: 2.25; stroke-linejoin: round; }
.series .band { fill: var(--ink); opacity: 0.1; }
.series.validation .line { stroke: var(--quiet); stroke-width: 1.5; stroke-dasharray: 6 4; }
.series.validation .band { opacity: 0.06; }
.dot circle { fill: var(--ink); stroke: var(--card); stroke-width: 1.5; }
.dot.weights circle { fill: var(--weights); } .dot.harness circle { fill: var(--harness-fill); }
.dot circle.hollow { fill: var(--card); stroke: var(--quiet); }
.dot.weights circle.hollow { stroke: var(--weights); } .dot.harness circle.hollow { stroke: var(--harness); }
.chosen circle { fill: none; stroke: var(--ink); stroke-width: 1.5; } .chosen text, .ending .test { fill: var(--ink); font-weight: 600; }
.steps .line { fill: none; stroke: var(--weights); stroke-width: 1.75; } .steps circle { fill: var(--weights); }
.overlay .line { fill: none; stroke-width: 2.25; stroke-linejoin: round; } .overlay .band { opacity: 0.1; }
${SERIES.map((_, i) => i)
  .map(
    (i) =>
      `.overlay.run-${String(i)} .line { stroke: var(--run-${String(i)}); stroke-dasharray: ${["none", "8 3", "3 3", "10 3 2 3", "14 4", "2 5", "6 2 2 2"][i] ?? "none"}; } ` +
      `.overlay.run-${String(i)} circle, .overlay.run-${String(i)} .band { fill: var(--run-${String(i)}); } ` +
      `.names path.run-${String(i)} { stroke: var(--run-${String(i)}); } .names text.run-${String(i)} { fill: var(--run-${String(i)}); } ` +
      `.swatch.run-${String(i)} { background: var(--run-${String(i)}); }`,
  )
  .join("\n")}
.names path { fill: none; stroke-width: 1; opacity: 0.5; } .names text { font-weight: 600; }
.strip-row .weights { fill: var(--weights); } .strip-row .harness { fill: var(--harness-fill); } .strip-row text { font-size: 11px; }
.seeds path { fill: none; stroke: var(--quiet); stroke-width: 1; opacity: 0.6; }
.difference line { stroke: var(--ink); stroke-width: 2; } .difference circle { fill: var(--ink); stroke: var(--ink); stroke-width: 2; }
.difference.is-open circle { fill: var(--card); } .difference text { fill: var(--ink); } .difference.is-open text { fill: var(--quiet); }
.heat rect { fill: var(--heat); } .heat text { font-size: 13px; fill: var(--ink); font-weight: 600; } .heat .is-dark text { fill: var(--on-heat); }
.axis-title.w { fill: var(--weights); } .axis-title.h { fill: var(--harness); }
.way path { fill: none; stroke-width: 3; stroke: var(--quiet); } .way path.weights { stroke: var(--weights); } .way path.harness { stroke: var(--harness-fill); }
.way path, .way circle { paint-order: stroke; } .way circle { fill: var(--ink); stroke: var(--card); stroke-width: 2; }
.way circle.weights { fill: var(--weights); } .way circle.harness { fill: var(--harness-fill); }
h3.apart { margin-top: 32px; } .notes { color: var(--quiet); font-size: 14px; max-width: 80ch; padding-left: 20px; }
.small-charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(380px, 1fr)); gap: 8px 24px; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 20px; padding: 0; margin: 8px 4px; font-size: 13px; color: var(--quiet); }
.legend li { display: flex; align-items: center; gap: 8px; }
.swatch { display: inline-block; width: 18px; height: 4px; border-radius: 2px; background: var(--ink); }
.swatch.validation { background: repeating-linear-gradient(90deg, var(--quiet) 0 5px, transparent 5px 8px); }
.swatch.weights, .swatch.harness { width: 10px; height: 10px; border-radius: 50%; }
.swatch.weights { background: var(--weights); } .swatch.harness { background: var(--harness-fill); }

.diff { border: 1px solid var(--rule); border-radius: 8px; background: var(--card); overflow-x: auto; padding: 8px 0; margin: 12px 0; }
.diff-line { display: flex; min-width: max-content; line-height: 1.5; }
.diff-line code { white-space: pre; padding-right: 16px; }
.diff-line .number { flex: none; width: 44px; text-align: right; padding-right: 10px; color: var(--quiet); font-size: 12px; user-select: none; }
.diff-line .sign { flex: none; width: 20px; text-align: center; color: var(--quiet); font-family: ui-monospace, monospace; font-size: 13px; user-select: none; }
.diff-line.added { background: var(--added); } .diff-line.removed { background: var(--removed); }
.diff-line.gap { color: var(--quiet); background: var(--soft); margin: 4px 0; }
mark { color: inherit; border-radius: 2px; } .added mark { background: var(--added-mark); } .removed mark { background: var(--removed-mark); }
.plus { color: var(--weights); } .minus { color: var(--harness); }
pre.source { border: 1px solid var(--rule); border-radius: 8px; background: var(--card); padding: 12px 16px; overflow-x: auto; }
summary { cursor: pointer; padding: 4px 0; } summary:focus-visible { outline: 2px solid var(--weights); outline-offset: 2px; }

.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: 6px 12px 6px 0; border-bottom: 1px solid var(--rule); }
thead th { font-size: 13px; color: var(--quiet); font-weight: 500; } tbody th { font-weight: 400; }
.figure { text-align: right; white-space: nowrap; }
caption { text-align: left; font-weight: 600; padding: 4px 0; }
.candidates small { color: var(--quiet); } .candidates td:nth-child(5) { min-width: 260px; }
tr.is-accepted td { background: color-mix(in srgb, var(--harness-fill) 14%, transparent); font-weight: 500; }
tr.is-accepted td:first-child { box-shadow: -8px 0 0 color-mix(in srgb, var(--harness-fill) 14%, transparent), inset 3px 0 0 var(--harness-fill); padding-left: 10px; }
tr.is-refused td { color: var(--quiet); }
.bar { display: block; width: 72px; height: 4px; margin: 4px 0 0 auto; background: var(--soft); border-radius: 2px; overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--harness-fill); }
.candidates code { white-space: nowrap; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(340px, 100%), 1fr)); gap: 24px; align-items: start; }
.columns > * { min-width: 0; }
.facts td { white-space: normal; overflow-wrap: anywhere; }

.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 16px; margin: 8px 0 24px; }
.transcript { border: 1px solid var(--rule); border-radius: 8px; background: var(--card); padding: 12px 16px; min-width: 0; }
.message { margin: 8px 0; border-left: 3px solid var(--rule); padding: 2px 0 2px 10px; }
.message pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.message .role { font-size: 12px; color: var(--quiet); }
.message.sampled { border-color: var(--weights); background: color-mix(in srgb, var(--weights) 6%, transparent); }
.message.tool, .message.result { border-color: var(--harness-fill); } .message.error { border-color: var(--harness); }
.prefill { color: var(--harness); border-bottom: 1px dotted var(--harness); } .cut { color: var(--quiet); font-style: italic; }
.verdict { font-size: 13px; font-weight: 500; border-radius: 10px; padding: 1px 10px; margin-left: 6px; }
.verdict.is-right { background: var(--ink); color: var(--page); } .verdict.is-wrong { border: 1px solid var(--quiet); color: var(--quiet); }
.outcome { font-size: 14px; margin-bottom: 0; }
footer { color: var(--quiet); font-size: 13px; margin: 64px auto 48px; }
@media (max-width: 760px) { .pair { grid-template-columns: 1fr; } .small-charts { grid-template-columns: 1fr; } }
@media print { details { break-inside: avoid; } body { background: #ffffff; } }
`;
