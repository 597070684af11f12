import { type ReactNode, useEffect, useState } from 'react';
import type { TipProgress } from '../lib/data/tips.ts';
import { updatePath } from '../lib/domain/coverages.ts';
import { type Clock, clockTime } from '../lib/domain/time.ts';
import type { Language } from '../lib/i18n/language.ts';
import { type TipMessages, tipMessages } from './tips/messages.ts';
import { watchTipStatus } from './tips/status.ts';

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
