import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Bodies } from './copy.ts';

/** Below this a body travels in the same packet whether it is packed or not. In bytes. */
const WORTH = 500;

/** Up to this the smallest form takes no longer than two milliseconds: it is made at once. In bytes. */
const FEW = 4_000;

const TEXT = /^text\/|[/+](json|xml|manifest\+json|javascript)(;|$)/;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** A body with what is made of it at once: some milliseconds, on other threads than this one. */
export async function pack(identity: Buffer, contentType = ''): Promise<Bodies> {
  if (identity.length < WORTH || !TEXT.test(contentType)) return { identity };
  const isFew = identity.length <= FEW;
  const [br, gz] = await Promise.all([brotliAt(identity, isFew ? 11 : 5), zip(identity)]);
  return { identity, br, gzip: gz, ...(isFew ? { best: true } : {}) };
}

/** The same with the smallest form that can be had, which takes ten times as long. */
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
