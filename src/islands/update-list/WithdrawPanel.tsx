import { type SubmitEvent, useId, useState } from 'react';
import type { DeskVersion } from '../../lib/data/desk-updates.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import { sentenceOf } from '../../lib/i18n/refusals.ts';
import { Panel, PanelEnd } from '../desk/controls.tsx';
import type { Desk } from '../desk/desk.ts';
import { type DeskMessages, useMessages } from '../desk/messages.tsx';
import { makeTask } from '../desk/task.ts';
import { clearDraft, useDraft, withdrawScope } from '../editor/open-editors.tsx';
import { Field } from '../shared/Field.tsx';
import { useShared } from '../shared/use-shared.ts';
import { runAction, updateLabel } from './actions.ts';

type WithdrawPanelProps = {
  desk: Pick<Desk, 'person' | '$coverage' | 'outbox' | 'view' | 'sync'>;
  update: DeskUpdate;
  onClose: () => void;
};

/** Withdraws a published update with a public reason, and says what disappears and what stays. */
export function WithdrawPanel({ desk, update, onClose }: WithdrawPanelProps) {
  const messages = useMessages();
  const [task] = useState(makeTask);
  const { pinned_update } = useShared(desk.$coverage);
  const { form, change } = useDraft(desk, update.id, withdrawScope(update.id), { reason: '' });
  const state = useShared(task.$state);
  const effectsId = useId();
  const problem =
    state.step === 'refused' && state.refusal.field === 'reason'
      ? sentenceOf(state.refusal, messages)
      : undefined;

  const withdraw = async (event: SubmitEvent) => {
    event.preventDefault();
    const updateAction = { kind: 'withdraw', reason: form.reason } as const;
    if (!(await task.run(() => runAction(messages, desk, update, updateAction, messages.desk.withdraw.done))))
      return;
    await clearDraft(desk, withdrawScope(update.id));
    await desk.sync.refresh();
    onClose();
  };
  return (
    <Panel onClose={onClose}>
      <form onSubmit={withdraw} noValidate aria-describedby={effectsId}>
        <ul className="means" id={effectsId}>
          {effectsOf(messages, update, pinned_update).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        <Field
          label={messages.desk.withdraw.reason}
          help={messages.desk.withdraw.reasonHelp}
          problem={problem}
        >
          {(control) => (
            <textarea
              {...control}
              rows={2}
              value={form.reason}
              onChange={(event) => change({ reason: event.target.value })}
              required
            />
          )}
        </Field>
        <PanelEnd
          state={state}
          slug={desk.$coverage.get().slug}
          confirm={messages.desk.withdraw.confirm}
          onClose={onClose}
          about={updateLabel(messages, update)}
        />
      </form>
    </Panel>
  );
}

/** Messages about what a withdrawal removes and what stays. */
function effectsOf(
  messages: DeskMessages,
  { id, photos, key_event }: DeskUpdate,
  pinned: string | null,
): string[] {
  const { words: go, photos: pictures, keyEvent, pinned: held, stays } = messages.corrections.withdrawal;
  return [
    go,
    ...(photos.length > 0 ? [pictures(photos.length)] : []),
    ...(key_event ? [keyEvent] : []),
    ...(pinned === id ? [held] : []),
    stays,
  ];
}

/** Parts of the desk that redacting and the history need. */
export type RedactDesk = Pick<Desk, 'person' | '$coverage' | 'sync' | 'view' | 'backend'>;

type RedactFormProps = {
  desk: RedactDesk;
  update: DeskUpdate;
  version: DeskVersion;
  /** @param also other versions whose content was redacted too */
  onDone(redacted: DeskVersion, also: number[]): void;
  onClose(): void;
};

/** Versions that were redacted because they had the same text, and versions that still contain it. */
type Redacted = { also_redacted: number[]; still_present: number[] };

/**
 * Form that redacts a version permanently. It is not queued while offline, because a late redaction would surprise.
 */
export function RedactForm({ desk, update, version, onDone, onClose }: RedactFormProps) {
  const messages = useMessages();
  const [task] = useState(makeTask);
  const [reason, setReason] = useState('');
  const [takesNote, setTakesNote] = useState(!version.shown);
  const state = useShared(task.$state);
  const { desk: texts } = messages.corrections;
  const isPublic = version.isPublic && update.state === 'published';
  const problem =
    state.step === 'refused' && state.refusal.field === 'reason'
      ? sentenceOf(state.refusal, messages)
      : undefined;

  const redact = async (event: SubmitEvent) => {
    event.preventDefault();
    const args = { update_id: update.id, version: version.version, reason, with_note: takesNote };
    let result: Redacted = { also_redacted: [], still_present: [] };
    const act = async () => {
      result = (await desk.backend.execute('redact_revision', args)) as Redacted;
    };
    if (!(await task.run(act))) return;
    const sentences = [version.shown ? texts.redacted(version.version) : texts.noteRedacted(version.version)];
    if (result.also_redacted.length > 0) sentences.push(texts.redactedToo(result.also_redacted));
    if (result.still_present.length > 0) sentences.push(texts.redactedLeft(result.still_present));
    desk.view.$announcement.set(sentences.join(' '));
    const redacted = version.redacted ?? { at: new Date().toISOString(), reason: reason.trim() };
    const redactedBy = version.redactedBy ?? desk.person.display_name;
    const note = takesNote ? reason.trim() : version.note;
    onDone({ ...version, note, shown: null, content: null, redacted, redactedBy }, result.also_redacted);
    onClose();
    await desk.sync.refresh();
  };
  return (
    <Panel onClose={onClose}>
      <form onSubmit={redact} noValidate>
        <p>{version.shown ? texts.redactSure : texts.redactNoteSure}</p>
        <Field
          label={texts.redactReason}
          help={isPublic ? texts.redactSeen : texts.redactUnseen}
          problem={problem}
        >
          {(control) => (
            <textarea
              {...control}
              rows={2}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
              required
            />
          )}
        </Field>
        {version.shown && version.note && (
          <p className="field check">
            <label>
              <input
                type="checkbox"
                checked={takesNote}
                onChange={(event) => setTakesNote(event.target.checked)}
              />{' '}
              {texts.redactNote}
            </label>
          </p>
        )}
        <PanelEnd
          state={state}
          slug={desk.$coverage.get().slug}
          confirm={
            version.shown ? texts.redactConfirm(version.version) : texts.redactNoteConfirm(version.version)
          }
          onClose={onClose}
          about={texts.version(version.version)}
        />
      </form>
    </Panel>
  );
}

type SpikePanelProps = {
  desk: Pick<Desk, '$coverage' | 'outbox' | 'view' | 'sync'>;
  update: DeskUpdate;
  onClose: () => void;
};

/** Spikes an unpublished update after a confirmation. */
export function SpikePanel({ desk, update, onClose }: SpikePanelProps) {
  const messages = useMessages();
  const [task] = useState(makeTask);
  const state = useShared(task.$state);
  const spike = async () => {
    if (
      !(await task.run(() => runAction(messages, desk, update, { kind: 'spike' }, messages.desk.spike.done)))
    )
      return;
    await desk.sync.refresh();
    onClose();
  };
  return (
    <Panel onClose={onClose}>
      <p>{messages.desk.spike.sure}</p>
      <PanelEnd
        state={state}
        slug={desk.$coverage.get().slug}
        confirm={messages.desk.spike.confirm}
        onConfirm={spike}
        onClose={onClose}
        about={updateLabel(messages, update)}
      />
    </Panel>
  );
}
