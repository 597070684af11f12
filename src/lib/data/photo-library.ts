import { isUuid, pathWith } from '../domain/paths.ts';
import { may, type Person } from '../domain/permissions.ts';
import {
  type DeskPhoto,
  deskPhotoPath,
  LIBRARY_FILTERS,
  type Rendition,
  renditionFor,
} from '../domain/photos.ts';
import type { Messages } from '../i18n/messages.ts';
import { type BackendClient, dataOf } from './result.ts';

/* The photo library. All reads use the caller's permissions. */

/** Number of photos on one page. */
const PAGE = 24;
/** Width of the preview: large enough to recognise details, small enough for a phone. */
const PREVIEW_WIDTH = 960;

/** Filters of the library, from the query parameters. `after` is the id of the last photo of the previous page. */
export type LibraryFilters = ReturnType<typeof readLibraryFilters>;

export function readLibraryFilters({ searchParams }: URL) {
  const id = (name: string) => {
    const value = searchParams.get(name) ?? '';
    return isUuid(value) ? value : null;
  };
  return {
    search: searchParams.get('q')?.trim() ?? '',
    coverage: id('coverage'),
    filter: LIBRARY_FILTERS.find((filter) => filter === searchParams.get('which')) ?? 'all',
    after: id('after'),
  };
}

/** Path of the library with these filters. */
export function libraryPath({ search, coverage, filter, after }: LibraryFilters): string {
  const which = filter === 'all' ? null : filter;
  return pathWith('/desk/photos', { q: search || null, coverage, which, after });
}

/** Returns one page of the library, newest first. `headline` is that of the coverage that is filtered by. */
export async function readLibrary(backend: BackendClient, filters: LibraryFilters) {
  const [rows, headline] = await Promise.all([
    readPage(backend, filters, PAGE + 1),
    filters.coverage ? readHeadline(backend, filters.coverage) : null,
  ]);
  return { rows: rows.slice(0, PAGE), more: rows.length > PAGE, headline };
}

function readPage(backend: BackendClient, { search, coverage, filter, after }: LibraryFilters, most: number) {
  return dataOf(
    backend.rpc('photo_library', {
      filter,
      max_rows: most,
      ...(search && { words: search }),
      ...(coverage && { coverage }),
      ...(after && { before: after }),
    }),
  );
}

async function readHeadline(backend: BackendClient, coverage: string): Promise<string | null> {
  const row = await dataOf(backend.from('coverages').select('headline').eq('id', coverage).maybeSingle());
  return row?.headline ?? null;
}

/** A photo with its coverage and the updates that use it. */
export type PhotoFile = Exclude<Awaited<ReturnType<typeof readPhotoFile>>, null>;
type PhotoUse = PhotoFile['uses'][number];

const COLUMNS =
  'id, coverage_id, state, refusal_code, width, height, renditions, alt, caption, credit, uploaded_by, uploader, created_at, removed_at, remover';

const COVERAGE = 'id, slug, headline, state, time_zone, language';

/** Returns a photo of the library; null if the caller may not see it. */
export async function readPhotoFile(backend: BackendClient, id: string) {
  if (!isUuid(id)) return null;
  const row = await dataOf(backend.from('desk_photos').select(COLUMNS).eq('id', id).maybeSingle());
  if (!row?.coverage_id) return null;
  const [coverage, uses] = await Promise.all([
    dataOf(backend.from('coverages').select(COVERAGE).eq('id', row.coverage_id).maybeSingle()),
    dataOf(backend.rpc('photo_uses', { photo_id: row.id })),
  ]);
  // The generated types do not know the shape of `renditions`, which the database validates.
  return coverage && { ...row, renditions: row.renditions as Rendition[], coverage, uses };
}

/** Returns the number of updates that show the photo, and how many of them are published. */
export function usageCounts({ uses }: Pick<PhotoFile, 'uses'>): { updates: number; published: number } {
  const now = currentUses(uses);
  return { updates: now.length, published: now.filter(({ state }) => state === 'published').length };
}

const currentUses = (uses: PhotoUse[]) =>
  uses.filter(({ shows, state }) => shows && state !== 'withdrawn' && state !== 'spiked');

/**
 * Whether a person may change the texts of a photo. An unpublished photo: its uploader or an editor. A published one:
 * only with permission to change all its published updates.
 */
export function mayEditTexts({ uses, uploaded_by }: PhotoFile, { id, role }: Person): boolean {
  const published = uses.filter(({ shows, state }) => shows && state === 'published');
  if (!may(role, 'write_update', { member: true })) return false;
  if (published.length > 0) return published.every(({ may_change }) => may_change);
  return uploaded_by === id || may(role, 'run_coverage');
}

/** Whether a person may replace or remove a photo: only with permission to change every update that shows it. */
export function mayRemove(photo: PhotoFile, person: Person): boolean {
  return (
    photo.state !== 'removed' &&
    mayEditTexts(photo, person) &&
    currentUses(photo.uses).every(({ may_change }) => may_change)
  );
}

/** Returns the preview of a photo, with its size in pixels and bytes; undefined if there is none. */
export function previewOf({ id, renditions }: Pick<PhotoFile, 'id' | 'renditions'>) {
  const rendition = renditionFor(renditions, PREVIEW_WIDTH);
  return rendition && { ...rendition, path: deskPhotoPath(id, PREVIEW_WIDTH) };
}

/** Returns the status message that the URL names. */
export function photoMessage(messages: Messages, { searchParams }: URL): string | undefined {
  const count = (name: string) => Math.max(0, Number.parseInt(searchParams.get(name) ?? '', 10) || 0);
  switch (searchParams.get('done')) {
    case 'words':
      return messages.photoLibrary.one.saved;
    case 'replace':
      return messages.photoLibrary.replace.done(count('updates'), count('published'));
    case 'remove':
      return messages.photoLibrary.remove.done(count('updates'), count('published'));
  }
  return undefined;
}

/** Returns photos by id as the caller sees them at the desk, in no particular order. */
export async function readPhotos(backend: BackendClient, ids: string[]): Promise<DeskPhoto[]> {
  if (ids.length === 0) return [];
  const rows = await dataOf(
    backend
      .from('desk_photos')
      .select('id, state, refusal_code, width, height, renditions, alt, caption, credit')
      .in('id', ids),
  );
  // The generated types do not know the shape of `renditions`, which the database validates.
  return rows.map((row) => ({ ...row, renditions: row.renditions as Rendition[] }));
}

/** Number of photos on one page of the picker. */
const PHOTOS_PER_PAGE = 12;

type UsablePhotos = { photos: DeskPhoto[]; more: boolean };

/**
 * Returns photos of a coverage that the caller may add to an update, newest first.
 * @param words search text; '' for all
 * @param after id of the last photo of the previous page
 */
export async function readUsablePhotos(
  backend: BackendClient,
  coverage: string,
  words: string,
  after?: string,
): Promise<UsablePhotos> {
  const rows = await dataOf(
    backend.rpc('photo_library', {
      coverage,
      filter: 'usable',
      max_rows: PHOTOS_PER_PAGE + 1,
      ...(words && { words }),
      ...(after && { before: after }),
    }),
  );
  const photos = rows
    .slice(0, PHOTOS_PER_PAGE)
    .map(({ id, state, refusal_code, width, height, alt, caption, credit }) => ({
      ...{ id, state, refusal_code, width, height, alt, caption, credit },
      // The picker shows photos by their URL and needs no sizes.
      renditions: [],
    }));
  return { photos, more: rows.length > PHOTOS_PER_PAGE };
}
