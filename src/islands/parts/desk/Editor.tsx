import {
  type DragEvent,
  type SubmitEvent,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { bodyOf, type FormProblems, isBlank } from '../../../lib/desk/form.ts';
import { mayRun } from '../../../lib/desk/rights.ts';
import type { DeskByline } from '../../../lib/desk/update.ts';
import { LIMITS } from '../../../lib/limits.ts';
import { composer } from '../../../lib/text/composer.ts';
import { desk as messages } from '../../../lib/text/desk.ts';
import { deskPhotos } from '../../../lib/text/desk-photos.ts';
import { picturesIn } from '../../browser/pasting.ts';
import type { Desk } from '../../stores/desk.ts';
import type { EditorStatus, Editor as EditorStore } from '../../stores/editor.ts';
import { BodyField } from './BodyField.tsx';
import { CloseButton } from './CloseButton.tsx';
import { Conflict } from './Conflict.tsx';
import { EditorActions, saveKinds } from './EditorActions.tsx';
import { EditorStatusLine, isScheduleProblem } from './EditorStatusLine.tsx';
import { LinkField } from './LinkField.tsx';
import { type FieldsProps, MoreFields } from './MoreFields.tsx';
import { nameOfUpdate } from './naming.ts';
import { PhotoPicker } from './PhotoPicker.tsx';
import { PhotoUploader } from './PhotoUploader.tsx';
import { Preview } from './Preview.tsx';
import { saveActionOf } from './saving.ts';
import { Toolbar } from './Toolbar.tsx';
import { useDateline } from './useDateline.ts';
import { useNames } from './useNames.ts';
import { useShared } from './useShared.ts';
import { useShortcuts } from './useShortcuts.ts';

type Props = {
  desk: Desk;
  editor: EditorStore;
  /** False until the script has started, because typed text would be lost. */
  isReady: boolean;
  onClose?: () => void;
};

/** Form for a new or existing update, with preview, save actions and status. */
export function Editor({ desk, editor, isReady, onClose }: Props) {
  const edited = useShared(editor.$edited);
  const status = useShared(editor.$status);
  const aside = useShared(editor.$aside);
  const isStored = useShared(editor.$isStored);
  const form = useRef<HTMLFormElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const [isMoreOpen, setMoreOpen] = useState(false);
  const isSending = status.step === 'sending';
  // Parsing a long text is slow on some phones, so it is deferred behind typing.
  const text = useDeferredValue(edited.form.body);
  const { photos, links } = edited.form;
  const body = useMemo(
    () => bodyOf({ body: text, photos, links }, edited.before),
    [text, photos, links, edited.before],
  );
  useEffect(() => editor.start(), [editor]);
  const isInPanel = onClose !== undefined;
  // A panel takes the focus once its fields are enabled.
  useEffect(() => {
    if (isReady && isInPanel && !form.current?.contains(document.activeElement)) area.current?.focus();
  }, [isReady, isInPanel]);
  // After a save the panel closes and the focused element may be gone.
  useEffect(() => {
    if (status.step !== 'sent' || document.activeElement !== document.body) return;
    area.current?.focus();
  }, [status]);

  // Moves the focus to the first invalid field.
  useEffect(() => {
    const isAtField = status.step === 'wrong' || isScheduleProblem(status);
    if (isAtField) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [status]);
  /** The pressed button disappears, so the focus moves to the text. */
  const discard = () => {
    editor.clear();
    area.current?.focus();
  };

  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const action = saveActionOf(new FormData(event.currentTarget, event.nativeEvent.submitter));
    if (action) void editor.send(action);
  };
  const submit = (kind: string) => {
    const button = form.current?.querySelector<HTMLElement>(`button[name="saving"][value="${kind}"]`);
    if (button) form.current?.requestSubmit(button);
  };
  const isHere = () => form.current?.contains(document.activeElement) ?? false;
  const [mainKind = 'save', ...others] = saveKinds(desk, edited.before);
  useShortcuts([
    { key: 'Mod+Enter', label: messages.saving[mainKind], run: () => submit(mainKind), when: isHere },
    {
      key: 'Mod+s',
      label: messages.saving.save,
      run: () => submit('save'),
      when: () => isHere() && others.includes('save'),
    },
  ]);

  const addPhotos = (files: File[]) => {
    if (isSending || files.length === 0) return;
    editor.photos.add(files);
    desk.$said.set(deskPhotos.added(files.length));
  };
  const onDrop = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    addPhotos(picturesIn(event.dataTransfer));
  };

  const { slug, language, time_zone } = useShared(desk.$coverage);
  const withDateline = useDateline(desk, edited);
  const names = useNames(
    desk,
    edited.before?.bylines ?? NOBODY,
    isMoreOpen || edited.form.bylines.length > 0,
  );
  const fields: FieldsProps = {
    form: edited.form,
    problems: problemsOf(status),
    isSending,
    language,
    change: (part) => editor.change(withDateline(part)),
  };
  // Several editors may be open. The label tells them apart.
  const about = edited.before ? nameOfUpdate(edited.before) : composer.title;
  const conflict = status.step === 'refused' && status.theirs && status.theirs.version !== edited.version;
  return (
    <form
      ref={form}
      className="editor"
      onSubmit={onSubmit}
      onDragOver={(event) => hasFiles(event) && event.preventDefault()}
      onDrop={onDrop}
      noValidate
    >
      <fieldset className="bare" disabled={!isReady}>
        <BodyField {...fields} area={area} body={body} isHeaded={!isInPanel} addPhotos={addPhotos} />
        <PhotoUploader
          {...fields}
          desk={desk}
          editor={editor}
          area={area}
          isHeaded={!isInPanel}
          wrong={status.step === 'wrong' ? status.photos : {}}
        />
        <LinkField key={`link ${edited.id}`} desk={desk} editor={editor} isSending={fields.isSending} />
        <Preview key={`preview ${edited.id}`} desk={desk} edited={edited} body={body} names={names.known} />
        <MoreFields
          key={`more ${edited.id}`}
          {...fields}
          mayBeUrgent={mayRun(desk.person)}
          timeZone={time_zone}
          names={names}
          before={edited.before}
          library={
            <PhotoPicker
              desk={desk}
              chosen={photos.map((photo) => photo.id)}
              isOff={isSending || photos.length >= LIMITS.body_blocks}
              pick={(photo) => editor.change({ photos: [...photos, photo] })}
            />
          }
          onOpen={setMoreOpen}
        />
        <p className="status" role="status">
          {!isStored && messages.status.notKept}
        </p>
        <EditorStatusLine status={status} before={edited.before} slug={slug} />
        {conflict && status.theirs && (
          <Conflict
            theirs={status.theirs}
            timeZone={time_zone}
            language={language}
            mine={edited.form}
            choose={editor.rebase}
          />
        )}
        <EditorActions
          desk={desk}
          edited={edited}
          problems={fields.problems}
          sending={isSending}
          tools={<Toolbar area={area} />}
        >
          {aside && (
            <button
              type="button"
              className="quiet"
              aria-label={messages.about(messages.conflict.bringBack, about)}
              onClick={editor.swapAside}
            >
              {messages.conflict.bringBack}
            </button>
          )}
          {!isBlank(edited.form) && (
            <button
              type="button"
              className="quiet"
              aria-label={messages.about(composer.clear, about)}
              onClick={discard}
            >
              {composer.clear}
            </button>
          )}
          {onClose && <CloseButton about={about} onClose={onClose} />}
        </EditorActions>
      </fieldset>
    </form>
  );
}

const NOBODY: DeskByline[] = [];

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files');

function problemsOf(status: EditorStatus): FormProblems {
  if (status.step === 'wrong') return status.problems;
  if (status.step !== 'refused' || !status.refusal.field) return {};
  return { [status.refusal.field]: status.refusal.sentence };
}
