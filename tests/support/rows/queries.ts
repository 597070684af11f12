import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { queryPermissions } from '../../../packages/embedded-supabase/src/realtime/access.ts';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { readCoverageList } from '../../../src/lib/data/coverage-list.ts';
import { readContributors } from '../../../src/lib/data/coverage-settings.ts';
import {
  findCoverage,
  findTopic,
  readArchiveMonths,
  readCoverageLines,
  readKeyEventList,
  readLivePage,
  readMonth,
  readPinned,
  readTimeline,
  readTopicPage,
} from '../../../src/lib/data/coverages.ts';
import {
  isMember,
  openDesk,
  readCounts,
  readHeads,
  readOverview,
  readRoster,
  readSummaryVersions,
  readUpdates,
  readWaiting,
  type UpdateWindow,
  updatesById,
} from '../../../src/lib/data/desk.ts';
import { FIRST_WINDOW, readVersions } from '../../../src/lib/data/desk-updates.ts';
import { readPersonPage } from '../../../src/lib/data/people.ts';
import {
  type LibraryFilters,
  readLibrary,
  readPhotoFile,
  readPhotos,
  readUsablePhotos,
} from '../../../src/lib/data/photo-library.ts';
import { readerClient } from '../../../src/lib/data/reader-client.server.ts';
import { dataOf } from '../../../src/lib/data/result.ts';
import { readSite } from '../../../src/lib/data/site.ts';
import {
  isTooFarBehind,
  readChanges,
  readCorrections,
  readHistory,
  readUpdate,
} from '../../../src/lib/data/updates.ts';
import { readView } from '../../../src/lib/domain/coverages.ts';
import type { UpdateFilter } from '../../../src/lib/domain/updates.ts';
import {
  archivedDocument,
  listDocument,
  newestDocument,
} from '../../../src/lib/publishing/feeds/read-feed.ts';
import { readNewsPages, readSitemapMonths, readSitemapPages } from '../../../src/lib/publishing/sitemaps.ts';
import type { SeededCoverage } from './seed.ts';
import { clientOf, type MeasuredDatabase } from './statements.ts';

/** Queries by name. Each loads data through the same module as a route of the site. */
export type Queries = Record<string, (coverage: SeededCoverage) => PromiseLike<unknown>>;

const FILTERS: UpdateFilter[] = [
  'work',
  'draft',
  'submitted',
  'scheduled',
  'published',
  'withdrawn',
  'spiked',
];

/** Searches for a frequent word, a rare word, a missing word, own updates and photos. */
const SEARCHES: [string, Partial<UpdateWindow>][] = [
  ['a word of all', { words: 'river' }],
  ['a word of one', { words: 'zeppelin' }],
  ['no word of any', { words: 'sandbags airship' }],
  ['a name', { words: 'Reader' }],
  ['mine', { filter: 'mine' }],
  ['with photos', { filter: 'photos' }],
  ['corrected', { filter: 'corrected' }],
];

/** Filters of the photo library. */
const LIBRARY: [string, Partial<LibraryFilters>][] = [
  ['of a coverage', {}],
  ['mine', { coverage: null, filter: 'mine' }],
  ['a word of all', { search: 'river' }],
  ['no word of any', { search: 'airship' }],
  ['mine of a coverage', { filter: 'mine' }],
  ['unused', { filter: 'unused' }],
];

/** Queries whose cost depends on rare rows. A hundred updates have too few of these rows for a page. */
export const NOT_COMPARABLE = [
  // Counts rows, but only if there is more than one part.
  'sitemap, its parts',
  // Scans the whole table of permissions, because it is small.
  'what waits for somebody',
  // Runs once a night. Replanning reads the catalog.
  'forgetting what is old',
  'corrections',
  // Counts updates of a month through an index.
  'feed of a topic',
  'feed of the site',
  'feed of the site, archived',
  // Reads some rows for each day. A hundred updates have one day.
  'timeline',
  'desk, withdrawn',
  'desk, withdrawn, heads of more',
  'desk, how many of each',
  ...LIBRARY.map(([name]) => `photos, ${name}`),
  'photos, one that may stand in an update',
  'photos, of all coverages',
];

