import { atom, type ReadableAtom } from 'nanostores';
import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import { newsAmong, OWN_TIPS } from '../../lib/data/tips.ts';
import type { OwnTip } from '../../lib/domain/tips.ts';
import { Refused } from '../../lib/i18n/refusals.ts';
import type { Poller } from '../live-feed/polling.ts';
import { createPoller } from '../live-feed/polling.ts?page=own';
import type { TopicSocket } from '../live-feed/socket.ts';
import { isPoorConnection, isSlowConnection } from '../network/connection-quality.ts';
import { accessTokens } from '../outbox/access-tokens.ts';
import { commandSender } from '../outbox/sender.ts';

/** What the channel of a person tells: that there is something to look at, never what. */
export type PersonEars = {
  /** Whether it tells from now on. What happened before was not heard. */
  setListening(hears: boolean): void;
  /** How one of this person's tips stands has changed. */
  tip(): void;
};

/**
 * The channel of what is for one person alone, closed until it is wanted. The library comes when it is wanted first;
 * where it cannot be had, nothing is told and the page looks by itself.
 */
export function personChannel(
  person: string,
  backend: BrowserBackend,
  token: () => Promise<string>,
  { setListening, tip }: PersonEars,
): TopicSocket {
  let wanted = false;
  let loading: Promise<TopicSocket> | undefined;

  async function load(): Promise<TopicSocket> {
    const { topicSocket } = await import('../live-feed/socket.ts');
    return topicSocket(backend, { topic: `person:${person}`, events: { tip }, setListening, token });
  }

  return {
    setOpen(now) {
      wanted = now;
      if (now) loading ??= load();
      loading?.then(
        (socket) => socket.setOpen(wanted),
        () => {},
      );
    },
  };
}

/** How the list stands to the newsroom. */
export type Standing = 'starting' | 'current' | 'behind' | 'signed_out';

export type OwnTips = {
  $tips: ReadableAtom<OwnTip[]>;
  $standing: ReadableAtom<Standing>;
  /** When it was last looked at, as an ISO 8601 time. */
  $at: ReadableAtom<string>;
  /** What the last look that found something has found. */
  $news: ReadableAtom<OwnTip[]>;
  /** Listens and looks for as long as the list is on the screen. Returns what ends it. */
  watch(): () => void;
};

/** Seconds between two looks while no channel tells when to: as a reader's page checks. */
const EVERY_S = 10;

/** The tips of `person`, from what the page was made with on. */
export function makeOwnTips(
  person: string,
  first: OwnTip[],
  madeAt: string,
  backend: BrowserBackend,
): OwnTips {
  const $tips = atom(first);
  const $standing = atom<Standing>('starting');
  const $at = atom(madeAt);
  const $news = atom<OwnTip[]>([]);

  function watch(): () => void {
    const tokens = accessTokens(person);
    const send = commandSender(backend, tokens);
    /** Changes are counted by us: a message only says that there is one. */
    let heard = 0;

    async function fetchChanges(after: number, until: number) {
      const tips = await send(OWN_TIPS, {}).catch((error) => {
        if (!isSignedOut(error)) throw error;
        return 'gone' as const;
      });
      if (tips === 'gone') return tips;
      const through = Math.max(after, until);
      return {
        at: Date.now(),
        through,
        more: false,
        farBehind: false,
        interval: EVERY_S,
        tips: tips as OwnTip[],
      };
    }

    const follower: Poller = createPoller<Exclude<Awaited<ReturnType<typeof fetchChanges>>, 'gone'>>({
      seq: 0,
      interval: EVERY_S,
      fetchChanges,
      apply({ tips }) {
        const news = newsAmong($tips.get(), tips);
        $tips.set(tips);
        if (news.length > 0) $news.set(news);
      },
      onUpToDate(at) {
        $at.set(new Date(at).toISOString());
        $standing.set('current');
        channel.setOpen(mayAsk() && !isPoorConnection());
      },
      onFailed: () => $standing.set('behind'),
      onWithdrawn() {
        $standing.set('signed_out');
        channel.setOpen(false);
      },
      random: Math.random,
      isSlow: isSlowConnection,
    });
    const channel = personChannel(person, backend, tokens.get, {
      setListening: follower.setListening,
      tip: () => follower.onChange({ seq: ++heard, spread: 0 }),
    });

    const turn = () => {
      const may = mayAsk();
      follower.setAllowed(may);
      if (!may) channel.setOpen(false);
      if (!navigator.onLine && $standing.get() === 'current') $standing.set('behind');
    };
    document.addEventListener('visibilitychange', turn);
    for (const event of LINE) window.addEventListener(event, turn);
    turn();
    return () => {
      document.removeEventListener('visibilitychange', turn);
      for (const event of LINE) window.removeEventListener(event, turn);
      follower.setAllowed(false);
      channel.setOpen(false);
    };
  }

  return { $tips, $standing, $at, $news, watch };
}

const LINE = ['online', 'offline'];

/** A page that nobody looks at asks nothing: it asks when it is seen again. */
const mayAsk = () => document.visibilityState === 'visible' && navigator.onLine;

const isSignedOut = (error: unknown) => error instanceof Refused && error.refusal.code === 'signed_out';
