import { useEffect, useRef } from 'react';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { desk as messages } from '../../../lib/text/desk.ts';
import type { EditorStatus } from '../../stores/editor.ts';
import { statusMessageOf } from '../../stores/saying.ts';
import { RefusalNote } from './RefusalNote.tsx';

type Props = { status: EditorStatus; before?: DeskUpdate; slug: string };

/** Result of the last save. An error takes the focus; other results are announced politely. */
export function EditorStatusLine({ status, before, slug }: Props) {
  const problemNote = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (status.step === 'wrong') problemNote.current?.focus();
  }, [status]);
  const sentences = status.step === 'wrong' ? problemMessages(status) : [];
  return (
    <>
      <p className="status" role="status">
        {status.step === 'sending' && messages.status.sending}
        {status.step === 'sent' && statusMessageOf(status.saveStatus)}
        {status.step === 'refused' && status.isUnasked && status.refusal.sentence}
      </p>
      {sentences.length > 0 && (
        <p className="refused" ref={problemNote} tabIndex={-1}>
          {sentences.join(' ')}
        </p>
      )}
      {status.step === 'refused' && !status.isUnasked && !isScheduleProblem(status) && (
        <RefusalNote
          refusal={status.refusal}
          sentence={alreadyPublishedMessage(status, before) ?? status.refusal.sentence}
          slug={slug}
        />
      )}
    </>
  );
}

/** The schedule field shows its own error. */
export function isScheduleProblem(status: EditorStatus): boolean {
  return status.step === 'refused' && status.refusal.field === 'scheduled_for';
}

function problemMessages({ problems, photos }: Extract<EditorStatus, { step: 'wrong' }>): string[] {
  const { scheduled_for: _, ...others } = problems;
  return [...Object.values(others), ...Object.values(photos).map(({ sentence }) => sentence)];
}

/** The first attempt was published although its answer was lost. The form now changes that update. */
function alreadyPublishedMessage(status: EditorStatus, before?: DeskUpdate): string | undefined {
  const number = before?.number;
  const ours =
    status.step === 'refused' && status.refusal.code === 'bad_state' && status.theirs?.id === before?.id;
  return ours && number ? messages.status.already(number) : undefined;
}