/** Searches read bands of a thousand numbers. A hundred updates fill less than one band. */
export const BOUNDED_BY_BAND = SEARCHES.map(([name]) => `desk, ${name}`);

/** Queries of readers. */
export const publicQueries: Queries = {
  'live page': live(() => ''),
  'live page, older': live(({ count }) => `before=${middle(count) + 1}`),
  'live page, from the oldest': live(() => 'order=oldest'),
  'live page, from the oldest, in the middle': live(
    ({ count }) => `order=oldest&before=${middle(count) + 1}`,
  ),
  'live page, from the oldest, its last': live(({ count }) => `order=oldest&before=${count + 1}`),
  'key events': live(() => 'show=key'),
  // Coverages of any length have a full page of key events below this number.
  'key events, older': live(({ count }) => `show=key&before=${count > 4000 ? 2001 : 100}`),
  'one update': async ({ slug, count }) => readUpdate((await find(slug)).id, count - 5),
  'one update, corrected': async ({ slug, count }) => readUpdate((await find(slug)).id, middle(count) + 5),
  'one update, withdrawn': async ({ slug, count }) => readUpdate((await find(slug)).id, count - 56),
  'one update, how it came to say so': async ({ slug, count }) =>
    readHistory((await readUpdate((await find(slug)).id, middle(count) + 5))?.id ?? ''),
  'changes, none': changes(0),
  'changes, one': changes(1),
  'changes, fifty': changes(50),
  'changes, a hundred': changes(100),
  'changes, far behind': changes(101),
  'feed of a coverage': async ({ slug }) => newestDocument(await find(slug), await readSite()),
  'feed of a coverage, archived': async ({ slug }) => archivedDocument(await find(slug), await readSite(), 1),
  'feed of a topic': async ({ topic }) => listDocument(await readSite(), await findTopic(topic)),
  'topic page': ({ topic }) => readTopicPage(topic),
  'topic page, older': ({ topic }) => readTopicPage(topic, '2025'),
  'person page': ({ handle }) => readPersonPage(handle),
  // Up to this time, 90 minutes after the first update, coverages of any length are equal.
  'person page, older': ({ handle }) => readPersonPage(handle, '2025-01-01T13:30'),
  timeline: async ({ slug }) => readTimeline((await find(slug)).id),
  'an address of before': ({ slug }) => findCoverage(slug.replace('coverage-', 'before-')),
  'a photo': async ({ id, count }) => {
    const { data } = await readerClient()
      .from('updates')
      .select('update_photos(photo_id)')
      .eq('coverage_id', id)
      .eq('number', middle(count) + 3)
      .single()
      .throwOnError();
    const photo = data.update_photos[0]?.photo_id ?? '';
    return dataOf(
      readerClient().from('photos').select('coverage_id, renditions, ready_at').eq('id', photo).single(),
    );
  },
};

