import type { Json } from '../../domain/database.types.ts';
import { isUuid } from '../../domain/paths.ts';
import type { Rendition } from '../../domain/photos.ts';
import { FOLDER } from '../../i18n/cli.ts';
import {
  BadFolder,
  CHANGE,
  CHANGES_FILE,
  COVERAGE,
  COVERAGE_FILE,
  FORMAT,
  FORMAT_VERSION,
  HEAD,
  linesOf,
  PERSON,
  PHOTO,
  PRINT,
  printFile,
  SLUG,
  type Thing,
  TOPIC,
  textOf,
  thingIn,
  thingOf,
  UPDATE,
  UPDATES_FILE,
} from './format.ts';
import { readPrint } from './prints.ts';

/** Data of a folder with its structure validated. The database validates the contents. */
export type CoverageData = {
  folder: string;
  /** Parsed content of the first file. */
  head: Thing;
  coverage: Thing;
  id: string;
  slug: string;
  count: number;
  seq: number;
  photos: { id: string; prints: Rendition[] }[];
  /** Read from the files one by one, in order. */
  updates(): AsyncGenerator<Thing>;
  changes(): AsyncGenerator<Thing>;
};

/** Maximum number of errors reported. */
const MOST_MISTAKES = 20;

/**
 * Reads and validates all data and photos of a folder.
 * @throws BadFolder with a message for each error
 */
export async function readData(folder: string): Promise<CoverageData> {
  const data = await readHead(folder);
  const mistakes: string[] = [];
  await collect(mistakes, data.updates(), data.count, FOLDER.updates(UPDATES_FILE, data.count));
  await collect(mistakes, data.changes(), data.seq, FOLDER.changes(CHANGES_FILE, data.seq));
  for (const { id, prints } of data.photos) {
    for (const print of prints) {
      const read = await readPrint(folder, id, print);
      if (typeof read === 'string') mistakes.push(read);
    }
    if (mistakes.length >= MOST_MISTAKES) break;
  }
  if (mistakes.length > 0) throw new BadFolder(mistakes.slice(0, MOST_MISTAKES));
  return data;
}

async function readHead(folder: string): Promise<CoverageData> {
  const bad = (what: string) => new BadFolder([FOLDER.wrong(COVERAGE_FILE, what)]);
  const text = await textOf(folder, COVERAGE_FILE);
  const head = thingIn(text, HEAD);
  if (typeof head === 'string') throw bad(head);
  if (head.format !== FORMAT) throw bad(FOLDER.format);
  if (head.version !== FORMAT_VERSION) throw bad(FOLDER.version(FORMAT_VERSION));
  const coverage = thingOf(head.coverage, COVERAGE);
  if (typeof coverage === 'string') throw bad(`coverage: ${coverage}`);
  const { id, slug, update_count: count, seq } = coverage;
  if (!isId(id)) throw bad(FOLDER.id('coverage'));
  if (typeof slug !== 'string') throw bad(FOLDER.text('slug'));
  if (!isCount(count) || !isCount(seq)) throw bad(FOLDER.count);
  for (const [list, keys] of Object.entries({ slugs: SLUG, topics: TOPIC, people: PERSON })) {
    for (const one of listOf(head[list], keys)) if (typeof one === 'string') throw bad(`${list}: ${one}`);
  }
  const photos = listOf(head.photos, PHOTO).map((photo) => {
    const read = typeof photo === 'string' ? photo : photoOf(photo);
    if (typeof read === 'string') throw bad(`photos: ${read}`);
    return read;
  });
  return {
    folder,
    head,
    coverage,
    id,
    slug,
    count,
    seq,
    photos,
    updates: () => things(folder, UPDATES_FILE, UPDATE, 'number'),
    changes: () => things(folder, CHANGES_FILE, CHANGE, 'seq'),
  };
}

/** The id becomes part of file names, so it must be a UUID. */
function photoOf(photo: Thing): CoverageData['photos'][number] | string {
  if (!isId(photo.id)) return FOLDER.id('photo');
  const prints: Rendition[] = [];
  for (const print of listOf(photo.prints, PRINT)) {
    if (typeof print === 'string') return print;
    const { width, height, bytes } = print;
    if (!isCount(width) || !isCount(height) || !isCount(bytes)) return FOLDER.count;
    prints.push({ width, height, bytes });
  }
  return prints.length === 0 ? FOLDER.missing(printFile(photo.id, 0)) : { id: photo.id, prints };
}

function listOf(value: Json | undefined, keys: readonly string[]): (Thing | string)[] {
  return Array.isArray(value) ? value.map((one) => thingOf(one, keys)) : [FOLDER.notList];
}

/** Reads the objects of a file, one on each line, numbered from 1 by one of their fields. */
async function* things(
  folder: string,
  name: string,
  keys: readonly string[],
  counted: string,
): AsyncGenerator<Thing> {
  let line = 0;
  for await (const text of linesOf(folder, name)) {
    line += 1;
    const thing = thingIn(text, keys);
    if (typeof thing === 'string') throw new BadFolder([FOLDER.wrongLine(name, line, thing)]);
    if (thing[counted] !== line)
      throw new BadFolder([FOLDER.wrongLine(name, line, FOLDER.counted(counted, line))]);
    yield thing;
  }
}

/** Reads a file to its end or to the first error in it. */
async function collect(mistakes: string[], all: AsyncGenerator<Thing>, count: number, tooFew: string) {
  try {
    let seen = 0;
    for await (const _ of all) seen += 1;
    if (seen !== count) mistakes.push(tooFew);
  } catch (error) {
    if (!(error instanceof BadFolder)) throw error;
    mistakes.push(...error.mistakes);
  }
}

/** In the database's spelling, because file names contain it. */
const isId = (value: Json | undefined): value is string =>
  typeof value === 'string' && isUuid(value) && value === value.toLowerCase();
const isCount = (value: Json | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
