import { useEffect, useRef } from 'react';
import { outbox as words } from '../../../lib/text/outbox.ts';
import { $canSendClosed } from '../../stores/closed.ts';
import type { Desk } from '../../stores/desk.ts';
import { OutgoingRow } from './OutgoingRow.tsx';
import { SignInLink } from './SignInLink.tsx';
import { useShared } from './useShared.ts';

/** What this person has pressed here and is not in the list yet: where each piece is, and what it needs. */
export function Outgoing({ desk }: { desk: Desk }) {
  const outgoing = useShared(desk.outbox.$outgoing);
  const holdUp = useShared(desk.outbox.$holdUp);
  const sendsClosed = useShared($canSendClosed);
  const section = useRef<HTMLElement>(null);
  const hadFocus = useRef(false);
  // A button that was pressed goes with its row: the work goes on here, or where one writes.
  useEffect(() => {
    if (!hadFocus.current || document.activeElement !== document.body) return;
    hadFocus.current = outgoing.length > 0;
    const next = section.current ?? document.querySelector<HTMLElement>('.composer textarea');
    next?.focus();
  }, [outgoing]);
  if (outgoing.length === 0) return null;
  const waits = outgoing.some(({ step }) => step === 'on_device');
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
        // Without a next one the button itself has gone.
        if (relatedTarget) hadFocus.current = false;
      }}
    >
      <h2 id="outgoing-title">{words.title}</h2>
      {waits && holdUp === 'session' && (
        <p className="refused">
          {words.holdUps.session} <SignInLink slug={desk.$coverage.get().slug} />
        </p>
      )}
      {waits && holdUp === 'line' && (
        <p className="help">{sendsClosed ? words.holdUps.line : words.keptHere}</p>
      )}
      <ol>
        {outgoing.map((item) => (
          <OutgoingRow key={item.id} desk={desk} item={item} />
        ))}
      </ol>
    </section>
  );
}
