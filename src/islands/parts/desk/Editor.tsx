import { useStore } from '@nanostores/react';
import { type KeyboardEvent, type SubmitEvent, useDeferredValue, useEffect, useMemo, useRef } from 'react';
import { bodyOf, type FormProblems, isBlank } from '../../../lib/desk/form.ts';
import { mayRun } from '../../../lib/desk/rights.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import type { Desk } from '../../stores/desk.ts';
import type { EditorStatus, Editor as EditorStore } from '../../stores/editor.ts';
import { BodyField } from './BodyField.tsx';
import { Conflict } from './Conflict.tsx';
import { EditorActions } from './EditorActions.tsx';
import { EditorStatusLine, isOfTime } from './EditorStatusLine.tsx';
import { LinkField } from './LinkField.tsx';
import { type FieldsProps, MoreFields } from './MoreFields.tsx';
import { PhotoUploader } from './PhotoUploader.tsx';
import { Preview } from './Preview.tsx';
import { savingOf } from './saving.ts';

type Props = {
  desk: Desk;
  editor: EditorStore;
  /** Until the script is here, what is typed would be typed into nothing. */
  isReady: boolean;
  onClose?: () => void;
};

/** An update being written, new or again: its fields, how it will look, the ways to save it, and what became of that. */
export function Editor({ desk, editor, isReady, onClose }: Props) {
  const work = useStore(editor.$work);
  const status = useStore(editor.$status);
  const aside = useStore(editor.$aside);
  const isKept = useStore(editor.$isKept);
  const form = useRef<HTMLFormElement>(null);
  // Reading a long text takes a slow phone a while: the keys come first.
  const text = useDeferredValue(work.form.body);
  const { photos, links } = work.form;
  const body = useMemo(
    () => bodyOf({ body: text, photos, links }, work.before),
    [text, photos, links, work.before],
  );
  useEffect(() => editor.start(), [editor]);
  // What went out closes what was open for it (each update has its own), which may have had the focus.
  useEffect(() => {
    if (status.step !== 'sent' || document.activeElement !== document.body) return;
    form.current?.querySelector('textarea')?.focus();
  }, [status]);

  // What is wrong is written on where it is.
  useEffect(() => {
    const isAtField = status.step === 'wrong' || isOfTime(status);
    if (isAtField) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [status]);
  /** The button that was pressed is gone. */
  const throwAway = () => {
    editor.clear();
    form.current?.querySelector('textarea')?.focus();
  };

  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const saving = savingOf(new FormData(event.currentTarget, event.nativeEvent.submitter));
    if (saving) void editor.send(saving);
  };
  /** Ctrl or Cmd with Enter is the first button. */
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    form.current?.requestSubmit(form.current.querySelector<HTMLElement>('button[name="saving"]'));
  };
  const fields: FieldsProps = {
    form: work.form,
    problems: problemsOf(status),
    isSending: status.step === 'sending',
    language: desk.$coverage.get().language,
    change: editor.change,
  };
  const conflict = status.step === 'refused' && status.theirs && status.theirs.version !== work.version;
  return (
    <form ref={form} className="editor" onSubmit={onSubmit} onKeyDown={onKeyDown} noValidate>
      <fieldset className="bare" disabled={!isReady}>
        <BodyField {...fields} body={body} isHeaded={!onClose} />
        <PhotoUploader
          {...fields}
          desk={desk}
          editor={editor}
          wrong={status.step === 'wrong' ? status.photos : {}}
        />
        <LinkField key={`link ${work.id}`} desk={desk} editor={editor} isSending={fields.isSending} />
        <Preview key={`preview ${work.id}`} desk={desk} work={work} body={body} />
        <MoreFields key={`more ${work.id}`} {...fields} mayBeUrgent={mayRun(desk.person)} />
        <p className="status" role="status">
          {!isKept && words.status.notKept}
        </p>
        <EditorStatusLine status={status} before={work.before} slug={desk.$coverage.get().slug} />
        {conflict && status.theirs && (
          <Conflict theirs={status.theirs} mine={work.form} choose={editor.rebase} />
        )}
        <EditorActions desk={desk} work={work} problems={fields.problems} sending={fields.isSending}>
          {aside && (
            <button type="button" className="quiet" onClick={editor.swap}>
              {words.conflict.bringBack}
            </button>
          )}
          {!isBlank(work.form) && (
            <button type="button" className="quiet" onClick={throwAway}>
              {words.composer.clear}
            </button>
          )}
          {onClose && (
            <button type="button" className="quiet" onClick={onClose}>
              {words.close}
            </button>
          )}
        </EditorActions>
      </fieldset>
    </form>
  );
}

function problemsOf(status: EditorStatus): FormProblems {
  if (status.step === 'wrong') return status.problems;
  if (status.step !== 'refused' || !status.refusal.field) return {};
  return { [status.refusal.field]: status.refusal.sentence };
}
