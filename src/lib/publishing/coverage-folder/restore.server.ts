import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renditionPath } from '../../data/photo-objects.server.ts';
import { type BackendClient, dataOf } from '../../data/result.ts';
import { MEDIA_BUCKET, mediaFileOf } from '../../domain/media-files.ts';
import { FOLDER } from '../../i18n/cli.ts';
import { messagesFor } from '../../i18n/messages.server.ts';
import { type DataError, Refused, refusalFrom, sentenceOf } from '../../i18n/refusals.ts';
import { readExportedChanges, readExportedUpdates, readPublicCoverage } from './data.server.ts';
import {
  COVERAGE_FIELDS,
  changeLine,
  type DataObject,
  exportedHead,
  InvalidFolderError,
  mediaFile,
  pickFields,
  updateLine,
} from './format.ts';
import { type CoverageData, readFolderRendition } from './read.ts';

/** Maximum number of updates, of changes and of characters in one call. */
const BATCH = 50;
const CHANGES_BATCH = 1_000;
const BATCH_LENGTH = 1_000_000;
const SEARCH_BATCH = 200;

type CoverageImportOptions = {
  /** Slug to use instead of the folder's. */
  slug?: string | undefined;
  /** Called with the number of imported updates. */
  progress?(done: number, of: number): void;
};

