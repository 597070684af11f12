import { isFarBehind, readChanges } from '../../../src/lib/changes/read.ts';
import { readCoverageLines } from '../../../src/lib/coverage/lines.ts';
import { readLivePage } from '../../../src/lib/coverage/page.ts';
import { findCoverage, readKeyEventList, readPinned } from '../../../src/lib/coverage/read.ts';
import { readView } from '../../../src/lib/coverage/view.ts';
import { FIRST_WINDOW } from '../../../src/lib/desk/list.ts';
import { openDesk } from '../../../src/lib/desk/open.ts';
import { readOverview } from '../../../src/lib/desk/overview.ts';
import {
  isMember,
  readHeads,
  readUpdates,
  type UpdateFilter,
  updatesById,
} from '../../../src/lib/desk/read.ts';
import { readRoster } from '../../../src/lib/desk/roster.ts';
import { readPersonPage } from '../../../src/lib/people/read.ts';
import { readPhotos } from '../../../src/lib/photos/desk.ts';
import { readSite } from '../../../src/lib/site/read.ts';
import { dataOf } from '../../../src/lib/supabase/answer.ts';
import { reader } from '../../../src/lib/supabase/reader.server.ts';
import { readTopicPage } from '../../../src/lib/topics/read.ts';
import { readUpdate } from '../../../src/lib/updates/read.ts';
import { askRights } from '../../../supabase/embedded/realtime/rights.ts';
import { clientOf } from './door.ts';
import type { Explaining } from './explaining.ts';
import type { Seeded } from './seed.ts';

/** What a route of the site asks of the database, by the very nouns that it loads through. */
export type Readings = Record<string, (coverage: Seeded) => PromiseLike<unknown>>;

const FILTERS: UpdateFilter[] = [
  'work',
  'draft',
  'submitted',
  'scheduled',
  'published',
  'withdrawn',
  'spiked',
];

/** The few that were withdrawn of a hundred do not fill a page of them: what these touch is not alike. */
export const OF_FEW = ['desk, withdrawn', 'desk, withdrawn, heads of more'];

/** What readers ask. */
export const publicReadings: Readings = {
  'live page': live(() => ''),
  'live page, older': live(({ count }) => `before=${middle(count) + 1}`),
  'live page, from the oldest': live(() => 'order=oldest'),
  'live page, from the oldest, in the middle': live(
    ({ count }) => `order=oldest&before=${middle(count) + 1}`,
  ),
  'live page, from the oldest, its last': live(({ count }) => `order=oldest&before=${count + 1}`),
  'key events': live(() => 'show=key'),
  // As many as a page holds are below it, of a coverage of any length.
  'key events, older': live(({ count }) => `show=key&before=${count > 4000 ? 2001 : 100}`),
  'one update': async ({ slug, count }) => readUpdate((await find(slug)).id, count - 5),
  'one update, corrected': async ({ slug, count }) => readUpdate((await find(slug)).id, middle(count) + 5),
  'one update, withdrawn': async ({ slug, count }) => readUpdate((await find(slug)).id, count - 56),
  'changes, none': changes(0),
  'changes, one': changes(1),
  'changes, fifty': changes(50),
  'changes, a hundred': changes(100),
  'changes, far behind': changes(101),
  'topic page': ({ topic }) => readTopicPage(topic),
  'person page': ({ handle }) => readPersonPage(handle),
  'an address of before': ({ slug }) => findCoverage(slug.replace('coverage-', 'before-')),
  'a photo': async ({ id, count }) => {
    const { data } = await reader()
      .from('updates')
      .select('update_photos(photo_id)')
      .eq('coverage_id', id)
      .eq('number', middle(count) + 3)
      .single()
      .throwOnError();
    const photo = data.update_photos[0]?.photo_id ?? '';
    return dataOf(reader().from('photos').select('coverage_id, prints, ready_at').eq('id', photo).single());
  },
};

/** What the desk of a coverage asks, as whoever writes it. */
export function deskReadings({ engine, lite }: Explaining): Readings {
  const windows = FILTERS.flatMap((filter): [string, Readings[string]][] => [
    [
      `desk, ${filter}`,
      ({ id, person }) => readUpdates(clientOf(lite, person), id, { ...FIRST_WINDOW, filter }),
    ],
    [
      `desk, ${filter}, heads of more`,
      ({ id, person }) => readHeads(clientOf(lite, person), id, { filter, most: 2 * FIRST_WINDOW.most }),
    ],
  ]);
  return {
    desk: ({ slug, person }) => openDesk(clientOf(lite, person), editor(person.sub), slug),
    ...Object.fromEntries(windows),
    'desk, some updates by id': async ({ id, person }) => {
      const heads = await readHeads(clientOf(lite, person), id, FIRST_WINDOW);
      return updatesById(
        clientOf(lite, person),
        heads.map((head) => head.id),
      );
    },
    'desk, its photos': async ({ id, person }) => {
      const rows = await readUpdates(clientOf(lite, person), id, { filter: 'published', most: 30 });
      return readPhotos(
        clientOf(lite, person),
        rows.flatMap(({ photos }) => photos.map((photo) => photo.id)),
      );
    },
    'desk, who may be there': ({ id, person }) => readRoster(clientOf(lite, person), id),
    'desk, a place in it': ({ id, person }) => isMember(clientOf(lite, person), id, person.sub),
    'desk, joining it': ({ id, person }) => askRights(engine, person, `desk:${id}`),
    'following, joining it': ({ id }) => askRights(engine, { role: 'anon' }, `coverage:${id}`),
  };
}

/** What no coverage is named in. */
export function wideReadings({ lite }: Explaining): Readings {
  return {
    'front page': () => readCoverageLines(),
    'where everything stands': () => dataOf(clientOf(lite, { role: 'service_role' }).rpc('site_seqs')),
    "the desk's overview": ({ person }) => readOverview(clientOf(lite, person), editor(person.sub), 1),
  };
}

/** A number in the middle that ends a page. */
const middle = (count: number) => Math.floor(count / 20) * 10;

const editor = (id: string) => ({ id, handle: '', display_name: '', bio: '', role: 'editor' as const });

async function find(slug: string) {
  const found = await findCoverage(slug);
  if (found.kind !== 'found') throw new Error(`There is no coverage ${slug}.`);
  return found.coverage;
}

function live(parameters: (coverage: Seeded) => string): Readings[string] {
  return async (seeded) => {
    const [coverage] = await Promise.all([find(seeded.slug), readSite()]);
    const view = readView(coverage, new URLSearchParams(parameters(seeded)));
    if (!view || view.kind === 'redirect') throw new Error(`No page: ${parameters(seeded)}.`);
    const page = await readLivePage(coverage, view);
    if (page.updates.length === 0) throw new Error(`An empty page: ${parameters(seeded)}.`);
  };
}

/** A check that is so many changes behind. */
function changes(behind: number): Readings[string] {
  return async ({ slug, seq }) => {
    const [coverage] = await Promise.all([find(slug), readSite()]);
    if (isFarBehind(coverage.seq, seq - behind)) return;
    const { parts } = await readChanges(coverage, seq - behind);
    if (parts.includes('pinned')) await readPinned(coverage);
    if (parts.includes('key-events')) await readKeyEventList(coverage.id);
  };
}
