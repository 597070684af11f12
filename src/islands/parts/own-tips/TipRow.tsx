import { livePath, updatePath } from '../../../lib/coverage/address.ts';
import { ownTips as messages } from '../../../lib/text/own-tips.ts';
import { type Clock, machineTime } from '../../../lib/time/clock.ts';
import { timeBeside } from '../../../lib/time/days.ts';
import type { OwnTip } from '../../../lib/tips/own.ts';
import { beginningOf } from './beginning.ts';

type Props = { tip: OwnTip; madeAt: string; clock: Clock; isNews: boolean };

/** What somebody told the newsroom, and what became of it. */
export function TipRow({ tip: { body, state, created_at, coverage, used }, madeAt, clock, isNews }: Props) {
  const beginning = beginningOf(body);
  return (
    <li className={isNews ? 'news' : undefined}>
      <p className="help">
        {messages.sent}{' '}
        <time dateTime={machineTime(created_at)}>{timeBeside(created_at, madeAt, clock)}</time>
        {coverage && (
          <>
            . {messages.about}{' '}
            <a href={livePath(coverage.slug)} dir="auto">
              {coverage.headline}
            </a>
          </>
        )}
      </p>
      <blockquote dir="auto">{beginning}</blockquote>
      {beginning !== body && (
        <details>
          <summary>{messages.whole}</summary>
          <p className="lines" dir="auto">
            {body}
          </p>
        </details>
      )}
      <p className="became">
        <b>{state === 'used' && !used ? messages.unseen : messages.states[state]}</b>{' '}
        {used && <a href={updatePath(used.slug, used.number)}>{messages.see}</a>}
      </p>
    </li>
  );
}
