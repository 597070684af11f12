import type { SeededRandom } from '../../../support/random.ts';

/** The current version of a text. `list`: the page of the coverage's list that shows it, from 1. */
export type Text = { id: string; revised: number; withdrawn: boolean; list: number };

/** Texts on one page of a list. */
const LIST_SIZE = 4;

export type Coverage = {
  id: string;
  slug: string;
  /** 0 while the coverage is a draft. */
  seq: number;
  texts: Map<string, Text>;
  changes: { seq: number; text: string | null }[];
};

/** A message of the database, with what only the test knows about it. */
export type Sent = { payload: unknown; topic: string; moment: number };

/** A publication. Moments increase by one with each change of anything. */
export type Event = {
  moment: number;
  at: number;
  slug: string | null;
  seq: number;
  removed: string | null;
  /** Pages of the list that show what changed. Null: every page of the coverage. */
  lists: number[] | null;
};

type State = { site: number; coverages: Map<string, Coverage> };

export type Database = ReturnType<typeof openDatabase>;

/** A fake newsroom database: coverages with sequences, changed in transactions that broadcast. */
export function openDatabase(random: SeededRandom) {
  let state: State = {
    site: 0,
    coverages: new Map(
      ['river', 'harbour', 'market', 'bridge'].map((slug) => [
        slug,
        { id: `id-of-${slug}`, slug, seq: 0, texts: new Map(), changes: [] },
      ]),
    ),
  };
  const events: Event[] = [{ moment: 0, at: Date.now(), slug: null, seq: 0, removed: null, lists: null }];
  const listeners = new Set<(sent: Sent) => void>();
  let backup = structuredClone(state);
  let texts = 0;

  const coverage = (slug: string): Coverage => {
    const result = state.coverages.get(slug);
    if (!result) throw new Error(`There is no ${slug}.`);
    return result;
  };

  function recordEvent(
    slug: string | null,
    seq = 0,
    { removed = null, lists = null }: Partial<Pick<Event, 'removed' | 'lists'>> = {},
  ): number {
    const moment = events.length;
    events.push({ moment, at: Date.now(), slug, seq, removed, lists });
    return moment;
  }

  const send = (sent: Sent) => {
    for (const listener of listeners) listener(sent);
  };

  function change(of: Coverage, text: string | null) {
    of.seq += 1;
    of.changes.push({ seq: of.seq, text });
  }

  /** Ends a transaction with one message to the site and one to readers. */
  function commit(of: Coverage, texts: Text[] | 'state', removal?: Text) {
    const lists = texts === 'state' ? null : [...new Set(texts.map(({ list }) => list))];
    const moment = recordEvent(of.slug, of.seq, { removed: removal?.id ?? null, lists });
    const { id, slug, seq } = of;
    const places = lists
      ? lists.map((list) => `list-page:${id}:${list}`)
      : [`coverage-fields:${id}`, 'missing'];
    const tags = [`coverage:${id}`, 'lists', ...places];
    const removed = removal !== undefined;
    send({ topic: 'site', moment, payload: { coverage: id, seq, tags, removed, slug } });
    send({ topic: slug, moment, payload: { seq, spread: 1000 } });
  }

  return {
    coverage,
    events,
    listen: (listener: (sent: Sent) => void) => void listeners.add(listener),
    now: () => events.length - 1,

    goLive(slug: string) {
      const of = coverage(slug);
      change(of, null);
      commit(of, 'state');
    },

    /** Publishes texts in one transaction. */
    publish(slug: string, count = 1) {
      const of = coverage(slug);
      const published = Array.from({ length: count }, () => {
        const id = `${slug}-${++texts}`;
        change(of, id);
        const list = Math.ceil((of.texts.size + 1) / LIST_SIZE);
        const text = { id, revised: of.seq, withdrawn: false, list };
        of.texts.set(id, text);
        return text;
      });
      commit(of, published);
    },

    revise(slug: string) {
      const of = coverage(slug);
      const [text] = pickPublished(of, random);
      if (!text) return;
      change(of, text.id);
      text.revised = of.seq;
      commit(of, [text]);
    },

    withdraw(slug: string) {
      const of = coverage(slug);
      const [text] = pickPublished(of, random);
      if (!text) return;
      change(of, text.id);
      Object.assign(text, { revised: of.seq, withdrawn: true });
      commit(of, [text], text);
    },

    changeSite() {
      state.site += 1;
      const moment = recordEvent(null);
      send({ topic: 'site', moment, payload: { site: state.site, tags: ['site'], removed: false } });
    },

    backUp() {
      backup = structuredClone(state);
    },

    /** Restores a backup without a broadcast. */
    restore() {
      const before = state.coverages;
      state = structuredClone(backup);
      for (const { slug, seq } of state.coverages.values())
        if (seq !== before.get(slug)?.seq) recordEvent(slug, seq);
    },

    seqs: () => ({
      site: state.site,
      coverages: new Map(
        [...state.coverages.values()]
          .filter(({ seq }) => seq > 0)
          .map(({ id, slug, seq }) => [id, { seq, slugs: [slug] }]),
      ),
    }),

    /** A coverage as readers see it, or null while it is not public. */
    read(slug: string): { seq: number; moment: number } | null {
      const result = state.coverages.get(slug);
      return result && result.seq > 0 ? { seq: result.seq, moment: events.length - 1 } : null;
    },

    public: () => [...state.coverages.values()].filter(({ seq }) => seq > 0),

    /** Time of the first change that a page read at this moment does not contain, or Infinity. */
    outdatedAt: (moment: number, slug: string | null, list?: number) =>
      events.find((event) => event.moment > moment && concerns(event, slug, list))?.at ??
      Number.POSITIVE_INFINITY,

    /** Time of the first change after this seq, or Infinity. */
    unknownSince: (slug: string, seq: number) =>
      events.find((event) => event.slug === slug && event.seq > seq)?.at ?? Number.POSITIVE_INFINITY,
  };
}

/** Whether a page shows what an event changed. `slug`: null for the front page. `list`: for an older page only. */
export const concerns = (event: Event, slug: string | null, list?: number): boolean =>
  slug === null ||
  event.slug === null ||
  (event.slug === slug && (list === undefined || event.lists === null || event.lists.includes(list)));

function pickPublished({ texts }: Coverage, random: SeededRandom): Text[] {
  const published = [...texts.values()].filter(({ withdrawn }) => !withdrawn);
  return published.length === 0 ? [] : [random.pick(published)];
}