/** Returns the queries of a desk, run as a person who writes there. */
export function deskQueries({ engine, restApi }: MeasuredDatabase): Queries {
  const windows = FILTERS.flatMap((filter): [string, Queries[string]][] => [
    [
      `desk, ${filter}`,
      ({ id, person }) => readUpdates(clientOf(restApi, person), id, { ...FIRST_WINDOW, filter }),
    ],
    [
      `desk, ${filter}, heads of more`,
      ({ id, person }) =>
        readHeads(clientOf(restApi, person), id, { ...FIRST_WINDOW, filter, most: 2 * FIRST_WINDOW.most }),
    ],
  ]);
  return {
    desk: ({ slug, person }) => openDesk(clientOf(restApi, person), editor(person.sub), slug),
    ...Object.fromEntries(windows),
    ...Object.fromEntries(
      SEARCHES.map(([name, search]): [string, Queries[string]] => [
        `desk, ${name}`,
        ({ id, person }) => readHeads(clientOf(restApi, person), id, { ...FIRST_WINDOW, ...search }),
      ]),
    ),
    'desk, how many of each': ({ id, person }) => readCounts(clientOf(restApi, person), id),
    'desk, some updates by id': async ({ id, person }) => {
      const heads = await readHeads(clientOf(restApi, person), id, FIRST_WINDOW);
      return updatesById(
        clientOf(restApi, person),
        heads.map((head) => head.id),
      );
    },
    'desk, its photos': async ({ id, person }) => {
      const rows = await readUpdates(clientOf(restApi, person), id, { ...FIRST_WINDOW, filter: 'published' });
      return readPhotos(
        clientOf(restApi, person),
        rows.flatMap(({ photos }) => photos.map((photo) => photo.id)),
      );
    },
    ...Object.fromEntries(
      LIBRARY.map(([name, question]): [string, Queries[string]] => [
        `photos, ${name}`,
        ({ id, person }) =>
          readLibrary(clientOf(restApi, person), { ...ALL_PHOTOS, coverage: id, ...question }),
      ]),
    ),
    'photos, one that may stand in an update': async ({ id, person }) => {
      const { photos } = await readUsablePhotos(clientOf(restApi, person), id, '');
      const file = photos[0] && (await readPhotoFile(clientOf(restApi, person), photos[0].id));
      if (!file?.uses[0]) throw new Error('The newsroom has a photo that an update uses.');
    },
    'desk, who may be there': ({ id, person }) => readRoster(clientOf(restApi, person), id),
    'desk, its contributors': ({ id, person }) => readContributors(clientOf(restApi, person), id),
    'desk, a contributor for it': ({ id, person }) => readContributors(clientOf(restApi, person), id, 'read'),
    'desk, versions of its summary': ({ id, person }) => readSummaryVersions(clientOf(restApi, person), id),
    'desk, versions of an update': async ({ id, person }) => {
      const [newest] = await readHeads(clientOf(restApi, person), id, {
        ...FIRST_WINDOW,
        filter: 'published',
      });
      return readVersions(clientOf(restApi, person), newest?.id ?? '');
    },
    'desk, a place in it': ({ id, person }) => isMember(clientOf(restApi, person), id, person.sub),
    'desk, joining it': ({ id, person }) => queryPermissions(engine, person, `desk:${id}`),
    'following, joining it': ({ id }) => queryPermissions(engine, { role: 'anon' }, `coverage:${id}`),
  };
}

/** Returns the queries of pages that belong to no single coverage. */
export function siteQueries({ restApi }: MeasuredDatabase): Queries {
  return {
    'front page': () => readCoverageLines(),
    'coverages for other programs': () => readCoverageList(),
    archive: () => readArchiveMonths(),
    'archive, a month': () => readMonth('2025-01', 1, { timeZone: 'UTC', language: 'en' }),
    'where everything stands': () => dataOf(clientOf(restApi, { role: 'service_role' }).rpc('site_seqs')),
    'what waits for somebody': ({ person }) => readWaiting(clientOf(restApi, person)),
    'photos, of all coverages': ({ person }) => readLibrary(clientOf(restApi, person), ALL_PHOTOS),
    corrections: () => readCorrections(),
    'sitemap, its parts': () => readSitemapMonths(),
    'sitemap, what leads there': () => readSitemapPages(),
    'sitemap, news': () => readNewsPages(),
    'feed of the site': async () => listDocument(await readSite(), null),
    'feed of the site, archived': async () => listDocument(await readSite(), null, '2025-01'),
    "the desk's overview": ({ person }) => readOverview(clientOf(restApi, person), editor(person.sub), 1),
  };
}

