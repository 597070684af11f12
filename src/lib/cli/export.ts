import { serviceClient } from '../data/service-client.ts';
import { isSlug } from '../domain/coverages.ts';
import { EXPORT } from '../i18n/cli.ts';
import { messagesFor } from '../i18n/messages.server.ts';
import { Refused, sentenceOf } from '../i18n/refusals.ts';
import { type ExportResult, writeFolder } from '../publishing/coverage-folder/write.ts';
import { setPageEnvironment } from '../server/backend.ts';
import { failure, loadEnvironment } from '../server/program.ts';
import { openPages } from '../server/render-pages.ts';
import { readServerSettings } from '../server/settings.ts';
import { calledPath, openNewsroom, progressLine, readArguments, UsageError } from './command.ts';

type Call = { slug: string; to: string };

function readCall(): Call {
  const config = { options: { to: { type: 'string' } }, allowPositionals: true } as const;
  const { values, positionals } = readArguments(EXPORT.usage, config);
  const [slug = '', ...more] = positionals;
  if (!isSlug(slug) || more.length > 0 || values.to === '') throw new UsageError(EXPORT.usage);
  return { slug, to: calledPath(values.to ?? slug) };
}

async function run({ slug, to }: Call, signal: AbortSignal): Promise<ExportResult & { guessed?: string }> {
  const settings = readServerSettings(process.env);
  // Default: the address on which the server listens.
  const siteUrl = settings.siteUrl ?? `http://${settings.host}:${settings.port}`;
  const pages = await openPages(siteUrl);
  const newsroom = await openNewsroom(settings.backend);
  const line = progressLine(EXPORT.progress);
  try {
    setPageEnvironment(
      process.env,
      { ...newsroom, proxy: undefined, stop: newsroom.close },
      { ...settings, siteUrl },
    );
    const service = serviceClient(newsroom.url, newsroom.secretKey);
    const written = await writeFolder({ service, slug, to, siteUrl, pages, progress: line.show, signal });
    return settings.siteUrl ? written : { ...written, guessed: siteUrl };
  } finally {
    line.clear();
    await newsroom.close();
  }
}

function explain(error: unknown): unknown {
  if (error instanceof Refused) return EXPORT.failed(sentenceOf(error.refusal, messagesFor('en')));
  if (error instanceof UsageError) return error.message;
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return EXPORT.failed(EXPORT.diskFull);
  if (code && path && UNWRITABLE.includes(code)) return EXPORT.failed(EXPORT.unwritable(path));
  return failure(error);
}

const UNWRITABLE = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENAMETOOLONG'];

const over = new AbortController();
const stopped = () => over.abort(new UsageError(EXPORT.failed(EXPORT.stopped)));
process.once('SIGINT', stopped);
process.once('SIGTERM', stopped);
try {
  loadEnvironment();
  const call = readCall();
  const begun = performance.now();
  const { slug, pages, guessed } = await run(call, over.signal);
  console.log(EXPORT.done(slug, call.to, pages, (performance.now() - begun) / 1000));
  if (guessed) console.log(EXPORT.guessed(guessed));
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
