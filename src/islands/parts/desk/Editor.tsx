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
import { desk as words } from '../../../lib/text/desk.ts';
import { deskPhotos } from '../../../lib/text/desk-photos.ts';
import { picturesIn } from '../../browser/pasting.ts';
import type { Desk } from '../../stores/desk.ts';
import type { EditorStatus, Editor as EditorStore } from '../../stores/editor.ts';
import { BodyField } from './BodyField.tsx';
import { CloseButton } from './CloseButton.tsx';
import { Conflict } from './Conflict.tsx';
import { EditorActions, savings } from './EditorActions.tsx';
import { EditorStatusLine, isOfTime } from './EditorStatusLine.tsx';
import { LinkField } from './LinkField.tsx';
import { type FieldsProps, MoreFields } from './MoreFields.tsx';
import { nameOfUpdate } from './naming.ts';
import { PhotoPicker } from './PhotoPicker.tsx';
import { PhotoUploader } from './PhotoUploader.tsx';
import { Preview } from './Preview.tsx';
import { savingOf } from './saving.ts';
import { Toolbar } from './Toolbar.tsx';
import { useDateline } from './useDateline.ts';
import { useNames } from './useNames.ts';
import { useShared } from './useShared.ts';
import { useShortcuts } from './useShortcuts.ts';

type Props = {
  desk: Desk;
  editor: EditorStore;
  /** Until the script is here, what is typed would be typed into nothing. */
  isReady: boolean;
  onClose?: () => void;
};

/** An update being written, new or again: its fields, how it will look, the ways to save it, and what became of that. */
export function Editor({ desk, editor, isReady, onClose }: Props) {
  const work = useShared(editor.$work);
  const status = useShared(editor.$status);
  const aside = useShared(editor.$aside);
  const isKept = useShared(editor.$isKept);
  const form = useRef<HTMLFormElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const [isLookedAt, setLookedAt] = useState(false);
  const isSending = status.step === 'sending';
  // Reading a long text takes a slow phone a while: the keys come first.
  const text = useDeferredValue(work.form.body);
  const { photos, links } = work.form;
  const body = useMemo(
    () => bodyOf({ body: text, photos, links }, work.before),
    [text, photos, links, work.before],
  );
  useEffect(() => editor.start(), [editor]);
  const isInPanel = onClose !== undefined;
  // What opened in its place is written in as soon as it can be: until then there is nothing in it to go to.
  useEffect(() => {
    if (isReady && isInPanel && !form.current?.contains(document.activeElement)) area.current?.focus();
  }, [isReady, isInPanel]);
  // What went out closes what was open for it (each update has its own), which may have had the focus.
  useEffect(() => {
    if (status.step !== 'sent' || document.activeElement !== document.body) return;
    area.current?.focus();
  }, [status]);

  // What is wrong is written on where it is.
  useEffect(() => {
    const isAtField = status.step === 'wrong' || isOfTime(status);
    if (isAtField) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [status]);
  /** The button that was pressed is gone. */
  const throwAway = () => {
    editor.clear();
    area.current?.focus();
  };

  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const saving = savingOf(new FormData(event.currentTarget, event.nativeEvent.submitter));
    if (saving) void editor.send(saving);
  };
  const press = (kind: string) => {
    const button = form.current?.querySelector<HTMLElement>(`button[name="saving"][value="${kind}"]`);
    if (button) form.current?.requestSubmit(button);
  };
  const isHere = () => form.current?.contains(document.activeElement) ?? false;
  const [usual = 'save', ...others] = savings(desk, work.before);
  useShortcuts([
    { key: 'Mod+Enter', label: words.saving[usual], run: () => press(usual), when: isHere },
    {
      key: 'Mod+s',
      label: words.saving.save,
      run: () => press('save'),
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
  const withDateline = useDateline(desk, work);
  const names = useNames(desk, work.before?.bylines ?? NOBODY, isLookedAt || work.form.bylines.length > 0);
  const fields: FieldsProps = {
    form: work.form,
    problems: problemsOf(status),
    isSending,
    language,
    change: (part) => editor.change(withDateline(part)),
  };
  // Several editors may be open: what stands in each says of which it is.
  const about = work.before ? nameOfUpdate(work.before) : composer.title;
  const conflict = status.step === 'refused' && status.theirs && status.theirs.version !== work.version;
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
        <LinkField key={`link ${work.id}`} desk={desk} editor={editor} isSending={fields.isSending} />
        <Preview key={`preview ${work.id}`} desk={desk} work={work} body={body} names={names.known} />
        <MoreFields
          key={`more ${work.id}`}
          {...fields}
          mayBeUrgent={mayRun(desk.person)}
          timeZone={time_zone}
          names={names}
          before={work.before}
          library={
            <PhotoPicker
              desk={desk}
              chosen={photos.map((photo) => photo.id)}
              isOff={isSending || photos.length >= LIMITS.body_blocks}
              pick={(photo) => editor.change({ photos: [...photos, photo] })}
            />
          }
          onOpen={setLookedAt}
        />
        <p className="status" role="status">
          {!isKept && words.status.notKept}
        </p>
        <EditorStatusLine status={status} before={work.before} slug={slug} />
        {conflict && status.theirs && (
          <Conflict
            theirs={status.theirs}
            timeZone={time_zone}
            language={language}
            mine={work.form}
            choose={editor.rebase}
          />
        )}
        <EditorActions
          desk={desk}
          work={work}
          problems={fields.problems}
          sending={isSending}
          tools={<Toolbar area={area} />}
        >
          {aside && (
            <button
              type="button"
              className="quiet"
              aria-label={words.about(words.conflict.bringBack, about)}
              onClick={editor.swap}
            >
              {words.conflict.bringBack}
            </button>
          )}
          {!isBlank(work.form) && (
            <button
              type="button"
              className="quiet"
              aria-label={words.about(composer.clear, about)}
              onClick={throwAway}
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
