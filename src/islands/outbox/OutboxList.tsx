import { useEffect, useMemo, useRef, useState } from 'react';
import { type Refusal, sentenceOf } from '../../lib/i18n/refusals.ts';
import { EditorPanel, SignInLink, TaskNote } from '../desk/controls.tsx';
import type { Desk } from '../desk/desk.ts';
import { useMessages } from '../desk/messages.tsx';
import { ReopenedSummary } from '../desk/SummaryEditor.tsx';
import { makeTask } from '../desk/task.ts';
import { openDraftStore } from '../editor/draft-store.ts';
import { Editor } from '../editor/Editor.tsx';
import { makeEditor } from '../editor/editor.ts';
import { nameSaver } from '../editor/newer-version.ts';
import { useShared } from '../shared/use-shared.ts';
import { undo } from '../update-list/actions.ts';
import { $canSendInBackground } from './background-sync.ts';
import { reopenedScope } from './commands.ts';
import type { QueuedCommandView } from './outbox.ts';

type ReopenedCommandProps = { desk: Desk; item: QueuedCommandView; onClose: () => void };

/** Editor for the content of a refused or held command. The next save replaces the command. */
function ReopenedCommand({ desk, item, onClose }: ReopenedCommandProps) {
  const messages = useMessages();
  const [editor] = useState(() => {
    const draftStore = openDraftStore(desk.person.id, desk.$coverage.get().id, reopenedScope(item.id));
    return makeEditor(messages, desk, draftStore, item.edited?.before, item);
  });
  const status = useShared(editor.$status);
  const isReady = useShared(editor.$isReady);
  useEffect(() => {
    if (status.step === 'sent') onClose();
  }, [status, onClose]);
  return (
    <EditorPanel
      name={`outbox ${item.id}`}
      title={messages.desk.about(messages.outbox.open, item.excerpt || messages.outbox.kinds[item.kind])}
      onClose={onClose}
    >
      <Editor desk={desk} editor={editor} isReady={isReady} onClose={onClose} />
    </EditorPanel>
  );
}

type RefusalNoteProps = { desk: Desk; item: QueuedCommandView; refusal: Refusal };

/** Says why a command was refused. Names the person who saved first once the name has been read. */
function RefusalNote({ desk, item, refusal }: RefusalNoteProps) {
  const messages = useMessages();
  const [named, setNamed] = useState(refusal);
  const { code, version } = refusal;
  // The outbox makes new objects at every change. Only another refusal needs another name.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    let isCurrent = true;
    setNamed(refusal);
    void nameSaver(desk, item, refusal).then((named) => isCurrent && setNamed(named));
    return () => {
      isCurrent = false;
    };
  }, [desk, code, version]);
  return <p className="refused">{sentenceOf(named, messages)}</p>;
}

type OutboxRowProps = { desk: Desk; item: QueuedCommandView };

