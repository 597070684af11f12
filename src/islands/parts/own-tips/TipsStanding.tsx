import { ownTips as messages } from '../../../lib/text/own-tips.ts';
import type { Clock } from '../../../lib/time/clock.ts';
import type { Standing } from '../../stores/own-tips.ts';
import { Time } from '../Time.tsx';

type Props = { standing: Standing; at: string; clock: Clock };

/** How fresh the list is, and what keeps it from being so. */
export function TipsStanding({ standing, at, clock }: Props) {
  return (
    <p className="help">
      {SAID[standing]()} <Time at={at} clock={clock} />
      {standing === 'starting' && (
        <button type="button" className="quiet" data-follow-live={messages.following} hidden>
          {messages.follow}
        </button>
      )}
      {standing === 'signed_out' && (
        <>
          {'. '}
          <a href="/sign-in?next=/account" target="_blank" rel="noopener">
            {messages.signIn}
          </a>
        </>
      )}
    </p>
  );
}

const SAID: Record<Standing, () => string> = {
  starting: () => messages.asOf,
  current: () => messages.current,
  behind: () => messages.behind,
  signed_out: () => messages.signedOut,
};
