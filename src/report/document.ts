/** The frame of every page: one file, its style inside, nothing loaded and no script run. */
import { html, raw, type Html } from "./html.ts";
import { REPORT_STYLE } from "./style.ts";

/** A whole HTML document with `body`. */
export function drawDocument(title: string, body: Html): string {
  return `<!doctype html>\n${
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${`Spyhop: ${title}`}</title>
        <style>
          ${raw(REPORT_STYLE)}
        </style>
      </head>
      <body>
        ${body}
      </body>
    </html>`.markup
  }\n`;
}
