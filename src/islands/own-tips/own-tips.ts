import { atom, type ReadableAtom } from 'nanostores';
import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import { changedTips, OWN_TIPS } from '../../lib/data/tips.ts';
import type { OwnTip } from '../../lib/domain/tips.ts';
import { Refused } from '../../lib/i18n/refusals.ts';
import type { Poller } from '../live-feed/polling.ts';
import { createPoller } from '../live-feed/polling.ts?page=own';
import type { TopicSocket } from '../live-feed/socket.ts';
import { network, onNetworkChange } from '../network/network.ts';
import { accessTokens } from '../outbox/access-tokens.ts';
import { commandSender } from '../outbox/rpc.ts';

/** Handlers for a person's channel. Its messages contain no content. */
type PersonHandlers = {
  /** Whether messages arrive from now on. Earlier ones are lost. */
  setListening(isListening: boolean): void;
  /** One of the person's tips has changed. */
  tip(): void;
};

/**
 * A person's private channel, initially closed. It loads the Realtime library when it is first opened; if loading
 * fails, the page only polls.
 */
function personChannel(
  person: string,
  backend: BrowserBackend,
  token: () => Promise<string>,
  { setListening, tip }: PersonHandlers,
): TopicSocket {
  let shouldBeOpen = false;
  let loading: Promise<TopicSocket> | undefined;

  async function load(): Promise<TopicSocket> {
    const { topicSocket } = await import('../live-feed/socket.ts');
    return topicSocket(backend, { topic: `person:${person}`, events: { tip }, setListening, token });
  }

  return {
    setOpen(now) {
      shouldBeOpen = now;
      if (now) loading ??= load();
      loading?.then(
        (socket) => socket.setOpen(shouldBeOpen),
        () => {},
      );
    },
  };
}

/** Freshness of the list. */
export type TipsStatusState = 'starting' | 'current' | 'behind' | 'signed_out';

type OwnTipsStore = {
  $tips: ReadableAtom<OwnTip[]>;
  $status: ReadableAtom<TipsStatusState>;
  /** Time of the last fetch (ISO 8601). */
  $at: ReadableAtom<string>;
  /** Tips that changed in the last fetch with changes. */
  $changedTips: ReadableAtom<OwnTip[]>;
  /** Starts channel and polling. Returns a function that stops them. */
  watch(): () => void;
};

/** Seconds between polls without a channel, as on live pages. */
const POLL_S = 10;

/** The tips of a person, starting with those that the server rendered. */
export function makeOwnTips(
  person: string,
  first: OwnTip[],
  madeAt: string,
  backend: BrowserBackend,
): OwnTipsStore {
  const $tips = atom(first);
  const $status = atom<TipsStatusState>('starting');
  const $at = atom(madeAt);
  const $changedTips = atom<OwnTip[]>([]);

  function watch(): () => void {
    const tokens = accessTokens(person);
    const send = commandSender(backend, tokens);
    /** Number of messages. They have no seq of their own. */
    let changeCount = 0;

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
        interval: POLL_S,
        tips: tips as OwnTip[],
      };
    }

    const poller: Poller = createPoller<Exclude<Awaited<ReturnType<typeof fetchChanges>>, 'gone'>>({
      seq: 0,
      interval: POLL_S,
      fetchChanges,
      apply({ tips }) {
        const changed = changedTips($tips.get(), tips);
        $tips.set(tips);
        if (changed.length > 0) $changedTips.set(changed);
      },
      onUpToDate(at) {
        $at.set(new Date(at).toISOString());
        $status.set('current');
        channel.setOpen(mayPoll() && !network().isPoor);
      },
      onFailed: () => $status.set('behind'),
      onWithdrawn() {
        $status.set('signed_out');
        channel.setOpen(false);
      },
      random: Math.random,
      isSlow: () => network().isSlow,
    });
    const channel = personChannel(person, backend, tokens.get, {
      setListening: poller.setListening,
      tip: () => poller.onChange({ seq: ++changeCount, spread: 0 }),
    });

    const updateState = () => {
      const isAllowed = mayPoll();
      poller.setAllowed(isAllowed);
      if (!isAllowed) channel.setOpen(false);
      if (!network().isOnline && $status.get() === 'current') $status.set('behind');
    };
    document.addEventListener('visibilitychange', updateState);
    const stopListening = onNetworkChange(updateState);
    updateState();
    return () => {
      document.removeEventListener('visibilitychange', updateState);
      stopListening();
      poller.setAllowed(false);
      channel.setOpen(false);
    };
  }

  return { $tips, $status: $status, $at, $changedTips: $changedTips, watch };
}

/** A hidden page does not poll; it polls when it becomes visible. */
const mayPoll = () => document.visibilityState === 'visible' && network().isOnline;

const isSignedOut = (error: unknown) => error instanceof Refused && error.refusal.code === 'signed_out';