const ALL_PHOTOS: LibraryFilters = { search: '', coverage: null, filter: 'all', after: null };

/** Returns the number of an update in the middle of a coverage, at the end of a page. */
const middle = (count: number) => Math.floor(count / 20) * 10;

const editor = (id: string) => ({ id, handle: '', display_name: '', bio: '', role: 'editor' as const });

async function find(slug: string) {
  const result = await findCoverage(slug);
  if (result.kind !== 'coverage') throw new Error(`There is no coverage ${slug}.`);
  return result.coverage;
}

function live(parameters: (coverage: SeededCoverage) => string): Queries[string] {
  return async (seeded) => {
    const [coverage] = await Promise.all([find(seeded.slug), readSite()]);
    const view = readView(coverage, new URLSearchParams(parameters(seeded)));
    if (!view || view.kind === 'redirect') throw new Error(`No page: ${parameters(seeded)}.`);
    const page = await readLivePage(coverage, view);
    if (page.updates.length === 0) throw new Error(`An empty page: ${parameters(seeded)}.`);
  };
}

/** Returns a check by a page that is `behind` changes behind. */
function changes(behind: number): Queries[string] {
  return async ({ slug, seq }) => {
    const [coverage] = await Promise.all([find(slug), readSite()]);
    if (isTooFarBehind(coverage.seq, seq - behind)) return;
    const { parts } = await readChanges(coverage, seq - behind);
    if (parts.includes('pinned')) await readPinned(coverage);
    if (parts.includes('key-events')) await readKeyEventList(coverage);
  };
}

const content = (text: string) => ({ body: [{ type: 'paragraph', runs: [{ text }] }] });

/**
 * Returns commands and server calls that change a coverage. Each uses its own update, so that they run in any order.
 */
