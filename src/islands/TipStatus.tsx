import { type ReactNode, useEffect, useState } from 'react';
import { receiptStatePath, type TipProgress } from '../lib/data/tips.ts';
import { updatePath } from '../lib/domain/coverages.ts';
import { type Clock, clockTime } from '../lib/domain/time.ts';
import type { Language } from '../lib/i18n/language.ts';
import { network, onNetworkChange } from './network/network.ts';
import { pollDelay } from './network/retry.ts';
import { type TipMessages, tipMessages } from './tips/messages.ts';

type Props = {
  /** Language of the messages. */
  language?: Language;
  receipt: string;
  outcome: TipProgress;
  clock: Clock;
  /** When the status was read. */
  madeAt: string;
  /** Shown until the script polls. */
  children?: ReactNode;
};

/** Status of a tip, updated while its page is open. Without a script it shows when the status was read. */
export default function TipStatus({
  language = 'en',
  receipt,
  outcome: first,
  clock,
  madeAt,
  children,
}: Props) {
  const messages = tipMessages(language);
  const [firstOutcome] = useState(first);
  const [outcome, setOutcome] = useState(first);
  const [at, setAt] = useState(madeAt);
  const [connection, setConnection] = useState<'none' | 'there' | 'lost'>('none');
  useEffect(() => {
    setConnection('there');
    return watchTipStatus(receipt, firstOutcome, {
      onOutcome(now, fetchedAt) {
        setOutcome(now);
        setAt(fetchedAt);
        setConnection('there');
      },
      onLost: () => setConnection('lost'),
    });
  }, [receipt, firstOutcome]);

  return (
    <>
      {/* Announced to screen readers. */}
      <p role="status">
        <b>{outcomeMessage(messages, outcome)}</b>
      </p>
      {outcome.used_in && (
        <p>
          <a href={updatePath(outcome.used_in.slug, outcome.used_in.number)}>{messages.receipt.read}</a>
        </p>
      )}
      <p className="help">
        {messages.receipt.looked} <time dateTime={at}>{clockTime(at, clock)}</time>
        {connection === 'lost' && `. ${messages.receipt.offline}`} {connection === 'none' && children}
      </p>
    </>
  );
}

function outcomeMessage(messages: TipMessages, { state, used_in: used }: TipProgress): string {
  return state === 'used' && !used ? messages.receipt.toCome : messages.receipt.states[state];
}

const isFinal = ({ state, used_in }: TipProgress) => used_in !== null || state === 'declined';

/** Seconds between polls, and after a final state, which the newsroom may still undo. */
const POLL_S = 10;
const FINAL_POLL_S = 60;
const RESPONSE_TIMEOUT_MS = 25_000;

type OutcomeHandlers = {
  /** @param at time of the site's clock */
  onOutcome(outcome: TipProgress, at: string): void;
  /** The request failed and will be repeated. */
  onLost(): void;
};

/** Polls the status of a tip while its page is visible. Returns a function that stops it. */
function watchTipStatus(receipt: string, first: TipProgress, handlers: OutcomeHandlers): () => void {
  let failures = 0;
  let intervalS = isFinal(first) ? FINAL_POLL_S : POLL_S;
  let isStopped = false;
  let isPolling = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function poll() {
    clearTimeout(timer);
    if (document.hidden || isPolling || isStopped) return;
    isPolling = true;
    try {
      const response = await fetch(receiptStatePath(receipt), {
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      });
      const outcome = (await response.json()) as TipProgress;
      if (!response.ok) throw new Error(`${response.status}`);
      failures = 0;
      intervalS = isFinal(outcome) ? FINAL_POLL_S : POLL_S;
      handlers.onOutcome(outcome, new Date(response.headers.get('date') ?? Date.now()).toISOString());
    } catch {
      failures += 1;
      handlers.onLost();
    }
    isPolling = false;
    schedule();
  }
  function schedule() {
    if (!isStopped) timer = setTimeout(poll, pollDelay(intervalS, failures, network().isSlow, Math.random()));
  }

  schedule();
  document.addEventListener('visibilitychange', poll);
  const stopListening = onNetworkChange((isOnline) => isOnline && void poll());
  return () => {
    isStopped = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', poll);
    stopListening();
  };
}
