import { atom, type ReadableAtom } from 'nanostores';
import { accessTokens } from '../../lib/auth/access-tokens.ts';
import { Refused } from '../../lib/http/errors.ts';
import type { BrowserBackend } from '../../lib/supabase/browser.ts';
import { commandSender } from '../../lib/supabase/sender.ts';
import { newsAmong, OWN_TIPS, type OwnTip } from '../../lib/tips/own.ts';
import type { Poller } from '../browser/follow.ts';
import { createPoller } from '../browser/follow.ts?page=own';
import { isPoorConnection, isSlowConnection } from '../browser/line.ts';
import { personChannel } from '../browser/person-channel.ts';

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
