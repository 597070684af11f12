import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { pathWith } from '../lib/http/path.ts';
import { PHOTO_TYPES } from '../lib/photos/form.ts';
import type { BrowserBackend } from '../lib/supabase/browser.ts';
import { tips as words } from '../lib/text/tips.ts';
import { NO_TIP, type TipProblems, type TipText, tipProblems, tipsPath } from '../lib/tips/tip.ts';
import { keptTip } from './browser/kept-tip.ts';
import { tipSender } from './browser/tip-sender.ts';
import { Field } from './parts/desk/Field.tsx';
import { TipTaken } from './parts/TipTaken.tsx';
import { refusedTip, type TipStatus } from './stores/tip.ts';

type Props = {
  backend: BrowserBackend;
  /** The slug of the coverage that it is about. */
  coverage?: string;
  /** What was sent and refused, to be sent again. */
  text?: TipText;
  problems?: TipProblems;
  /** Why the whole of it was refused. */
  sentence?: string;
  /** Where it is not what the page is for, there is only a way to it until the script is here. */
  folded?: boolean;
};

/** A tip to the newsroom. Without a script it is a plain form; with one, it goes out by itself when the line is back. */
export default function TipForm({
  backend,
  coverage = '',
  text = NO_TIP,
  problems = {},
  sentence,
  folded,
}: Props) {
  const [isReady, setReady] = useState(false);
  const [status, setStatus] = useState<TipStatus>({ step: 'writing', problems, sentence });
  const [sender] = useState(() => (typeof window === 'undefined' ? null : tipSender(backend)));
  const [kept] = useState(() => keptTip(coverage));
  const place = useRef<HTMLDivElement>(null);
  const stopping = useRef<AbortController>(null);
  /** What was pressed last is gone, and the words are to be written on. */
  const isBack = useRef(false);
  useEffect(() => setReady(true), []);
  useEffect(() => {
    const form = place.current?.querySelector('form');
    if (isReady && form) kept.bringBack(form);
  }, [isReady, kept]);

  async function onSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!sender || status.step !== 'writing') return;
    const form = new FormData(event.currentTarget);
    const sent = readTip(form);
    const wrong = tipProblems(sent);
    if (Object.keys(wrong).length > 0) return setStatus({ step: 'writing', problems: wrong });
    const file = form.get('photo');
    const photo = file instanceof File && file.size > 0 ? file : null;
    let receipt = '';
    stopping.current = new AbortController();
    const { signal } = stopping.current;
    setStatus({ step: 'sending', waits: false });
    const ears = {
      waiting: () =>
        setStatus(receipt ? { step: 'taken', receipt, photo: 'waiting' } : { step: 'sending', waits: true }),
      taken(given: string) {
        receipt = given;
        kept.drop();
        setStatus({ step: 'taken', receipt, photo: photo ? 0 : 'none' });
      },
      progress: (share: number) => setStatus({ step: 'taken', receipt, photo: share }),
    };
    try {
      const fate = await sender.send(sent, photo, ears, signal);
      setStatus({ step: 'taken', receipt, photo: fate });
    } catch (error) {
      if (receipt) setStatus({ step: 'taken', receipt, photo: 'refused' });
      else if (signal.aborted) writeOn();
      else setStatus(refusedTip(error));
    }
  }
  function writeOn() {
    isBack.current = true;
    setStatus({ step: 'writing', problems: {} });
  }
  const isTaken = status.step === 'taken';
  // What had the focus is gone with the form; what is wrong is read out where it is.
  useEffect(() => {
    if (isTaken) place.current?.focus();
  }, [isTaken]);
  useEffect(() => {
    if (status.step !== 'writing') return;
    const wrong = place.current?.querySelector<HTMLElement>('[aria-invalid]');
    (wrong ?? (isBack.current ? place.current?.querySelector('textarea') : null))?.focus();
    isBack.current = false;
  }, [status]);

  if (folded && !isReady) {
    return (
      <p>
        <a href={pathWith(tipsPath, { coverage: coverage || null })}>{words.link}</a>
      </p>
    );
  }
  return (
    <div ref={place} tabIndex={-1} className="tip">
      {status.step === 'taken' ? (
        <TipTaken {...status} onAnother={writeOn} />
      ) : (
        <form
          method="post"
          action={tipsPath}
          encType="multipart/form-data"
          noValidate
          onSubmit={onSubmit}
          onInput={(event) => kept.keep(readTip(new FormData(event.currentTarget)))}
        >
          <Fields
            text={{ ...text, coverage }}
            status={status}
            isReady={isReady}
            onStop={() => stopping.current?.abort()}
          />
        </form>
      )}
    </div>
  );
}

type FieldsProps = { text: TipText; status: TipStatus; isReady: boolean; onStop: () => void };

function Fields({ text, status, isReady, onStop }: FieldsProps) {
  const problems = status.step === 'writing' ? status.problems : {};
  const isSending = status.step === 'sending';
  return (
    <>
      {status.step === 'writing' && status.sentence && (
        <p className="refused" role="alert">
          {status.sentence}
        </p>
      )}
      <input type="hidden" name="coverage" value={text.coverage} />
      <Field label={words.body} help={words.bodyHelp} problem={problems.body}>
        {(control) => (
          <textarea
            {...control}
            name="body"
            rows={5}
            dir="auto"
            required
            readOnly={isSending}
            defaultValue={text.body}
          />
        )}
      </Field>
      <Field label={words.name} problem={problems.name}>
        {(control) => (
          <input {...control} name="name" autoComplete="name" readOnly={isSending} defaultValue={text.name} />
        )}
      </Field>
      <Field label={words.contact} help={words.contactHelp} problem={problems.contact}>
        {(control) => <input {...control} name="contact" readOnly={isSending} defaultValue={text.contact} />}
      </Field>
      <Field
        label={words.photo}
        help={`${words.photoHelp} ${isReady ? words.photoShrinks : words.photoPlain}`}
        problem={problems.photo}
      >
        {(control) => (
          <input {...control} type="file" name="photo" accept={PHOTO_TYPES.join()} disabled={isSending} />
        )}
      </Field>
      <p className="actions">
        <button type="submit" className="main" aria-disabled={isSending || undefined}>
          {words.send}
        </button>
        {isSending && status.waits && (
          <button type="button" onClick={onStop}>
            {words.stop}
          </button>
        )}
        <a href="/privacy">{words.privacy}</a>
      </p>
      <p className="status" role="status">
        {isSending && (status.waits ? words.waiting : words.sending)}
      </p>
    </>
  );
}

function readTip(form: FormData): TipText {
  const text = (name: string) => String(form.get(name) ?? '');
  return {
    coverage: text('coverage'),
    body: text('body'),
    name: text('name'),
    contact: text('contact'),
  };
}
