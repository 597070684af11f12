import { useEffect, useState } from 'react';
import { deskClock } from '../../lib/data/scheduling.ts';
import type { Colleague } from '../../lib/domain/desk.ts';
import { type Clock, clockTime, timeRelativeTo, zoneName } from '../../lib/domain/time.ts';
import { returnToPage } from '../live-feed/come-back.ts';
import { useShared } from '../shared/use-shared.ts';
import { ConfirmState } from './CoverageState.tsx';
import { SignInLink, TaskNote } from './controls.tsx';
import type { Desk, DeskSync, DeskView } from './desk.ts';
import { type DeskMessages, useMessages } from './messages.tsx';
import type { KnownDesk } from './offline-desk.ts';
import type { DeskPresence } from './presence.ts';
import { makeTask } from './task.ts';

type Props = {
  $connection: DeskSync['$connection'];
  $announcement: DeskView['$announcement'];
  clock: Clock;
  slug: string;
  /** Message while the connection works. */
  current?: (time: string) => string;
  /** Announce results without showing them, because the page shows them elsewhere. */
  isAnnouncedOnly?: boolean;
};

/** When the desk was last refetched. Only problems and the last result are announced. */
export function ConnectionNote({
  $connection,
  $announcement,
  clock,
  slug,
  current,
  isAnnouncedOnly = false,
}: Props) {
  const messages = useMessages();
  const connection = useShared($connection);
  const announcement = useShared($announcement);
  const time = connection && `${clockTime(connection.at, clock)} ${zoneName(connection.at, clock)}`;
  return (
    <>
      <p className="connection">
        {connection?.state === 'current' && time && (current ?? messages.desk.connection.current)(time)}
      </p>
      <p className="connection trouble" role="status">
        {connection?.state === 'behind' && time && messages.desk.connection.behind(time)}
        {connection?.state === 'not_yours' && messages.desk.connection.notYours}
        {connection?.state === 'signed_out' && (
          <>
            {messages.desk.connection.signedOut} <SignInLink slug={slug} /> {messages.desk.status.newTab}
          </>
        )}
      </p>
      <p className={isAnnouncedOnly ? 'visually-hidden' : 'status'} role="status">
        {announcement}
      </p>
    </>
  );
}

/** Reminder that a live coverage had no publication for long, with the possible next steps. */
export function QuietNote({ desk }: { desk: Pick<Desk, '$coverage' | 'sync' | 'view' | 'backend'> }) {
  const messages = useMessages();
  const coverage = useShared(desk.$coverage);
  const [task] = useState(makeTask);
  const progress = useShared(task.$state);
  const [isEnding, setEnding] = useState(false);
  const { id, quiet_since } = coverage;
  if (!quiet_since) return null;

  const runAndRefocus = (operation: () => Promise<unknown>, message = '') =>
    task.run(async () => {
      await operation();
      await desk.sync.refresh();
      if (message) desk.view.$announcement.set(message);
      focusCoverageMenu();
    });
  const pause = () =>
    runAndRefocus(() => desk.backend.execute('set_coverage_state', { coverage_id: id, state: 'paused' }));
  return (
    <div className="refused">
      <p role="status">
        {messages.running.silent.since(
          timeRelativeTo(quiet_since, new Date(), deskClock(messages, coverage)),
        )}{' '}
        {messages.running.silent.choose}
      </p>
      <div className="actions">
        <button type="button" onClick={() => setEnding(true)}>
          {messages.running.silent.end}
        </button>
        <button type="button" onClick={pause}>
          {messages.running.silent.pause}
        </button>
        <button
          type="button"
          onClick={() =>
            runAndRefocus(
              () => desk.backend.execute('continue_coverage', { coverage_id: id }),
              messages.running.silent.wentOn,
            )
          }
        >
          {messages.running.silent.goOn}
        </button>
      </div>
      <TaskNote state={progress} slug={coverage.slug} />
      {isEnding && (
        <ConfirmState
          desk={desk}
          state="ended"
          onClose={() => {
            setEnding(false);
            focusCoverageMenu();
          }}
        />
      )}
    </div>
  );
}

/** Moves the focus to the coverage's menu, if the focused button disappears with its note. */
export function focusCoverageMenu(): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body)
      document.querySelector<HTMLElement>('.state-button')?.focus();
  });
}

/** Names shown; the rest is a number. */
const MAX_NAMES = 8;

type PresenceProps = { presence: DeskPresence; $channelState: DeskSync['$channelState'] };

/** Colleagues at this desk and which of them are writing. Only arrivals are announced. */
export function PresenceNote({ presence, $channelState }: PresenceProps) {
  const messages = useMessages();
  const others = useShared(presence.$others);
  const arrived = useShared(presence.$arrived);
  const channelState = useShared($channelState);
  return (
    <>
      <p className="here">
        {others ? sentence(messages, others) : channelState === 'lost' && messages.desk.presence.unknown}
      </p>
      <p className="visually-hidden" role="status">
        {arrived}
      </p>
    </>
  );
}

function sentence(messages: DeskMessages, others: Colleague[]): string {
  if (others.length === 0) return messages.desk.presence.alone;
  const names = others
    .slice(0, MAX_NAMES)
    .map(({ name, editing }) => (editing.length > 0 ? messages.desk.presence.writing(name) : name));
  const more = others.length - names.length;
  return messages.desk.presence.here(
    [...names, ...(more > 0 ? [messages.desk.presence.more(more)] : [])].join(', '),
  );
}

/**
 * Page while the desk cannot be reached. It reloads when the connection returns. `known` is undefined while the stored
 * desks are read.
 */
export function Unreachable({ known }: { known?: KnownDesk[] | undefined }) {
  const messages = useMessages();
  const isLoaded = known !== undefined;
  useEffect(() => {
    // Reloading before that could interrupt the offline desk.
    if (isLoaded) returnToPage();
  }, [isLoaded]);
  return (
    <main id="main" className="plain">
      <h1>{messages.deskOffline.title}</h1>
      <p>{messages.deskOffline.say}</p>
      <p className="more">
        <button type="button" id="come-back">
          {messages.deskOffline.again}
        </button>
      </p>
      {known && known.length > 0 && (
        <>
          <h2>{messages.deskOffline.known}</h2>
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
