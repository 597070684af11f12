import { cacheRows, serverBridge } from '../../../../src/lib/data/server-bridge.ts';
import { cacheControl } from '../../../../src/lib/http/cache-policy.ts';
import { createCache } from '../../../../src/lib/server/page-cache/cache.ts';
import type { RenderedResponse } from '../../../../src/lib/server/page-cache/cached-response.ts';
import { startInvalidation } from '../../../../src/lib/server/page-cache/invalidation.ts';
import { createSlugFilter } from '../../../../src/lib/server/page-cache/middleware.ts';
import type { SeededRandom } from '../../../support/random.ts';
import { wait } from './clock.ts';
import type { Database, Text } from './database.ts';
import { type Invariants, listOf, openInvariants } from './invariants.ts';
import { delayOf, type Profile } from './profile.ts';
import { openWire, type Wire } from './wire.ts';

/** A rendering: what it read, and when. */
export type Page = {
  kind: 'page' | 'changes' | 'missing';
  /** Slug of the coverage, or null for the front page. */
  slug: string | null;
  /** The moment when its first row was read. */
  moment: number;
  seq: number;
  texts: Text[];
  /** Last seq in a response to `changes`. */
  through: number;
  more: boolean;
  farBehind: boolean;
  /** Its Date header. */
  date: number;
};

export type Answer = { status: number; page: Page | null };

export type Site = ReturnType<typeof openSite>;

/** Few changes per response, so that there are often more. */
const PER_ANSWER = 3;
/** Lifetime of pages in worlds where they last long. */
const LASTING = 'public, max-age=0, s-maxage=600, stale-if-error=86400';
/** Maximum number of changes in a response. */
const MOST_BEHIND = 30;

