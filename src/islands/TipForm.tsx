import { useStore } from '@nanostores/react';
import { type RefObject, type SubmitEvent, useEffect, useRef, useState } from 'react';
import type { BrowserBackend } from '../lib/data/browser-client.ts';
import { EMPTY_TIP, type TipProblems, type TipValues, tipProblems, tipsPath } from '../lib/data/tips.ts';
import { pathWith } from '../lib/domain/paths.ts';
import type { Clock } from '../lib/domain/time.ts';
import type { Language } from '../lib/i18n/language.ts';
import { fillForm, readTipFields, tipDraft } from './tips/draft.ts';
import { tipMessages } from './tips/messages.ts';
import { openTipService } from './tips/pending-tips.ts';
import type { RefusedTip, SubmissionStatus } from './tips/store.ts';
import { TipFields } from './tips/TipFields.tsx';
import { QueuedTipsList, TipReceipts, TipReceived } from './tips/TipSent.tsx';

type Props = {
  /** Language of the messages. */
  language?: Language;
  backend: BrowserBackend;
  /** Slug of the coverage that the tip is about. */
  coverage?: string;
  /** Text of a tip that was sent without a script and refused. */
  text?: TipValues;
  problems?: TipProblems;
  /** Error for the whole form. */
  sentence?: string;
  /** On pages with another purpose, only a link is shown until the script has started. */
  folded?: boolean;
  /** Clock of the page, which names its zone. Only pages with a clock list the receipts. */
  clock?: Clock;
};

/**
 * Form for a tip. Without a script it is a plain form; with one, the tip is stored and sent when there is a connection.
 */
export default function TipForm({
  language = 'en',
  backend,
  coverage = '',
  text = EMPTY_TIP,
  problems = {},
  sentence,
  folded,
  clock,
}: Props) {
  const messages = tipMessages(language);
  const [isReady, setReady] = useState(false);
  const [isRestored, setRestored] = useState(false);
  const [status, setStatus] = useState<SubmissionStatus>({ step: 'writing', problems, sentence });
  const [draft] = useState(() => tipDraft(coverage));
  const [service] = useState(() => openTipService(backend, language));
  const me = useStore(service.$me);
  const queuedTips = useStore(service.$queued);
  const container = useRef<HTMLDivElement>(null);
  const stopController = useRef<AbortController>(null);
  /** Whether sending was stopped, so that the focus returns to the text. */
  const wasStopped = useRef(false);

  useEffect(() => setReady(true), []);
  useEffect(() => {
    const form = formIn(container);
    if (!isReady || !form) return;
    // The person may have typed before the script started.
    const written = readTipFields(new FormData(form));
    if (draft.restore(form)) setRestored(written.body === '');
    else if (written.body) draft.save(written);
    if (form.contains(document.activeElement)) void service.load();
    service.start((refused) => {
      const now = formIn(container);
      if (!now || !refused.text || readTipFields(new FormData(now)).body) return false;
      fillForm(now, refused.text);
      draft.save(refused.text);
      setStatus(refused);
      return true;
    });
  }, [isReady, draft, service]);

  async function onSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (status.step !== 'writing') return;
    const form = new FormData(event.currentTarget);
    const tip = readTipFields(form);
    const newProblems = tipProblems({ tips: messages }, tip);
    if (Object.keys(newProblems).length > 0) return setStatus({ step: 'writing', problems: newProblems });
    const file = form.get('photo');
    const submission = {
      text: tip,
      photo: file instanceof File && file.size > 0 ? file : null,
      person: form.has('mine') ? (me?.id ?? null) : null,
      website: String(form.get('website') ?? ''),
      took_ms: draft.writingMs(),
    };
    stopController.current = new AbortController();
    setRestored(false);
    setStatus({ step: 'sending', isWaiting: false, isStored: false });
    const sender = await service.load();
    if (!sender) return setStatus({ step: 'writing', problems: {}, sentence: messages.refused.unavailable });
    await sender.submit(submission, onStatus, stopController.current.signal);
  }
  function onStatus(newStatus: SubmissionStatus | null) {
    wasStopped.current =
      newStatus?.step === 'writing' && !newStatus.sentence && Object.keys(newStatus.problems).length === 0;
    // A stored tip needs no draft. A refused one becomes a draft again.
    const form = formIn(container);
    if (newStatus?.step === 'writing') form && draft.save(readTipFields(new FormData(form)));
    else if (!newStatus || newStatus.step === 'received' || newStatus.isStored) draft.delete();
    setStatus(newStatus ?? { step: 'writing', problems: {} });
  }
  function editAgain() {
    wasStopped.current = true;
    setStatus({ step: 'writing', problems: {} });
  }
  async function restoreRefused(id: string, refused: RefusedTip) {
    if (await service.restore(id, refused)) return;
    // The form replaces the refused tip.
    container.current?.querySelector('textarea')?.focus();
  }
  function discard() {
    draft.delete();
    formIn(container)?.reset();
    setRestored(false);
    editAgain();
  }
  const hasQueuedTips = Object.keys(queuedTips).length > 0;
  useEffect(() => {
    // Opens a folded form that shows a queued tip.
    if (hasQueuedTips) container.current?.closest('details')?.setAttribute('open', '');
  }, [hasQueuedTips]);
  const isReceived = status.step === 'received';
  // The focused form has disappeared. Invalid fields announce their own errors.
  useEffect(() => {
    if (isReceived) container.current?.focus();
  }, [isReceived]);
  useEffect(() => {
    if (status.step !== 'writing') return;
    const invalidField = container.current?.querySelector<HTMLElement>('[aria-invalid]');
    (invalidField ?? (wasStopped.current ? container.current?.querySelector('textarea') : null))?.focus();
    wasStopped.current = false;
  }, [status]);

  if (folded && !isReady) {
    return (
      <p>
        <a href={pathWith(tipsPath, { coverage: coverage || null })}>{messages.link}</a>
      </p>
    );
  }
  return (
    <div ref={container} tabIndex={-1} className="tip">
      <QueuedTipsList
        messages={messages}
        queuedTips={queuedTips}
        onRestore={status.step === 'writing' ? restoreRefused : undefined}
        onDiscard={service.discard}
      />
      {status.step === 'received' ? (
        <TipReceived messages={messages} {...status} onAnother={editAgain} />
      ) : (
        <form
          method="post"
          action={tipsPath}
          encType="multipart/form-data"
          noValidate
          onFocus={service.load}
          onSubmit={onSubmit}
          onInput={(event) => draft.save(readTipFields(new FormData(event.currentTarget)))}
        >
          <TipFields
            messages={messages}
            text={{ ...text, coverage }}
            status={status}
            isReady={isReady}
            isRestored={isRestored}
            me={me?.name}
            onPhoto={service.expectPhoto}
            onStop={() => stopController.current?.abort()}
            onDiscard={discard}
          />
        </form>
      )}
      {isReady && clock && <TipReceipts messages={messages} clock={clock} key={status.step} />}
    </div>
  );
}

const formIn = (container: RefObject<HTMLElement | null>) => container.current?.querySelector('form') ?? null;