export function writeQueries({ engine, restApi }: MeasuredDatabase): Queries {
  const call = (claims: Claims, name: string, args: Record<string, unknown>) => {
    // Function names are values here, which the generated types do not allow.
    const client = clientOf(restApi, claims) as unknown as SupabaseClient;
    return client.rpc(name, args).throwOnError();
  };
  const callCommand = (who: Claims, name: string, args: Record<string, unknown>) =>
    call(who, name, { idempotency_key: randomUUID(), ...args });
  const server = (name: string, args: Record<string, unknown>) => call({ role: 'service_role' }, name, args);
  const idOf = async (coverage: SeededCoverage, number: number) => {
    const { rows } = await engine.transaction((session) =>
      session.query<{ id: string; version: number }>(
        'select id, version from public.updates where coverage_id = $1::uuid and number = $2::integer',
        [coverage.id, number],
      ),
    );
    if (!rows[0]) throw new Error(`There is no update ${number}.`);
    return { update_id: rows[0].id, version: rows[0].version };
  };
  const versionOf = async ({ id }: SeededCoverage) => {
    const { rows } = await engine.transaction((session) =>
      session.query<{ version: number }>('select version from public.coverages where id = $1::uuid', [id]),
    );
    return rows[0]?.version;
  };
  const waiting = async (coverage: SeededCoverage) => {
    const update_id = randomUUID();
    await callCommand(coverage.person, 'save_update', {
      coverage_id: coverage.id,
      update_id,
      content: content('Waits.'),
    });
    return update_id;
  };
  return {
    publishing: ({ id, person }) =>
      callCommand(person, 'publish_update', {
        coverage_id: id,
        update_id: randomUUID(),
        content: content('Just in.'),
      }),
    'saving at the desk': waiting,
    'publishing what waits': async (coverage) => {
      const update_id = await waiting(coverage);
      await callCommand(coverage.person, 'publish_update', {
        coverage_id: coverage.id,
        update_id,
        content: content('Now.'),
        version: 1,
      });
    },
    revising: async (coverage) => {
      const known = await idOf(coverage, coverage.count - 8);
      await callCommand(coverage.person, 'revise_update', { ...known, content: content('Revised.') });
    },
    correcting: async (coverage) => {
      const known = await idOf(coverage, coverage.count - 9);
      await callCommand(coverage.person, 'correct_update', {
        ...known,
        content: content('Corrected.'),
        note: 'It was not so.',
      });
    },
    withdrawing: async (coverage) => {
      const { rows } = await engine.transaction((session) =>
        session.query<{ id: string }>(
          `select id from public.updates where coverage_id = $1::uuid and state = 'published' and number > $2::integer
           order by number limit 1`,
          [coverage.id, coverage.count - 30],
        ),
      );
      await callCommand(coverage.person, 'withdraw_update', {
        update_id: rows[0]?.id,
        reason: 'It was wrong.',
      });
    },
    pinning: async (coverage) => {
      const { update_id } = await idOf(coverage, coverage.count - 2);
      await callCommand(coverage.person, 'pin_update', { coverage_id: coverage.id, update_id });
      await callCommand(coverage.person, 'pin_update', { coverage_id: coverage.id, update_id: null });
    },
    'what is known': async (coverage) => {
      const summary = content('What is known.').body;
      await callCommand(coverage.person, 'set_summary', {
        coverage_id: coverage.id,
        version: await versionOf(coverage),
        summary,
      });
    },
    'its own words': async (coverage) => {
      const changed = { headline: `A coverage ${randomUUID()}` };
      await callCommand(coverage.person, 'save_coverage', {
        coverage_id: coverage.id,
        version: await versionOf(coverage),
        content: changed,
      });
    },
    'pausing and going on': async ({ id, person }) => {
      await callCommand(person, 'set_coverage_state', { coverage_id: id, state: 'paused' });
      await callCommand(person, 'set_coverage_state', { coverage_id: id, state: 'live' });
    },
    'the schedule': async (coverage) => {
      const update_id = randomUUID();
      const scheduled_for = new Date(Date.now() + 60_000).toISOString();
      await callCommand(coverage.person, 'schedule_update', {
        coverage_id: coverage.id,
        update_id,
        content: content('Later.'),
        scheduled_for,
      });
      await engine.transaction((session) =>
        session.query('update public.updates set scheduled_for = now() where id = $1::uuid', [update_id]),
      );
      await engine.execOutsideTransaction('call private.publish_due()');
    },
    'describing a photo': async ({ id, person, count }) => {
      const { rows } = await engine.transaction((session) =>
        session.query<{ photo: string }>(
          `select p.photo_id as photo from public.updates u join public.update_photos p on p.update_id = u.id
           where u.coverage_id = $1::uuid and u.number = $2::integer`,
          [id, count - 7],
        ),
      );
      await callCommand(person, 'save_photo', {
        photo_id: rows[0]?.photo,
        coverage_id: id,
        content: { caption: randomUUID() },
      });
    },
    'an import of what is there': async (coverage) => {
      const { update_id } = await idOf(coverage, coverage.count - 5);
      const item = { id: update_id, published_at: '2025-01-01T00:00:00Z', content: content('Old.') };
      await server('check_import', { items: [item] });
      await server('import_updates', { coverage_id: coverage.id, items: [item] });
    },
    'an import of something new': async (coverage) => {
      const item = { id: randomUUID(), published_at: new Date().toISOString(), content: content('New.') };
      await server('import_updates', { coverage_id: coverage.id, items: [item] });
    },
    'a name of somebody bylined': ({ person }) =>
      callCommand(person, 'save_me', { content: { display_name: `Editor ${randomUUID().slice(0, 8)}` } }),
  };
}

/** Returns the queries of scheduled jobs. */
export const jobQueries = ({ engine }: MeasuredDatabase): Queries => ({
  'the schedule, when nothing is due': () => engine.execOutsideTransaction('call private.publish_due()'),
  'forgetting what is old': () => engine.execOutsideTransaction('select private.delete_expired_data()'),
});
