import { type ChangesResult, createPoller, type Poller } from '../../../../src/islands/live-feed/polling.ts';
import type { SeededRandom } from '../../../support/random.ts';
import { wait } from './clock.ts';
import type { Database, Text } from './database.ts';
import { delayOf, isSound, type Profile } from './profile.ts';
import type { Page, Site } from './site.ts';
import { openWire } from './wire.ts';

/** The coverage that the simulated readers follow. */
const SLUG = 'river';
/** Seconds between polls. */
const INTERVAL = 10;
/** Maximum interval of checks with a socket, and lifetime of `changes`. */
const SOCKET_POLL_MS = 30_000;
const LIFETIME_MS = 2_000;

export type Reader = ReturnType<typeof openReader>;

type ReaderOptions = { random: SeededRandom; database: Database; site: Site; profile: Profile };

/** An open live page: the real follower with a fake page, connection and socket. */
export function openReader({ random, database, site, profile }: ReaderOptions, by: 'socket' | 'checks') {
  const { invariants } = site;
  const delay = () => delayOf(random, profile);
  const texts = new Map<string, Text>();
  let follower: Poller | undefined;
  let seq = 0;
  /** Time since when the page claims to be live, or Infinity. */
  let liveSince = Number.POSITIVE_INFINITY;
  let isListening = false;
  let lastMessage = { seq: 0, at: 0 };
  let leftAt = 0;
  let isHidden = false;
  const sound = isSound(profile);

  async function get(key: string): Promise<Page | 'early'> {
    await wait(delay());
    const { status, page } = await site.get(key);
    await wait(delay());
    if (random.chance(profile.requestsFail)) throw new Error('The answer is lost.');
    if (status === 200 && page) return page;
    if (status === 503 && key.includes('until')) return 'early';
    throw new Error(`${status}`);
  }

  /** Loads the page. */
  async function load(): Promise<void> {
    liveSince = Number.POSITIVE_INFINITY;
    follower?.setAllowed(false);
    follower = undefined;
    const page = await get(`/live/${SLUG}`).catch(() => null);
    if (!page || page === 'early') {
      await wait(1_000);
      return load();
    }
    // Loading the page opens a new socket.
    lastMessage = { seq: 0, at: 0 };
    texts.clear();
    for (const text of page.texts) texts.set(text.id, text);
    seq = page.seq;
    const mine: Poller = createPoller<ChangesResult & { page: Page }>({
      seq,
      interval: INTERVAL,
      fetchChanges: async (after, until) => {
        const page = await get(`/live/${SLUG}/changes?after=${after}${until ? `&until=${until}` : ''}`);
        if (page === 'early') return page;
        const { through, more, farBehind, date } = page;
        return { at: date, through, more, farBehind, interval: INTERVAL, page };
      },
      apply({ page, through, farBehind }) {
        if (farBehind) return void load();
        for (const text of page.texts)
          if (text.revised > (texts.get(text.id)?.revised ?? 0)) texts.set(text.id, text);
        seq = Math.max(seq, through);
      },
      onUpToDate(at) {
        if (mine === follower) settled(at);
      },
      onFailed() {
        liveSince = Number.POSITIVE_INFINITY;
      },
      onWithdrawn: () => {},
      random: random.next,
      isSlow: () => false,
    });
    follower = mine;
    follower.setListening(isListening);
    follower.setAllowed(true);
  }

  function settled(at: number) {
    liveSince = Math.min(liveSince, Date.now());
    const since = database.unknownSince(SLUG, seq);
    if (since < at - invariants.slack)
      invariants.violate(
        'a reader whose page says that it is current knows every earlier change',
        `${seq} at ${at - since}`,
      );
    const { changes } = database.coverage(SLUG);
    const missed = changes.find(
      (change) => change.text && change.seq <= seq && (texts.get(change.text)?.revised ?? 0) < change.seq,
    );
    if (missed) invariants.violate('no reader misses a change', `${missed.seq} of ${seq}`);
  }

  const wire = openWire(
    {
      joined() {
        isListening = true;
        follower?.setListening(true);
      },
      left() {
        isListening = false;
        leftAt = Date.now();
        follower?.setListening(false);
      },
      receive({ payload }) {
        const change = payload as { seq: number; spread: number };
        lastMessage = { seq: change.seq, at: Date.now() };
        follower?.onChange(change);
      },
    },
    delay,
    () => random.chance(profile.readersLose),
  );
  if (by === 'socket') {
    database.listen((sent) => {
      if (sent.topic === SLUG) wire.send(sent);
    });
  } else wire.close();
  void load();

  return {
    leave() {
      follower?.setAllowed(false);
      wire.close();
    },

    cut: (ms: number) => by === 'socket' && wire.cut(ms),

    /** Hides the page for a while. */
    async hide(ms: number) {
      liveSince = Number.POSITIVE_INFINITY;
      follower?.setAllowed(false);
      isHidden = true;
      await wait(ms);
      isHidden = false;
      lastMessage.at = Date.now();
      follower?.setAllowed(true);
    },

    /** A page that claims to be live must ask in time for unknown changes. */
    audit() {
      const now = Date.now();
      const since = Math.max(database.unknownSince(SLUG, seq), liveSince);
      // Without a socket it must ask within an interval.
      const mustAsk = isListening ? since + SOCKET_POLL_MS : Math.max(since, leftAt) + INTERVAL * 1000;
      const late = now - mustAsk - LIFETIME_MS - 3 * invariants.slack;
      const lateAfterMessage =
        lastMessage.seq > seq ? now - Math.max(lastMessage.at, liveSince) - 1_000 - 3 * invariants.slack : 0;
      const isNotified = isListening && !isHidden && lastMessage.seq > seq;
      if (isNotified && sound && now - lastMessage.at > 1_000 + 3 * invariants.slack)
        invariants.violate(
          'a reader who received a message has its change soon when nothing fails',
          `${seq} of ${lastMessage.seq}`,
        );
      if (late > 0 || (isListening && lateAfterMessage > 0))
        invariants.violate(
          'a reader without messages polls for changes',
          `${by} ${seq} ${late} ${lateAfterMessage}`,
        );
    },

    /** After recovery the page equals the database. */
    expectCurrent() {
      const { seq: last, texts: all } = database.coverage(SLUG);
      const wrong = [...all.values()].find(
        ({ id, revised, withdrawn }) =>
          texts.get(id)?.revised !== revised || texts.get(id)?.withdrawn !== withdrawn,
      );
      if (seq !== last || wrong)
        invariants.violate('no reader misses a change', `${by} at ${seq} of ${last}: ${wrong?.id}`);
    },
  };
}
