import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Bodies } from './stored-copy.ts';

/** Bodies below this size are not compressed: they fit into one packet anyway. In bytes. */
const WORTH = 500;

/** Up to this size the best compression takes at most two milliseconds, so it is used at once. In bytes. */
const FEW = 4_000;

const TEXT = /^text\/|[/+](json|xml|manifest\+json|javascript)(;|$)/;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Compresses a text body with brotli 5 (11 if it is small) and gzip, on the thread pool. */
export async function pack(identity: Buffer, contentType = ''): Promise<Bodies> {
  if (identity.length < WORTH || !TEXT.test(contentType)) return { identity };
  const isFew = identity.length <= FEW;
  const [br, gz] = await Promise.all([brotliAt(identity, isFew ? 11 : 5), zip(identity)]);
  return { identity, br, gzip: gz, ...(isFew ? { best: true } : {}) };
}

/** Recompresses a body with brotli 11, which takes about ten times as long. */
export async function packBest(bodies: Bodies): Promise<Bodies> {
  return { ...bodies, br: await brotliAt(bodies.identity, 11), best: true };
}

function brotliAt(body: Buffer, quality: number): Promise<Buffer> {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
  };
  return brotli(body, { params });
}

/** Encodings from the smallest to the largest. The order decides between encodings that a client weights equally. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const;

export type Encoding = (typeof ENCODINGS)[number];

/**
 * Parsed headers. Browsers send few different ones; the limit (in characters) bounds the memory that made-up headers
 * can take.
 */
const remembered = new LRUCache<string, readonly Encoding[]>({
  maxSize: 10_000,
  sizeCalculation: (_, header) => header.length + 1,
});

const PLAIN: readonly Encoding[] = ['identity'];

/** The encodings that a client accepts by its Accept-Encoding header (RFC 9110, 12.5.3), best first. Never empty. */
export function acceptedEncodings(header: string | undefined): readonly Encoding[] {
  if (header === undefined) return PLAIN;
  const known = remembered.get(header);
  if (known) return known;
  const read = readEncodings(header);
  remembered.set(header, read);
  return read;
}

function readEncodings(header: string): readonly Encoding[] {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((text) => text.startsWith('q='))?.slice(2) ?? '1';
    if (name)
      weights.set(name === 'x-gzip' ? 'gzip' : name, /^[01](\.\d{0,3})?$/.test(weight) ? Number(weight) : 0);
  }
  const any = weights.get('*');
  // Encodings that are not listed are refused, except identity: it is the last choice unless it is refused explicitly.
  const weightOf = (encoding: Encoding) =>
    weights.get(encoding) ?? any ?? (encoding === 'identity' ? Number.MIN_VALUE : 0);
  const accepted = ENCODINGS.filter((encoding) => weightOf(encoding) > 0);
  return accepted.length > 0 ? accepted.sort((a, b) => weightOf(b) - weightOf(a)) : PLAIN;
}
