import { deskClock } from '../../../lib/desk/clock.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import { clockTime, zoneName } from '../../../lib/time/clock.ts';
import type { Desk } from '../../stores/desk.ts';
import { SignInLink } from './SignInLink.tsx';
import { useShared } from './useShared.ts';

/** When the desk was last reached. Only trouble, and what was done last, is announced. */
export function ConnectionNote({ desk }: { desk: Desk }) {
  const connection = useShared(desk.$connection);
  const said = useShared(desk.$said);
  const coverage = useShared(desk.$coverage);
  const clock = deskClock(coverage);
  const time = connection && `${clockTime(connection.at, clock)} ${zoneName(connection.at, clock)}`;
  return (
    <>
      <p className="connection">
        {connection?.state === 'current' && time && words.connection.current(time)}
      </p>
      <p className="connection trouble" role="status">
        {connection?.state === 'behind' && time && words.connection.behind(time)}
        {connection?.state === 'not_yours' && words.connection.notYours}
        {connection?.state === 'signed_out' && (
          <>
            {words.connection.signedOut} <SignInLink slug={coverage.slug} /> {words.status.newTab}
          </>
        )}
      </p>
      <p className="status" role="status">
        {said}
      </p>
    </>
  );
}
