import { useEffect, useRef } from 'react';
import type { Refusal } from '../../../lib/http/errors.ts';
import { desk as messages } from '../../../lib/text/desk.ts';
import { SignInLink } from './SignInLink.tsx';

type Props = { refusal: Refusal; sentence?: string; slug: string };

/** Why something was not done and what to do next; it takes the focus when it appears. */
export function RefusalNote({ refusal, sentence = refusal.sentence, slug }: Props) {
  const note = useRef<HTMLParagraphElement>(null);
  // Every refusal is a new one, also with the same words.
  useEffect(() => {
    if (refusal) note.current?.focus();
  }, [refusal]);
  return (
    <p className="refused" ref={note} tabIndex={-1}>
      {refusal.code === 'signed_out' ? (
        <>
          {messages.status.signedOut} <SignInLink slug={slug} /> {messages.status.signInThen}
        </>
      ) : (
        sentence
      )}
    </p>
  );
}
