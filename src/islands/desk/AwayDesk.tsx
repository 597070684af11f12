import { type ReactNode, useEffect } from 'react';
import { OutboxList } from '../outbox/OutboxList.tsx';
import { useShared } from '../shared/use-shared.ts';
import type { DeskContext } from './context.ts';
import { SignInLink } from './controls.tsx';
import { useDesk } from './hooks.ts';
import { useMessages } from './messages.tsx';

/** Desk while offline: writing goes through the outbox, and a link to the full desk appears when it is reachable. */
export function AwayDesk({ children, ...context }: DeskContext & { children: ReactNode }) {
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
