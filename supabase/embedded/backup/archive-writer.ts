import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { type Checksums, hashing, writeSums } from './checksums.ts';
import type { Manifest } from './manifest.ts';
import { MANIFEST, SUMS } from './parts.ts';

/** A part of an archive that lies on the disk. */
export type Source = { part: string; path: string };

/**
 * An archive as a stream of gzipped tar, read from the disk as fast as it is taken. It fails, and never ends, when a
 * source cannot be read to its end.
 * @param sources in the order of the archive; one that is gone by the time it is read is left out
 */
export function archive(manifest: Manifest, sources: AsyncIterable<Source> | Iterable<Source>): Readable {
  const tar = pack();
  const zipped = createGzip();
  const writing = new AbortController();
  // Who takes the stream hears of either's failure from the stream.
  pipeline(tar, zipped).catch(() => writing.abort());
  write().catch((error: Error) => zipped.destroy(error));
  return zipped;

  async function write(): Promise<void> {
    const sums: Checksums = new Map();
    const add = async (part: string, size: number, content: Readable) => {
      const hash = createHash('sha256');
      await pipeline(content, hashing(hash), tar.entry({ name: part, size, mode: 0o600 }), {
        signal: writing.signal,
      });
      sums.set(part, hash.digest('hex'));
    };
    const addText = (part: string, text: string) => {
      const bytes = Buffer.from(text);
      return add(part, bytes.length, Readable.from([bytes]));
    };

    await addText(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`);
    for await (const { part, path } of sources) {
      const file = await openOrGone(path);
      if (!file) continue;
      const { size } = await file.stat();
      if (size > 0) await add(part, size, file.createReadStream({ end: size - 1 }));
      else await file.close().then(() => add(part, 0, Readable.from([])));
    }
    await addText(SUMS, writeSums(sums));
    tar.finalize();
  }
}

async function openOrGone(path: string) {
  try {
    return await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
