import { desk as messages } from '../../../lib/text/desk.ts';
import { type Clock, clockTime, zoneName } from '../../../lib/time/clock.ts';
import type { Desk } from '../../stores/desk.ts';
import { SignInLink } from './SignInLink.tsx';
import { useShared } from './useShared.ts';

type Props = {
  desk: Pick<Desk, '$connection' | '$said'>;
  clock: Clock;
  slug: string;
  /** What is said while all is well. */
  current?: (time: string) => string;
  /** What was done is seen where it was done: it is only said here. */
  isSaidOnly?: boolean;
};

/** When the desk was last reached. Only trouble, and what was done last, is announced. */
export function ConnectionNote({
  desk,
  clock,
  slug,
  current = messages.connection.current,
  isSaidOnly = false,
}: Props) {
  const connection = useShared(desk.$connection);
  const said = useShared(desk.$said);
  const time = connection && `${clockTime(connection.at, clock)} ${zoneName(connection.at, clock)}`;
  return (
    <>
      <p className="connection">{connection?.state === 'current' && time && current(time)}</p>
      <p className="connection trouble" role="status">
        {connection?.state === 'behind' && time && messages.connection.behind(time)}
        {connection?.state === 'not_yours' && messages.connection.notYours}
        {connection?.state === 'signed_out' && (
          <>
            {messages.connection.signedOut} <SignInLink slug={slug} /> {messages.status.newTab}
          </>
        )}
      </p>
      <p className={isSaidOnly ? 'visually-hidden' : 'status'} role="status">
        {said}
      </p>
    </>
  );
}
