import { useEffect, useState } from 'react';
import { deskClock } from '../../lib/data/scheduling.ts';
import type { Colleague } from '../../lib/domain/presence.ts';
import { type Clock, clockTime, timeBeside, zoneName } from '../../lib/domain/time.ts';
import { desk as deskMessages } from '../../lib/i18n/desk.ts';
import { deskOffline as deskOfflineMessages } from '../../lib/i18n/desk-offline.ts';
import { running as runningMessages } from '../../lib/i18n/running.ts';
import { returnToPage } from '../live-feed/come-back.ts';
import { SignInLink, TaskNote } from './controls.tsx';
import type { Desk } from './desk.ts';
import { useShared } from './hooks.ts';
import type { Known } from './offline-desk.ts';
import { makeTask } from './task.ts';

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
  current = deskMessages.connection.current,
  isSaidOnly = false,
}: Props) {
  const connection = useShared(desk.$connection);
  const said = useShared(desk.$said);
  const time = connection && `${clockTime(connection.at, clock)} ${zoneName(connection.at, clock)}`;
  return (
    <>
      <p className="connection">{connection?.state === 'current' && time && current(time)}</p>
      <p className="connection trouble" role="status">
        {connection?.state === 'behind' && time && deskMessages.connection.behind(time)}
        {connection?.state === 'not_yours' && deskMessages.connection.notYours}
        {connection?.state === 'signed_out' && (
          <>
            {deskMessages.connection.signedOut} <SignInLink slug={slug} /> {deskMessages.status.newTab}
          </>
        )}
      </p>
      <p className={isSaidOnly ? 'visually-hidden' : 'status'} role="status">
        {said}
      </p>
    </>
  );
}

/** Reminds those who run a live coverage that nothing has happened in it for long, until they say what is to become of it. */
export function SilentNote({ desk }: { desk: Desk }) {
  const coverage = useShared(desk.$coverage);
  const [task] = useState(makeTask);
  const progress = useShared(task.$state);
  const { id, quiet_since } = coverage;
  if (!quiet_since) return null;

  const act = (press: () => Promise<unknown>, said = '') =>
    task.run(async () => {
      await press();
      await desk.refresh();
      if (said) desk.$said.set(said);
      // The note goes with its buttons: the ways that the coverage may go stay.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) document.querySelector<HTMLElement>('.moves')?.focus();
      });
    });
  const enter = (state: 'paused' | 'ended') =>
    act(() => desk.press('set_coverage_state', { coverage_id: id, state }));
  return (
    <div className="refused">
      <p role="status">
        {runningMessages.silent.since(timeBeside(quiet_since, new Date(), deskClock(coverage)))}{' '}
        {runningMessages.silent.choose}
      </p>
      <div className="actions">
        <button type="button" onClick={() => enter('ended')}>
          {runningMessages.silent.end}
        </button>
        <button type="button" onClick={() => enter('paused')}>
          {runningMessages.silent.pause}
        </button>
        <button
          type="button"
          onClick={() =>
            act(() => desk.press('continue_coverage', { coverage_id: id }), runningMessages.silent.wentOn)
          }
        >
          {runningMessages.silent.goOn}
        </button>
      </div>
      <TaskNote state={progress} slug={coverage.slug} />
    </div>
  );
}

/** Names shown; beyond that a number. */
const MOST = 8;

/** Who else is at this desk, and who of them writes. Only those who come are announced. */
export function WhoIsHere({ desk }: { desk: Pick<Desk, 'presence' | '$line'> }) {
  const others = useShared(desk.presence.$others);
  const arrived = useShared(desk.presence.$arrived);
  const line = useShared(desk.$line);
  return (
    <>
      <p className="here">
        {others ? sentence(others) : line !== 'opening' && deskMessages.presence.unknown}
      </p>
      <p className="visually-hidden" role="status">
        {arrived}
      </p>
    </>
  );
}

function sentence(others: Colleague[]): string {
  if (others.length === 0) return deskMessages.presence.alone;
  const names = others
    .slice(0, MOST)
    .map(({ name, editing }) => (editing.length > 0 ? deskMessages.presence.writing(name) : name));
  const more = others.length - names.length;
  return deskMessages.presence.here(
    [...names, ...(more > 0 ? [deskMessages.presence.more(more)] : [])].join(', '),
  );
}

/** There is no line, and nothing to be done here: it goes back by itself. `known`: absent until that has been looked up. */
export function Unreachable({ known }: { known?: Known[] | undefined }) {
  const isSettled = known !== undefined;
  useEffect(() => {
    // Before it is known that nobody writes here, nothing is loaded anew.
    if (isSettled) returnToPage();
  }, [isSettled]);
  return (
    <main id="main" className="plain">
      <h1>{deskOfflineMessages.title}</h1>
      <p>{deskOfflineMessages.say}</p>
      <p className="more">
        <button type="button" id="come-back">
          {deskOfflineMessages.again}
        </button>
      </p>
      {known && known.length > 0 && (
        <>
          <h2>{deskOfflineMessages.known}</h2>
          <ul className="known-desks">
            {known.map(({ slug, headline, language }) => (
              <li key={slug}>
                <a href={`/desk/${slug}`} lang={language} dir="auto">
                  {headline}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </main>
  );
}
