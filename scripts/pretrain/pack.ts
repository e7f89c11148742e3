/**
 * Packs chats into rows of one length, several documents a row.
 *
 * Documents follow each other whole; positions restart with each, and segment numbers let attention stay inside one.
 * Weight 1 is on what the assistant says and its end token, `PROMPT_WEIGHT` on everything else: a small model learns to
 * copy sooner when prompts are predicted too.
 */
import type { ChatMessage } from "../../src/text/chat.ts";
import { FAMILIES, transcripts, type Family } from "./corpus.ts";
import type { Transcript } from "./draw.ts";
import type { Encoder } from "./encoder.ts";

/** Loss weight of tokens that the assistant does not say. */
export const PROMPT_WEIGHT = 0.3;

/** One packed row of `rowLength` tokens, T. */
export type PackedRow = {
  /** [T] token ids, padded with `<|endoftext|>`. */
  readonly ids: Int32Array;
  /** [T] loss weight of each token as the target of the one before it; 0 on padding and on first tokens. */
  readonly weights: Float32Array;
  /** [T] position in the document. */
  readonly positions: Int32Array;
  /** [T] number of the document in the row, from 1; 0 is padding. */
  readonly segments: Int32Array;
  /** Family of each document, in order. */
  readonly families: readonly string[];
};

/** Options of `packRows`. */
export type PackOptions = {
  /** Tokens in a row. @default 448 */
  readonly rowLength?: number;
  /** Called for each document that is longer than a row and therefore left out. */
  readonly onDropped?: (transcript: Transcript, tokens: number) => void;
};

/** One encoded document with its weights. */
export type EncodedDocument = { readonly ids: readonly number[]; readonly weights: readonly number[] };

/** Encodes one chat: every message, then `<|endoftext|>`. The first token is no target. */
export function encodeDocument(messages: readonly ChatMessage[], encoder: Encoder): EncodedDocument {
  const start = encoder.tokenId("<|im_start|>");
  const end = encoder.tokenId("<|im_end|>");
  const ids: number[] = [];
  const weights: number[] = [];
  const fillTo = (weight: number): void => {
    while (weights.length < ids.length) weights.push(weight);
  };
  for (const { role, content } of messages) {
    ids.push(start);
    encoder.encodeInto(`${role}\n`, ids);
    fillTo(PROMPT_WEIGHT);
    encoder.encodeInto(content, ids);
    ids.push(end);
    fillTo(role === "assistant" ? 1 : PROMPT_WEIGHT);
    encoder.encodeInto("\n", ids);
  }
  ids.push(encoder.tokenId("<|endoftext|>"));
  fillTo(PROMPT_WEIGHT);
  weights[0] = 0;
  return { ids, weights };
}

type Waiting = { readonly document: EncodedDocument; readonly family: string };
type OpenRow = { readonly documents: Waiting[]; used: number };

/** Rows that wait for a document that fits; more fill rows better but hold documents back longer. */
const OPEN_ROWS = 8;

/** Rows of packed documents, as long as `stream` lasts; the last rows may be mostly padding. */
export function* packRows(
  stream: Iterable<Transcript>,
  encoder: Encoder,
  { rowLength = 448, onDropped }: PackOptions = {},
): Generator<PackedRow, void> {
  const open: OpenRow[] = [];
  for (const transcript of stream) {
    const document = encodeDocument(transcript.messages, encoder);
    const length = document.ids.length;
    if (length > rowLength) {
      onDropped?.(transcript, length);
      continue;
    }
    let row = fullest(open, rowLength - length);
    if (!row) {
      if (open.length >= OPEN_ROWS) yield closeFullest(open, rowLength);
      row = { documents: [], used: 0 };
      open.push(row);
    }
    row.documents.push({ document, family: transcript.family });
    row.used += length;
  }
  while (open.length > 0) yield closeFullest(open, rowLength);
}

/** The row with most tokens among those with at most `limit`. */
function fullest(rows: readonly OpenRow[], limit: number): OpenRow | undefined {
  let best: OpenRow | undefined;
  for (const row of rows) if (row.used <= limit && row.used > (best?.used ?? -1)) best = row;
  return best;
}

function closeFullest(open: OpenRow[], rowLength: number): PackedRow {
  const row = fullest(open, rowLength);
  if (!row) throw new RangeError("packRows: no row is open");
  open.splice(open.indexOf(row), 1);
  return buildRow(row.documents, rowLength);
}

function buildRow(documents: readonly Waiting[], length: number): PackedRow {
  const row = {
    ids: new Int32Array(length),
    weights: new Float32Array(length),
    positions: new Int32Array(length),
    segments: new Int32Array(length),
    families: documents.map(({ family }) => family),
  };
  let at = 0;
  for (const [index, { document }] of documents.entries()) {
    row.ids.set(document.ids, at);
    row.weights.set(document.weights, at);
    for (let i = 0; i < document.ids.length; i += 1) row.positions[at + i] = i;
    row.segments.fill(index + 1, at, at + document.ids.length);
    at += document.ids.length;
  }
  return row;
}

/** Options of `validationRows`. */
export type ValidationOptions = PackOptions & {
  /** Chats of each family. @default 60 */
  readonly documents?: number;
};

/** Fixed rows for each family, from streams that training never reads. */
export function validationRows(
  seed: number,
  encoder: Encoder,
  options: ValidationOptions = {},
): Record<Family, PackedRow[]> {
  const { documents = 60, ...packing } = options;
  const rowsOf = (family: Family): PackedRow[] => [
    ...packRows(take(transcripts(seed, 0, family), documents), encoder, packing),
  ];
  return Object.fromEntries(FAMILIES.map((family) => [family, rowsOf(family)])) as Record<Family, PackedRow[]>;
}

function* take<T>(items: Iterable<T>, count: number): Generator<T, void> {
  let left = count;
  for (const item of items) {
    if (left <= 0) return;
    left -= 1;
    yield item;
  }
}
