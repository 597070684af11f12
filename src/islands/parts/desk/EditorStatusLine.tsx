import { useEffect, useRef } from 'react';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import type { EditorStatus } from '../../stores/editor.ts';
import { sentenceOf } from '../../stores/saying.ts';
import { RefusalNote } from './RefusalNote.tsx';

type Props = { status: EditorStatus; before?: DeskUpdate; slug: string };

/** What became of the last press. A failure takes the focus, everything else is announced politely. */
export function EditorStatusLine({ status, before, slug }: Props) {
  const wrong = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (status.step === 'wrong') wrong.current?.focus();
  }, [status]);
  const sentences = status.step === 'wrong' ? sentencesOf(status) : [];
  return (
    <>
      <p className="status" role="status">
        {status.step === 'sending' && words.status.sending}
        {status.step === 'sent' && sentenceOf(status.what)}
        {status.step === 'refused' && status.isUnasked && status.refusal.sentence}
      </p>
      {sentences.length > 0 && (
        <p className="refused" ref={wrong} tabIndex={-1}>
          {sentences.join(' ')}
        </p>
      )}
      {status.step === 'refused' && !status.isUnasked && !isOfTime(status) && (
        <RefusalNote
          refusal={status.refusal}
          sentence={alreadyLive(status, before) ?? status.refusal.sentence}
          slug={slug}
        />
      )}
    </>
  );
}

/** Its field stands below all of this and says why itself. */
export function isOfTime(status: EditorStatus): boolean {
  return status.step === 'refused' && status.refusal.field === 'scheduled_for';
}

function sentencesOf({ problems, photos }: Extract<EditorStatus, { step: 'wrong' }>): string[] {
  const { scheduled_for: _, ...others } = problems;
  return [...Object.values(others), ...Object.values(photos).map(({ sentence }) => sentence)];
}

/** A first try went out although its answer was lost: what is in the box now is a change of it. */
function alreadyLive(status: EditorStatus, before?: DeskUpdate): string | undefined {
  const number = before?.number;
  const ours =
    status.step === 'refused' && status.refusal.code === 'bad_state' && status.theirs?.id === before?.id;
  return ours && number ? words.status.already(number) : undefined;
}
