import { type ReactNode, useEffect, useState } from 'react';
import type { Fate } from '../lib/data/tip-form.ts';
import { updatePath } from '../lib/domain/coverages.ts';
import { type Clock, exactTime, zoneName } from '../lib/domain/time.ts';
import { tips as messages } from '../lib/i18n/tips.ts';
import { watchFate } from './tips/status.ts';

type Props = {
  receipt: string;
  fate: Fate;
  clock: Clock;
  /** When that was looked at. */
  madeAt: string;
  /** What stands beside it until a script looks. */
  children?: ReactNode;
};

/** What became of a tip; while its page is open, as it happens. Without a script, when that was looked at. */
export default function TipFate({ receipt, fate: first, clock, madeAt, children }: Props) {
  const [begun] = useState(first);
  const [fate, setFate] = useState(first);
  const [at, setAt] = useState(madeAt);
  const [line, setLine] = useState<'none' | 'there' | 'lost'>('none');
  useEffect(() => {
    setLine('there');
    return watchFate(receipt, begun, {
      told(now, lookedAt) {
        setFate(now);
        setAt(lookedAt);
        setLine('there');
      },
      lost: () => setLine('lost'),
    });
  }, [receipt, begun]);

  return (
    <>
      {/* Read out as it changes. */}
      <p role="status">
        <b>{sayOf(fate)}</b>
      </p>
      {fate.used && (
        <p>
          <a href={updatePath(fate.used.slug, fate.used.number)}>{messages.receipt.read}</a>
        </p>
      )}
      <p className="help">
        {messages.receipt.looked}{' '}
        <time dateTime={at}>
          {exactTime(at, clock)} {zoneName(at, clock)}
        </time>
        {line === 'lost' && `. ${messages.receipt.offline}`} {line === 'none' && children}
      </p>
    </>
  );
}

function sayOf({ state, used }: Fate): string {
  return state === 'used' && !used ? messages.receipt.toCome : messages.receipt.states[state];
}
