import { type SubmitEvent, useState } from 'react';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import type { DeskVersion } from '../../../lib/desk/versions.ts';
import { corrections } from '../../../lib/text/corrections.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeTask } from '../../stores/task.ts';
import { Field } from './Field.tsx';
import { Panel } from './Panel.tsx';
import { PanelEnd } from './PanelEnd.tsx';
import { useShared } from './useShared.ts';

type Props = {
  desk: Desk;
  update: DeskUpdate;
  version: DeskVersion;
  /** @param also other versions whose content was redacted too */
  onDone(redacted: DeskVersion, also: number[]): void;
  onClose(): void;
};

/** Versions that were redacted because they had the same text, and versions that still contain it. */
type Redacted = { also: number[]; left: number[] };

/**
 * Form that redacts a version permanently. It is not queued while offline, because nobody expects a redaction hours
 * later.
 */
export function RedactForm({ desk, update, version, onDone, onClose }: Props) {
  const [task] = useState(makeTask);
  const [reason, setReason] = useState('');
  const [takesNote, setTakesNote] = useState(!version.words);
  const state = useShared(task.$state);
  const messages = corrections.desk;
  const isPublic = version.isPublic && update.state === 'published';
  const problem =
    state.step === 'refused' && state.refusal.field === 'reason' ? state.refusal.sentence : undefined;

  const redact = async (event: SubmitEvent) => {
    event.preventDefault();
    const args = { update_id: update.id, version: version.version, reason, with_note: takesNote };
    let result: Redacted = { also: [], left: [] };
    const act = async () => {
      result = (await desk.press('redact_revision', args)) as Redacted;
    };
    if (!(await task.run(act))) return;
    const said = [
      version.words ? messages.redacted(version.version) : messages.noteRedacted(version.version),
    ];
    if (result.also.length > 0) said.push(messages.redactedToo(result.also));
    if (result.left.length > 0) said.push(messages.redactedLeft(result.left));
    desk.$said.set(said.join(' '));
    const redacted = version.redacted ?? { at: new Date().toISOString(), reason: reason.trim() };
    const redactedBy = version.redactedBy ?? desk.person.display_name;
    const note = takesNote ? reason.trim() : version.note;
    onDone({ ...version, note, words: null, content: null, redacted, redactedBy }, result.also);
    onClose();
    await desk.refresh();
  };
  return (
    <Panel onClose={onClose}>
      <form onSubmit={redact} noValidate>
        <p>{version.words ? messages.redactSure : messages.redactNoteSure}</p>
        <Field
          label={messages.redactReason}
          help={isPublic ? messages.redactSeen : messages.redactUnseen}
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
        {version.words && version.note && (
          <p className="field check">
            <label>
              <input
                type="checkbox"
                checked={takesNote}
                onChange={(event) => setTakesNote(event.target.checked)}
              />{' '}
              {messages.redactNote}
            </label>
          </p>
        )}
        <PanelEnd
          state={state}
          slug={desk.$coverage.get().slug}
          confirm={
            version.words
              ? messages.redactConfirm(version.version)
              : messages.redactNoteConfirm(version.version)
          }
          onClose={onClose}
          about={messages.version(version.version)}
        />
      </form>
    </Panel>
  );
}