/** One queued command with its progress and actions. */
function OutboxRow({ desk, item }: OutboxRowProps) {
  const messages = useMessages();
  const [isOpen, setOpen] = useState(false);
  const [isConfirming, setConfirming] = useState(false);
  const [task] = useState(makeTask);
  const row = useRef<HTMLLIElement>(null);
  const state = useShared(task.$state);
  const { slug, language } = useShared(desk.$coverage);
  const { id, subject, kind, step, excerpt, number, refusal, edited } = item;

  /** Moves the focus after the pressed button has disappeared. */
  const restoreFocus = () =>
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return;
      (row.current?.querySelector<HTMLElement>('fieldset button') ?? row.current)?.focus();
    });
  const confirm = (isConfirming: boolean) => {
    setConfirming(isConfirming);
    restoreFocus();
  };
  const close = () => {
    setOpen(false);
    restoreFocus();
  };
  const named = (label: string) => messages.desk.about(label, excerpt || messages.outbox.kinds[kind]);

  const recall = async () => {
    if ((await desk.outbox.recall(id)) === 'open') setOpen(true);
  };
  const sendAgain = async () => {
    if ((await desk.outbox.retry(id)) === 'open') setOpen(true);
  };
  const undoNow = () => task.run(() => undo(messages, desk, subject));
  const hasWords = edited !== null || item.summary !== undefined;
  const isLive = number !== undefined && step === 'live';
  if (isOpen && hasWords) {
    const Reopened = edited ? ReopenedCommand : ReopenedSummary;
    return (
      <li className="outgoing-row" data-step="needs_you">
        <Reopened desk={desk} item={item} onClose={close} />
      </li>
    );
  }
  return (
    <li ref={row} tabIndex={-1} className="outgoing-row" data-step={step}>
      <p>
        <b>{messages.outbox.steps[step]}</b>{' '}
        {!(isLive && kind === 'publish') && <span>{messages.outbox.kinds[kind]}</span>}{' '}
        {isLive && <a href={`/live/${slug}/${number}`}>{messages.outbox.number(number)}</a>}{' '}
        <q lang={language} dir="auto">
          {excerpt}
        </q>
      </p>
      {refusal && <RefusalNote desk={desk} item={item} refusal={refusal} />}
      <div className="row-actions">
        {item.isUnsent && (
          <button type="button" aria-label={named(messages.outbox.takeBack)} onClick={recall}>
            {messages.outbox.takeBack}
          </button>
        )}
        {item.undoUntil !== undefined && (
          <button type="button" aria-label={named(messages.outbox.undo)} onClick={undoNow}>
            {messages.outbox.undo}
          </button>
        )}
        {step === 'needs_you' && hasWords && (
          <button type="button" aria-label={named(messages.outbox.open)} onClick={() => setOpen(true)}>
            {messages.outbox.open}
          </button>
        )}
        {step === 'needs_you' && (
          <button type="button" aria-label={named(messages.outbox.again)} onClick={sendAgain}>
            {messages.outbox.again}
          </button>
        )}
        {step === 'needs_you' && !isConfirming && (
          <button type="button" aria-label={named(messages.outbox.throwAway)} onClick={() => confirm(true)}>
            {messages.outbox.throwAway}
          </button>
        )}
      </div>
      {isConfirming && (
        <fieldset className="bare row-actions">
          <legend>{messages.outbox.sure}</legend>
          <button type="button" onClick={() => desk.outbox.discard(id)}>
            {messages.outbox.throwAway}
          </button>
          <button type="button" onClick={() => confirm(false)}>
            {messages.outbox.keep}
          </button>
        </fieldset>
      )}
      <TaskNote state={state} slug={slug} />
    </li>
  );
}

/** The text field of the composer, or the button that opens it on a narrow screen. */
const composerField = () =>
  [...document.querySelectorAll<HTMLElement>('.open-composer > button, .composer textarea')].find((element) =>
    element.checkVisibility({ visibilityProperty: true }),
  );

/** List of this person's queued commands, with their progress and the actions that they need. */
export function OutboxList({ desk }: { desk: Desk }) {
  const messages = useMessages();
  const published = useShared(desk.view.$published);
  // The composer shows the publication and its undo.
  const queued = useShared(desk.outbox.$commands);
  const commands = useMemo(
    () => queued.filter((item) => item.undoUntil === undefined || item.subject !== published),
    [queued, published],
  );
  const pauseReason = useShared(desk.outbox.$pauseReason);
  const canSendInBackground = useShared($canSendInBackground);
  const section = useRef<HTMLElement>(null);
  const hadFocus = useRef(false);
  // A pressed button disappears with its row. The focus moves to the list, or to the composer.
  useEffect(() => {
    if (!hadFocus.current || document.activeElement !== document.body) return;
    hadFocus.current = commands.length > 0;
    const next = section.current ?? composerField();
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
      <h2 id="outgoing-title">{messages.outbox.title}</h2>
      {isWaiting && pauseReason === 'session' && (
        <p className="refused">
          {messages.outbox.holdUps.session} <SignInLink slug={desk.$coverage.get().slug} />
        </p>
      )}
      {isWaiting && pauseReason === 'line' && (
        <p className="help">
          {canSendInBackground ? messages.outbox.holdUps.line : messages.outbox.keptHere}
        </p>
      )}
      <ol>
        {commands.map((item) => (
          <OutboxRow key={item.id} desk={desk} item={item} />
        ))}
      </ol>
    </section>
  );
}
