import { type ReactNode, useEffect, useState } from 'react';
import type { BrowserBackend } from '../lib/data/browser-client.ts';
import type { Language } from '../lib/i18n/language.ts';
import type { DeskContext } from './desk/context.ts';
import { SignInLink } from './desk/controls.tsx';
import { useDesk } from './desk/hooks.ts';
import { deskIsland, useMessages } from './desk/messages.tsx';
import { Unreachable } from './desk/notes.tsx';
import { type OfflineDeskResult, onDeskChange, readOfflineDesk } from './desk/offline-desk.ts';
import { requestSyncForCommands } from './outbox/background-sync.ts';
import { OutboxList } from './outbox/OutboxList.tsx';
import { useShared } from './shared/use-shared.ts';
import { UpdateComposer } from './UpdateComposer.tsx';

/** Desk while offline: writing goes through the outbox, and a link to the full desk appears when it is reachable. */
function AwayDesk({ children, ...context }: DeskContext & { children: ReactNode }) {
  const messages = useMessages();
  const desk = useDesk(context);
  const { slug, headline, kicker, language } = useShared(desk.$coverage);
  const connection = useShared(desk.sync.$connection);
  useEffect(() => desk.watch(), [desk]);
  useEffect(() => {
    document.title = `${headline} · ${messages.desk.name}`;
  }, [headline, messages.desk.name]);
  const state = connection?.state ?? 'behind';
  useEffect(() => {
    if (state === 'signed_out') void reloadForOtherPerson(context.person.id);
  }, [state, context.person.id]);
  return (
    <main id="main" className="desk-main">
      <header className="desk-title">
        {kicker && (
          <p className="kicker" lang={language} dir="auto">
            {kicker}
          </p>
        )}
        <h1 lang={language} dir="auto">
          {headline}
        </h1>
      </header>
      <section className="desk-list away">
        <p className="connection trouble" role="status">
          {state === 'behind' && messages.deskOffline.noLine}
          {state === 'current' && messages.deskOffline.lineBack}
          {state === 'not_yours' && messages.deskOffline.notYours}
          {state === 'signed_out' && (
            <>
              {messages.desk.connection.signedOut} <SignInLink slug={slug} /> {messages.desk.status.newTab}
            </>
          )}
        </p>
        {state === 'current' && (
          <p className="more">
            <a className="button" href={`/desk/${slug}`}>
              {messages.deskOffline.whole}
            </a>
          </p>
        )}
        <OutboxList desk={desk} />
      </section>
      {children}
    </main>
  );
}

/** Reloads the page when another person is signed in. */
async function reloadForOtherPerson(person: string): Promise<void> {
  const response = await fetch('/api/me').catch(() => null);
  const me = response?.ok ? ((await response.json()) as { person: { id: string } | null }) : null;
  if (me?.person && me.person.id !== person) location.reload();
}

function Desk({ backend, language }: { backend: BrowserBackend; language: Language }) {
  const [desk, setDesk] = useState<OfflineDeskResult | null>(null);
  useEffect(() => {
    const find = () => void readOfflineDesk(location.pathname).then(setDesk);
    find();
    return onDeskChange(find);
  }, []);
  const person = desk?.context?.person.id;
  useEffect(() => (person ? requestSyncForCommands(person) : undefined), [person]);
  if (!desk?.context) return <Unreachable known={desk?.known} />;
  const context = { ...desk.context, backend, language };
  return (
    // Another person gets a new component.
    <AwayDesk key={context.person.id} {...context}>
      <UpdateComposer {...context} />
    </AwayDesk>
  );
}

/**
 * Stands in for the desk while it cannot be reached. A person who has opened this desk on this device before can write
 * into the outbox; others see that there is no connection.
 */
export const OfflineDesk = deskIsland(Desk);
