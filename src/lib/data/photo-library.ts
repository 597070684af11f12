import { isUuid, pathWith } from '../domain/paths.ts';
import { may, type Person } from '../domain/permissions.ts';
import {
  deskPhotoPath,
  LIBRARY_FILTERS,
  type LibraryFilter,
  type Rendition,
  renditionFor,
} from '../domain/photos.ts';
import { photoLibrary as words } from '../i18n/photo-library.ts';
import { dataOf } from './result.ts';
import type { Session } from './session.server.ts';

/* The library of photos. Every read is under the caller's own rights. */

type Backend = Session['backend'];

/** Photos on one page of the library. */
const PAGE = 24;
/** Wide enough to judge a photo by, and no more than a phone can bear. */
const JUDGED_AT = 960;

/** What an address asks to see. `after`: the id of the last photo that was seen. */
export type LibraryQuestion = {
  search: string;
  coverage: string | null;
  filter: LibraryFilter;
  after: string | null;
};

export type LibraryPhoto = Awaited<ReturnType<typeof readPage>>[number];
export type Library = {
  rows: LibraryPhoto[];
  /** Whether there are more after these. */
  more: boolean;
  /** The headline of the one coverage that was asked for; null when it is of no coverage or not theirs. */
  headline: string | null;
};

export function libraryQuestion({ searchParams }: URL): LibraryQuestion {
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

/** The address of a part of the library. */
export function libraryPath({ search, coverage, filter, after }: LibraryQuestion): string {
  const which = filter === 'all' ? null : filter;
  return pathWith('/desk/photos', { q: search || null, coverage, which, after });
}

/** A page of the library, the newest first. */
export async function readLibrary(backend: Backend, question: LibraryQuestion): Promise<Library> {
  const [rows, headline] = await Promise.all([
    readPage(backend, question, PAGE + 1),
    question.coverage ? readHeadline(backend, question.coverage) : null,
  ]);
  return { rows: rows.slice(0, PAGE), more: rows.length > PAGE, headline };
}

function readPage(backend: Backend, { search, coverage, filter, after }: LibraryQuestion, most: number) {
  return dataOf(
    backend.rpc('photo_library', {
      which: filter,
      most,
      ...(search && { words: search }),
      ...(coverage && { coverage }),
      ...(after && { before: after }),
    }),
  );
}

async function readHeadline(backend: Backend, coverage: string): Promise<string | null> {
  const row = await dataOf(backend.from('coverages').select('headline').eq('id', coverage).maybeSingle());
  return row?.headline ?? null;
}

/** A photo that somebody looks at alone, with its coverage and where it is used. */
export type PhotoFile = Exclude<Awaited<ReturnType<typeof readPhotoFile>>, null>;
export type PhotoUse = PhotoFile['uses'][number];

const COLUMNS =
  'id, coverage_id, state, refusal, width, height, prints, alt, caption, credit, uploaded_by, uploader, created_at, removed_at, remover';

const COVERAGE = 'id, slug, headline, state, time_zone, language';

/** A photo of the library; null when there is none that the caller may see. */
export async function readPhotoFile(backend: Backend, id: string) {
  if (!isUuid(id)) return null;
  const row = await dataOf(backend.from('desk_photos').select(COLUMNS).eq('id', id).maybeSingle());
  if (!row?.coverage_id) return null;
  const [coverage, uses] = await Promise.all([
    dataOf(backend.from('coverages').select(COVERAGE).eq('id', row.coverage_id).maybeSingle()),
    dataOf(backend.rpc('photo_uses', { photo_id: row.id })),
  ]);
  // The database makes the prints: its types cannot say what they are.
  return coverage && { ...row, prints: row.prints as Rendition[], coverage, uses };
}

/** What to change a photo would change: updates at the desk or published that show it, and how many of these readers see. */
export function reachOf({ uses }: Pick<PhotoFile, 'uses'>): { updates: number; published: number } {
  const now = shownNow(uses);
  return { updates: now.length, published: now.filter(({ state }) => state === 'published').length };
}

const shownNow = (uses: PhotoUse[]) =>
  uses.filter(({ shows, state }) => shows && state !== 'withdrawn' && state !== 'spiked');

/** Whether somebody may change what is said of a photo: theirs, or any for an editor; what readers see goes with its updates. */
export function mayReword({ uses, uploaded_by }: PhotoFile, { id, role }: Person): boolean {
  const published = uses.filter(({ shows, state }) => shows && state === 'published');
  if (!may(role, 'write_update', { member: true })) return false;
  if (published.length > 0) return published.every(({ may_change }) => may_change);
  return uploaded_by === id || may(role, 'run_coverage');
}

/** Whether somebody may replace or remove a photo: then every update that shows it is theirs to change. */
export function mayTakeOut(photo: PhotoFile, person: Person): boolean {
  return (
    photo.state !== 'removed' &&
    mayReword(photo, person) &&
    shownNow(photo.uses).every(({ may_change }) => may_change)
  );
}

/** The picture that a photo is judged by, in pixels and bytes; null where there is none. */
export function pictureOf({ id, prints }: Pick<PhotoFile, 'id' | 'prints'>) {
  const print = renditionFor(prints, JUDGED_AT);
  return print && { ...print, path: deskPhotoPath(id, JUDGED_AT) };
}

/** The sentence of what has happened to a photo, as the address of its page carries it. */
export function saidOf({ searchParams }: URL): string | undefined {
  const count = (name: string) => Math.max(0, Number.parseInt(searchParams.get(name) ?? '', 10) || 0);
  switch (searchParams.get('done')) {
    case 'words':
      return words.one.saved;
    case 'replace':
      return words.replace.done(count('updates'), count('published'));
    case 'remove':
      return words.remove.done(count('updates'), count('published'));
  }
  return undefined;
}
