import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { Refused } from '../http/errors.ts';
import { BadFeed } from '../import/feed.ts';
import { type ImportResult, importFeed } from '../import/import-feed.ts';
import { readFeed } from '../import/read-feed.ts';
import { loadEnvironment } from '../server/environment.ts';
import { failure } from '../server/failure.ts';
import { readSettings } from '../server/settings.ts';
import { serviceClient } from '../supabase/service.ts';
import { IMPORT } from '../text/commands.ts';
import { calledPath, Misused } from './called.ts';
import { openNewsroom } from './newsroom.ts';
import { progressLine } from './progress-line.ts';

type Call = { path: string; slug: string | undefined; state: 'live' | 'ended' | undefined };

function readCall(args: string[]): Call {
  const options = { slug: { type: 'string' }, state: { type: 'string' } } as const;
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [file, ...more] = positionals;
    if (!file || more.length > 0) throw new Misused(IMPORT.usage);
    const { slug, state } = values;
    if (state !== undefined && state !== 'live' && state !== 'ended') throw new Misused(IMPORT.state);
    return { path: calledPath(file), slug, state };
  } catch (error) {
    throw error instanceof Misused ? error : new Misused(IMPORT.usage);
  }
}

async function run({ path, slug, state }: Call): Promise<ImportResult> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new Misused(IMPORT.noFile(path));
  });
  const feed = readFeed(text);
  const newsroom = await openNewsroom(readSettings(process.env).backend);
  const line = progressLine(IMPORT.progress);
  try {
    const service = serviceClient(newsroom.url, newsroom.secretKey);
    return await importFeed(service, feed, { slug, state, progress: line.show });
  } finally {
    line.clear();
    await newsroom.close();
  }
}

function report({ slug, state, added, unchanged, refused }: ImportResult): void {
  if (refused.length > 0) console.log(IMPORT.refused);
  for (const item of refused)
    console.log(`  ${item.id}  ${item.publishedAt.toISOString()}  ${item.title ?? ''}`);
  console.log(IMPORT.done(slug, state, added, unchanged, refused.length));
}

function explain(error: unknown): unknown {
  if (error instanceof BadFeed) return `${error.message}\n${IMPORT.refusedWhole(error.mistakes.length)}`;
  if (error instanceof Refused) return IMPORT.failed(error.refusal.sentence, error.refusal.field);
  return error instanceof Misused ? error.message : failure(error);
}

try {
  loadEnvironment();
  report(await run(readCall(process.argv.slice(2))));
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
