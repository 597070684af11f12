import { useEffect, useRef } from 'react';
import { outbox as messages } from '../../../lib/text/outbox.ts';
import { $canSendInBackground } from '../../stores/closed.ts';
import type { Desk } from '../../stores/desk.ts';
import { OutboxRow } from './OutgoingRow.tsx';
import { SignInLink } from './SignInLink.tsx';
import { useShared } from './useShared.ts';

/** List of this person's queued commands, with their progress and the actions that they need. */
export function OutboxList({ desk }: { desk: Desk }) {
  const commands = useShared(desk.outbox.$commands);
  const pauseReason = useShared(desk.outbox.$pauseReason);
  const canSendInBackground = useShared($canSendInBackground);
  const section = useRef<HTMLElement>(null);
  const hadFocus = useRef(false);
  // A pressed button disappears with its row. The focus moves to the list, or to the composer.
  useEffect(() => {
    if (!hadFocus.current || document.activeElement !== document.body) return;
    hadFocus.current = commands.length > 0;
    const next = section.current ?? document.querySelector<HTMLElement>('.composer textarea');
    next?.focus();
  }, [commands]);
  if (commands.length === 0) return null;
  const isWaiting = commands.some(({ step }) => step === 'on_device');
  return (
    <section
      ref={section}
      tabIndex={-1}
      className="outgoing"
      aria-labelledby="outgoing-title"
      onFocus={() => {
        hadFocus.current = true;
      }}
      onBlur={({ relatedTarget }) => {
        // Without a next element the focused button was removed.
        if (relatedTarget) hadFocus.current = false;
      }}
    >
      <h2 id="outgoing-title">{messages.title}</h2>
      {isWaiting && pauseReason === 'session' && (
        <p className="refused">
          {messages.holdUps.session} <SignInLink slug={desk.$coverage.get().slug} />
        </p>
      )}
      {isWaiting && pauseReason === 'line' && (
        <p className="help">{canSendInBackground ? messages.holdUps.line : messages.keptHere}</p>
      )}
      <ol>
        {commands.map((item) => (
          <OutboxRow key={item.id} desk={desk} item={item} />
        ))}
      </ol>
    </section>
  );
}
