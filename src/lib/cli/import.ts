import { open, readFile, stat } from 'node:fs/promises';
import { serviceClient } from '../data/service-client.ts';
import { FOLDER, IMPORT } from '../i18n/cli.ts';
import { messagesFor } from '../i18n/messages.server.ts';
import { Refused, sentenceOf } from '../i18n/refusals.ts';
import { InvalidFolderError } from '../publishing/coverage-folder/format.ts';
import { readFolder } from '../publishing/coverage-folder/read.ts';
import { type ImportedCoverage, importCoverage } from '../publishing/coverage-folder/restore.server.ts';
import { failure, loadEnvironment } from '../server/program.ts';
import { readServerSettings } from '../server/settings.ts';
import {
  calledPath,
  openNewsroom,
  type ProgressLine,
  progressLine,
  readArguments,
  UsageError,
} from './command.ts';
import { type ImportResult, importFeed } from './import/import-feed.ts';
import { nodeNetwork } from './import/node-network.ts';
import { BadFeed, readFeed } from './import/read-feed.ts';
import { importWxr, type LiveblogResult, surveyWxr } from './import/wordpress.ts';
import { isWxr, WXR_HEAD_BYTES } from './import/wxr.ts';

/** The result of an import, one line for each message. */
function folderMessages({
  slug,
  state,
  count,
  photos,
  people,
  topics,
  slugs,
  colleagues,
  unchanged,
}: ImportedCoverage) {
  if (unchanged) return [FOLDER.unchanged(slug, state)];
  return [
    ...people.map(({ was, handle }) => FOLDER.handle(was, handle)),
    ...topics.map(FOLDER.topic),
    ...slugs.map(FOLDER.slugLeft),
    ...(colleagues.length > 0 ? [FOLDER.colleagues(colleagues.join(', '))] : []),
    FOLDER.done(slug, state, count, photos),
  ];
}

/** The reason for refusing a folder; undefined for other errors. */
function folderProblem(error: unknown): string | undefined {
  return error instanceof InvalidFolderError ? `${error.message}\n${FOLDER.refusedWhole}` : undefined;
}

type Call = { path: string; slug: string | undefined; state: 'live' | 'ended' | undefined };

function readCall(): Call {
  const options = { slug: { type: 'string' }, state: { type: 'string' } } as const;
  const { values, positionals } = readArguments(IMPORT.usage, { options, allowPositionals: true });
  const [file, ...more] = positionals;
  if (!file || more.length > 0) throw new UsageError(IMPORT.usage);
  const { slug, state } = values;
  if (state !== undefined && state !== 'live' && state !== 'ended') throw new UsageError(IMPORT.state);
  return { path: calledPath(file), slug, state };
}

async function run(call: Call): Promise<void> {
  const noFile = () => {
    throw new UsageError(IMPORT.noFile(call.path));
  };
  if (await isFolder(call.path)) return importFolder(call);
  if (isWxr(await headOf(call.path).catch(noFile))) return importWordPress(call);
  const feed = readFeed(await readFile(call.path, 'utf8').catch(noFile));
  await withNewsroom(async (service, line) => {
    const result = await importFeed(service, feed, { ...call, progress: line.show });
    line.clear();
    report(result);
  });
}

const isFolder = async (path: string) => (await stat(path).catch(() => null))?.isDirectory() === true;

async function importFolder({ path, slug, state }: Call): Promise<void> {
  if (state) throw new UsageError(FOLDER.noState);
  const data = await readFolder(path);
  await withNewsroom(async (service, line) => {
    const restored = await importCoverage(service, data, { slug, progress: line.show });
    line.clear();
    for (const said of folderMessages(restored)) console.log(said);
  });
}

/** Reads only the beginning of a file of any size. */
async function headOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(WXR_HEAD_BYTES), 0, WXR_HEAD_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

async function importWordPress({ path, slug, state }: Call): Promise<void> {
  const survey = await surveyWxr(path, slug);
  if (survey.hidden.length > 0) console.log(IMPORT.wxr.hidden(survey.hidden));
  const source = { net: nodeNetwork, privateOrigin: readServerSettings(process.env).privateWordPress };
  await withNewsroom(async (service, line) => {
    const options = { state, source, progress: line.show };
    for await (const brought of importWxr(service, path, survey, options)) {
      line.clear();
      reportLiveblog(brought);
    }
  });
}

type Work = (service: ReturnType<typeof serviceClient>, line: ProgressLine) => Promise<void>;

/** Runs work with the newsroom's service client. Starts the backend if it is not running. */
async function withNewsroom(work: Work): Promise<void> {
  const newsroom = await openNewsroom(readServerSettings(process.env).backend);
  const line = progressLine(IMPORT.progress);
  try {
    await work(serviceClient(newsroom.url, newsroom.secretKey), line);
  } finally {
    line.clear();
    await newsroom.close();
  }
}

function reportLiveblog(brought: LiveblogResult): void {
  if (brought.result === null) {
    const { title, mistakes } = brought;
    console.error([IMPORT.wxr.of(title), ...mistakes].join('\n'));
    process.exitCode = 1;
    return;
  }
  report(brought.result);
  const { deleted, wordless, hasOwnText, photos, left } = brought;
  if (photos > 0) console.log(`  ${IMPORT.wxr.photos(photos)}`);
  if (left.length > 0) console.log(`  ${IMPORT.wxr.left(left.length)}`);
  for (const { url, problem } of left) console.log(`    ${url}: ${IMPORT.wxr.leftPicture[problem]}`);
  if (deleted > 0) console.log(`  ${IMPORT.wxr.deleted(deleted)}`);
  if (wordless > 0) console.log(`  ${IMPORT.wxr.wordless(wordless)}`);
  if (hasOwnText) console.log(`  ${IMPORT.wxr.ownText}`);
}

function report({ slug, state, added, unchanged, refused }: ImportResult): void {
  if (refused.length > 0) console.log(IMPORT.refused);
  for (const item of refused)
    console.log(`  ${item.id}  ${item.publishedAt.toISOString()}  ${item.title ?? ''}`);
  console.log(IMPORT.done(slug, state, added, unchanged, refused.length));
}

function explain(error: unknown): unknown {
  const folder = folderProblem(error);
  if (folder) return folder;
  if (error instanceof BadFeed) return `${error.message}\n${IMPORT.refusedWhole(error.mistakes.length)}`;
  if (error instanceof Refused)
    return IMPORT.failed(sentenceOf(error.refusal, messagesFor('en')), error.refusal.field);
  return error instanceof UsageError ? error.message : failure(error);
}

try {
  loadEnvironment();
  await run(readCall());
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