/** The site: the real cache, cached rows and cache invalidation, with fake database, channel and pages. */
export function openSite(
  random: SeededRandom,
  database: Database,
  profile: Profile,
  invariants: Invariants = openInvariants(database, profile),
) {
  const delay = () => delayOf(random, profile);
  const forPages = profile.pagesLast ? LASTING : cacheControl('page');
  let isDown = false;
  let channel: Wire | undefined;
  /** Moment of the response to the current comparison. */
  let comparedMoment: number | undefined;

  const cache = createCache({ render });
  const slugs = createSlugFilter(() => invalidation.requestComparison());
  const invalidation = startInvalidation(
    {
      purge(tags, mode) {
        forgetRows();
        cache.purge(tags, mode);
      },
      purgeAll(mode) {
        forgetRows();
        cache.purgeAll(mode);
      },
      setSlugs: knowSlugs,
    },
    {
      async readSeqs() {
        await wait(delay());
        if (isDown || random.chance(profile.comparisonsFail)) {
          invariants.notCompared();
          throw new Error('The database does not answer.');
        }
        const [seqs, moment] = [database.seqs(), database.now()];
        await wait(delay());
        comparedMoment = moment;
        return seqs;
      },
      subscribe({ joined, message }) {
        const opened = openWire(
          {
            joined() {
              invariants.joined();
              joined();
            },
            receive({ payload, moment }) {
              message(payload);
              invariants.received(moment);
            },
          },
          delay,
          () => random.chance(profile.siteLoses),
        );
        channel = opened;
        database.listen((sent) => {
          if (sent.topic === 'site') opened.send(sent);
        });
        return opened.close;
      },
    },
  );

  /** As the page cache does before it purges pages. */
  function forgetRows() {
    serverBridge.invalidations = (serverBridge.invalidations ?? 0) + 1;
  }
  forgetRows();

  /** Rows that pages share: that of a coverage, or of the site for ''. */
  const readRow = async (slug: string) => {
    await wait(delay());
    if (isDown) throw new Error('The backend does not answer.');
    return slug ? database.read(slug) : { seq: 0, moment: database.now() };
  };
  const cachedRow = cacheRows(readRow, (row) => row !== null);

  function knowSlugs(known: ReadonlySet<string> | null) {
    slugs.set(known);
    if (known && comparedMoment !== undefined) invariants.compared(comparedMoment);
    comparedMoment = undefined;
  }

  async function render(key: string): Promise<RenderedResponse> {
    const began = Date.now();
    let status = 500;
    try {
      await wait(delay());
      const rendered = await make(new URL(key, 'http://site'), listOf(key));
      status = rendered.status;
      return rendered;
    } finally {
      if (status >= 500) invariants.failed(key, Date.now() - began);
    }
  }

  async function make({ pathname, searchParams }: URL, list?: number): Promise<RenderedResponse> {
    if (isDown) throw new Error('The backend does not answer.');
    const fails = random.chance(profile.renderingsFail);
    const [, , slug = null, isChanges] = pathname.split('/');
    const seen = await (isChanges ? readRow : cachedRow)(slug ?? '');
    if (!seen) {
      const page = { ...EMPTY, kind: 'missing', slug, moment: database.now() } as const;
      return answer(404, page, cacheControl('missing'), ['site', 'missing']);
    }
    await wait(delay());
    if (fails) return failing();
    const page = isChanges
      ? changes(seen, slug ?? '', searchParams)
      : { ...EMPTY, kind: 'page' as const, ...seen, slug, texts: structuredClone(textsOf(slug, list)) };
    await wait(delay());
    if (!page) return answer(503, null, null, []);
    const names = slug === null ? ['lists'] : tagsOf(database.coverage(slug).id, list);
    return answer(200, page, isChanges ? cacheControl('changes') : forPages, ['site', ...names]);
  }

  function failing(): RenderedResponse {
    if (random.chance(0.5)) throw new Error('A row is missing.');
    return answer(500, null, null, []);
  }

  const textsOf = (slug: string | null, list?: number): Text[] =>
    (slug === null ? database.public() : [database.coverage(slug)])
      .flatMap(({ texts }) => [...texts.values()])
      .filter((text) => list === undefined || text.list === list);

  const tagsOf = (id: string, list?: number): string[] =>
    list === undefined ? [`coverage:${id}`] : [`coverage-fields:${id}`, `list-page:${id}:${list}`];

  /** The changes after a seq, as rows are now. */
  function changes(
    seen: { seq: number; moment: number },
    slug: string,
    parameters: URLSearchParams,
  ): Page | null {
    const after = Number(parameters.get('after'));
    if (seen.seq < Number(parameters.get('until') ?? 0)) return null;
    const common = { ...EMPTY, kind: 'changes' as const, ...seen, slug };
    if (after > seen.seq || seen.seq - after > MOST_BEHIND)
      return { ...common, through: after, farBehind: true };
    const { changes: all, texts } = database.coverage(slug);
    const changed = all.filter(({ seq }) => seq > after && seq <= seen.seq).slice(0, PER_ANSWER);
    const through = changed.at(-1)?.seq ?? after;
    const touched = [...new Set(changed.flatMap(({ text }) => texts.get(text ?? '') ?? []))];
    return { ...common, through, more: through < seen.seq, texts: structuredClone(touched) };
  }

  async function find(key: string): Promise<RenderedResponse | 'unknown'> {
    const hit = cache.lookup(key);
    if (hit) return hit;
    const slug = /^\/live\/([a-z]+)/.exec(key)?.[1];
    if (slug && !(await slugs.mayExist(slug))) return 'unknown';
    return cache.fetch(key);
  }

  return {
    invariants,

    /** Answers a request, and checks the invariants. */
    async get(key: string): Promise<Answer> {
      const check = invariants.requested(key);
      const result = await find(key).catch(() => null);
      if (result === null) return { status: 503, page: null };
      if (result === 'unknown') {
        check({ ...EMPTY, kind: 'missing', slug: key.split('/')[2] ?? null });
        return { status: 404, page: null };
      }
      const page = JSON.parse(result.bodies.identity.toString()) as Page | null;
      if (page) check(page);
      return { status: result.status, page };
    },

    cut: (ms: number) => channel?.cut(ms),

    /** The backend stops answering, but keeps connections. */
    async fail(ms: number) {
      isDown = true;
      await wait(ms);
      isDown = false;
    },

    /** The backend stops, with all connections. */
    async goDown(ms: number, meanwhile: () => void = () => {}) {
      isDown = true;
      channel?.cut(ms + delay());
      await wait(ms);
      meanwhile();
      isDown = false;
    },

    stop: () => invalidation.stop(),
  };
}

const EMPTY: Page = {
  kind: 'page',
  slug: null,
  moment: -1,
  seq: 0,
  texts: [],
  through: 0,
  more: false,
  farBehind: false,
  date: 0,
};

function answer(status: number, page: Page | null, keep: string | null, tags: string[]): RenderedResponse {
  const headers: Record<string, string> = keep
    ? { 'cache-control': keep, 'cache-tag': tags.join() }
    : { 'cache-control': 'no-store' };
  const body = JSON.stringify(page && { ...page, date: Date.now() });
  return { status, headers, bodies: { identity: Buffer.from(body) } };
}