export type ImportedCoverage = {
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
 * @throws InvalidFolderError naming the invalid update; Refused if the coverage cannot be imported
 */
export async function importCoverage(
  service: BackendClient,
  data: CoverageData,
  { slug, progress }: CoverageImportOptions = {},
): Promise<ImportedCoverage> {
  const existing = await dataOf(
    service.from('coverages').select('slug, seq, state, is_importing').eq('id', data.id).maybeSingle(),
  );
  if (
    existing &&
    !existing.is_importing &&
    existing.seq === data.seq &&
    (await isUnchanged(service, existing.slug, data))
  ) {
    // An earlier import may have been interrupted before the search index was complete.
    await indexUpdates(service, data);
    return { ...UNCHANGED, slug: existing.slug, state: existing.state, count: data.count, unchanged: true };
  }
  await importData(
    service.rpc('begin_coverage_import', { content: data.head, ...(slug && { other_slug: slug }) }),
  );
  const imported = await importRows(service, data, progress);
  await indexUpdates(service, data);
  const colleagues = await activePeopleIn(service, data);
  return { ...imported, count: data.count, photos: data.photos.length, colleagues, unchanged: false };
}

async function activePeopleIn(service: BackendClient, { head }: CoverageData): Promise<string[]> {
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

async function importRows(
  service: BackendClient,
  data: CoverageData,
  progress: CoverageImportOptions['progress'],
): Promise<Omit<ImportedCoverage, 'colleagues'>> {
  try {
    for (const { id, renditions } of data.photos) {
      for (const rendition of renditions) await uploadRendition(service, data.folder, id, rendition);
    }
    // Registered first, so that a file of another coverage is not overwritten.
    await importData(service.rpc('import_media_files', { coverage_id: data.id, paths: data.media }));
    for (const path of data.media) await uploadMedia(service, data.folder, path);
    for await (const items of batches(data.updates(), BATCH)) {
      const done = await importData(service.rpc('import_coverage_updates', { coverage_id: data.id, items }));
      progress?.(done, data.count);
    }
    for await (const items of batches(data.changes(), CHANGES_BATCH)) {
      await importData(service.rpc('import_coverage_changes', { coverage_id: data.id, items }));
    }
    return (await importData(service.rpc('finish_coverage_import', { coverage_id: data.id }))) as Omit<
      ImportedCoverage,
      'colleagues'
    >;
  } catch (error) {
    // If this fails too, the next import deletes the rest.
    await service.rpc('cancel_coverage_import', { coverage_id: data.id });
    throw error;
  }
}

/** Adds the updates to the search index in small batches, once readers can see them. */
async function indexUpdates(service: BackendClient, { id, count }: CoverageData): Promise<void> {
  let after = 0;
  while (after < count) {
    after = await dataOf(
      service.rpc('index_imported_updates', { coverage_id: id, after, max_rows: SEARCH_BATCH }),
    );
  }
}

const UNCHANGED = { photos: 0, people: [], topics: [], slugs: [], colleagues: [] };

async function uploadRendition(
  service: BackendClient,
  folder: string,
  id: string,
  rendition: CoverageData['photos'][number]['renditions'][number],
): Promise<void> {
  // Validated again, because the file may have changed since the first check.
  const bytes = await readFolderRendition(folder, id, rendition);
  if (typeof bytes === 'string') throw new InvalidFolderError([bytes]);
  const { error } = await service.storage
    .from('photos')
    .upload(renditionPath(id, rendition.width), bytes, { contentType: 'image/webp', upsert: true });
  if (error) throw new Refused('unavailable');
}

async function uploadMedia(service: BackendClient, folder: string, path: string): Promise<void> {
  const file = mediaFileOf(path);
  if (!file) return;
  const name = mediaFile(file);
  const bytes = await readFile(join(folder, name));
  // The file may have changed since it was checked.
  if (bytes.length !== file.bytes) throw new InvalidFolderError([FOLDER.bytes(name, file.bytes)]);
  const { error } = await service.storage
    .from(MEDIA_BUCKET)
    .upload(file.id, bytes, { contentType: file.type, upsert: true });
  if (error) throw new Refused('unavailable');
}

async function* batches(all: AsyncGenerator<DataObject>, most: number): AsyncGenerator<DataObject[]> {
  let batch: DataObject[] = [];
  let length = 0;
  for await (const thing of all) {
    const size = JSON.stringify(thing).length;
    if (batch.length === most || (batch.length > 0 && length + size > BATCH_LENGTH)) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(thing);
    length += size;
  }
  if (batch.length > 0) yield batch;
}

type DatabaseResponse = { data: unknown; error: DataError | null; status: number };

/**
 * Returns the data of a call. An error names the update or change that it concerns.
 * @throws InvalidFolderError or Refused
 */
async function importData<A extends DatabaseResponse>(
  call: PromiseLike<A>,
): Promise<Extract<A, { error: null }>['data']> {
  const response = await call;
  if (!response.error) return (response as Extract<A, { error: null }>).data;
  const refused = await refusalFrom(response.error, response.status);
  const location = locationOf(response.error.details);
  if (!location) throw new Refused(refused);
  const sentence = sentenceOf(refused, messagesFor('en'));
  throw new InvalidFolderError([`${location}: ${FOLDER.ofField(sentence, refused.field)}`]);
}

function locationOf(details: string | null | undefined): string | null {
  const { number, change }: { number?: unknown; change?: unknown } = JSON.parse(
    details?.startsWith('{') ? details : '{}',
  );
  if (typeof number === 'number') return FOLDER.update(number);
  return typeof change === 'number' ? FOLDER.change(change) : null;
}

/** Whether the coverage in the database equals the folder, ignoring slugs and the names of people and topics. */
async function isUnchanged(service: BackendClient, slug: string, data: CoverageData): Promise<boolean> {
  const stored = await readPublicCoverage(service, slug).catch(() => null);
  if (!stored) return false;
  const ownFields = COVERAGE_FIELDS.filter((field) => field !== 'slug');
  const storedParts = {
    coverage: pickFields(stored.coverage, ownFields),
    photos: exportedHead(stored).photos,
  };
  const folderParts = { coverage: pickFields(data.coverage, ownFields), photos: data.head.photos };
  if (JSON.stringify(storedParts) !== JSON.stringify(folderParts)) return false;
  return (
    (await haveEqualLines(readExportedUpdates(service, data.id), updateLine, data.updates())) &&
    (await haveEqualLines(readExportedChanges(service, data.id), changeLine, data.changes()))
  );
}

async function haveEqualLines<Here>(
  here: AsyncGenerator<Here>,
  lineOf: (one: Here) => string,
  there: AsyncGenerator<DataObject>,
): Promise<boolean> {
  for await (const one of here) {
    const other = await there.next();
    if (other.done || lineOf(one) !== `${JSON.stringify(other.value)}\n`) return false;
  }
  return (await there.next()).done === true;
}
