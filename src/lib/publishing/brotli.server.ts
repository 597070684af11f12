import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants } from 'node:zlib';

const brotli = promisify(brotliCompress);

/** Bytes of TCP's initial window: ten segments of 1,460 bytes, sent before the first acknowledgement. */
export const FIRST_ROUND_TRIP = 14_600;

/** Limits of the format for its window, as powers of two. A page of 64 KB or more gains nothing from a larger one. */
const WINDOW_BITS = { min: 10, max: 16 };

/** Up to this length and quality, handing a text to another thread takes longer than compressing it here. */
const AT_ONCE = { length: 16_000, quality: 5 };

/**
 * Compresses a text with Brotli, a long one on the thread pool. The window is as large as the text: the default of 4 MB
 * made a page of 27 KB take 6.4 instead of 1.3 ms of processor time, for memory that it did not need.
 * @param quality 1 (fast) to 11 (small)
 */
export async function brotliText(text: string | Buffer, quality: number): Promise<Buffer> {
  const bits = Math.ceil(Math.log2(text.length + 1));
  const options = {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
      [constants.BROTLI_PARAM_LGWIN]: Math.min(WINDOW_BITS.max, Math.max(WINDOW_BITS.min, bits)),
    },
  };
  const isShort = text.length <= AT_ONCE.length && quality <= AT_ONCE.quality;
  return isShort ? brotliCompressSync(text, options) : brotli(text, options);
}
