import { renditionPath } from '../../data/photo-objects.server.ts';
import { dataOf } from '../../data/result.ts';
import { FOLDER } from '../../i18n/cli.ts';
import { type DataError, Refused, refusal, refusalFrom } from '../../i18n/refusals.ts';
import { readChanges, readHead, readUpdates, type Service } from './data.server.ts';
import { BadFolder, COVERAGE, changeLine, headOf, pick, type Thing, updateLine } from './format.ts';
import { readPrint } from './prints.ts';
import type { CoverageData } from './read.ts';

/** Maximum number of updates, of changes and of characters in one call. */
const BATCH = 50;
const CHANGES_BATCH = 1_000;
const BATCH_LENGTH = 1_000_000;
const WORDS_BATCH = 200;

export type RestoreOptions = {
  /** Slug to use instead of the folder's. */
  slug?: string | undefined;
  /** Called with the number of imported updates. */
  progress?(done: number, of: number): void;
};

export type Restored = {
  slug: string;
  state: string;
  count: number;
  photos: number;
  /** The coverage exists already with the same content. */
  unchanged: boolean;
  /** People who have a different handle here. */
  people: { id: string; handle: string; was: string }[];
  /** Topics with other content here, and slugs of the coverage that are in use by another one. */
  topics: string[];
  slugs: string[];
  /** Names of active people of this newsroom whom the folder names in bylines, on its own authority. */
  colleagues: string[];
};

/**
 * Imports a coverage from its data. Readers see nothing of it until it is complete. A rejected import leaves nothing.
 * An interrupted one is deleted by the next attempt or after a day.
 * @throws BadFolder naming the invalid update; Refused if the coverage cannot be imported
 */
export async function restoreCoverage(
  service: Service,
  data: CoverageData,
  { slug, progress }: RestoreOptions = {},
): Promise<Restored> {
  const known = await dataOf(
    service.from('coverages').select('slug, seq, state, restoring').eq('id', data.id).maybeSingle(),
  );
  if (known && !known.restoring && known.seq === data.seq && (await isSame(service, known.slug, data))) {
    // An earlier import may have been interrupted before the search index was complete.
    await noteWords(service, data);
    return { ...NOTHING, slug: known.slug, state: known.state, count: data.count, unchanged: true };
  }
  await lawOf(service.rpc('begin_coverage_import', { content: data.head, ...(slug && { instead: slug }) }));
  const made = await bring(service, data, progress);
  await noteWords(service, data);
  const colleagues = await colleaguesIn(service, data);
  return { ...made, count: data.count, photos: data.photos.length, colleagues, unchanged: false };
}

async function colleaguesIn(service: Service, { head }: CoverageData): Promise<string[]> {
  const ids = (head.people as { id: string }[]).map(({ id }) => id);
  const names: string[] = [];
  for (let from = 0; from < ids.length; from += BATCH) {
    const some = service
      .from('people')
      .select('display_name')
      .in('id', ids.slice(from, from + BATCH));
    names.push(...(await dataOf(some.eq('active', true))).map(({ display_name }) => display_name));
  }
  return names;
}

async function bring(
  service: Service,
  data: CoverageData,
  progress: RestoreOptions['progress'],
): Promise<Omit<Restored, 'colleagues'>> {
  try {
    for (const { id, prints } of data.photos) {
      for (const print of prints) await keepPrint(service, data.folder, id, print);
    }
    for await (const items of batches(data.updates(), BATCH)) {
      const done = await lawOf(service.rpc('import_coverage_updates', { coverage_id: data.id, items }));
      progress?.(done, data.count);
    }
    for await (const items of batches(data.changes(), CHANGES_BATCH)) {
      await lawOf(service.rpc('import_coverage_changes', { coverage_id: data.id, items }));
    }
    return (await lawOf(service.rpc('finish_coverage_import', { coverage_id: data.id }))) as Omit<
      Restored,
      'colleagues'
    >;
  } catch (error) {
    // If this fails too, the next import deletes the rest.
    await service.rpc('cancel_coverage_import', { coverage_id: data.id });
    throw error;
  }
}

/** Adds the updates to the search index in small batches, once readers can see them. */
async function noteWords(service: Service, { id, count }: CoverageData): Promise<void> {
  let after = 0;
  while (after < count) {
    after = await dataOf(
      service.rpc('index_imported_updates', { coverage_id: id, after, most: WORDS_BATCH }),
    );
  }
}

const NOTHING = { photos: 0, people: [], topics: [], slugs: [], colleagues: [] };

async function keepPrint(
  service: Service,
  folder: string,
  id: string,
  print: CoverageData['photos'][number]['prints'][number],
): Promise<void> {
  // Validated again, because the file may have changed since the first check.
  const bytes = await readPrint(folder, id, print);
  if (typeof bytes === 'string') throw new BadFolder([bytes]);
  const { error } = await service.storage
    .from('photos')
    .upload(renditionPath(id, print.width), bytes, { contentType: 'image/webp', upsert: true });
  if (error) throw new Refused(refusal('unavailable'));
}

async function* batches(all: AsyncGenerator<Thing>, most: number): AsyncGenerator<Thing[]> {
  let batch: Thing[] = [];
  let length = 0;
  for await (const thing of all) {
    const own = JSON.stringify(thing).length;
    if (batch.length === most || (batch.length > 0 && length + own > BATCH_LENGTH)) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(thing);
    length += own;
  }
  if (batch.length > 0) yield batch;
}

type Answer = { data: unknown; error: DataError | null; status: number };

/**
 * Returns the data of a call. An error names the update or change that it concerns.
 * @throws BadFolder or Refused
 */
async function lawOf<A extends Answer>(call: PromiseLike<A>): Promise<Extract<A, { error: null }>['data']> {
  const answer = await call;
  if (!answer.error) return (answer as Extract<A, { error: null }>).data;
  const refused = await refusalFrom(answer.error, answer.status);
  const where = placeOf(answer.error.details);
  if (!where) throw new Refused(refused);
  throw new BadFolder([`${where}: ${FOLDER.ofField(refused.sentence, refused.field)}`]);
}

function placeOf(details: string | null | undefined): string | null {
  const { number, change }: { number?: unknown; change?: unknown } = JSON.parse(
    details?.startsWith('{') ? details : '{}',
  );
  if (typeof number === 'number') return FOLDER.update(number);
  return typeof change === 'number' ? FOLDER.change(change) : null;
}

/** Whether the coverage in the database equals the folder, ignoring slugs and the names of people and topics. */
async function isSame(service: Service, slug: string, data: CoverageData): Promise<boolean> {
  const said = await readHead(service, slug).catch(() => null);
  if (!said) return false;
  const ownFields = COVERAGE.filter((field) => field !== 'slug');
  const own = { coverage: pick(said.coverage, ownFields), photos: headOf(said).photos };
  const theirs = { coverage: pick(data.coverage, ownFields), photos: data.head.photos };
  if (JSON.stringify(own) !== JSON.stringify(theirs)) return false;
  return (
    (await areSame(readUpdates(service, data.id), updateLine, data.updates())) &&
    (await areSame(readChanges(service, data.id), changeLine, data.changes()))
  );
}

async function areSame<Here>(
  here: AsyncGenerator<Here>,
  lineOf: (one: Here) => string,
  there: AsyncGenerator<Thing>,
): Promise<boolean> {
  for await (const one of here) {
    const other = await there.next();
    if (other.done || lineOf(one) !== `${JSON.stringify(other.value)}\n`) return false;
  }
  return (await there.next()).done === true;
}
