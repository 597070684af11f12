import {
  type ComponentType,
  type KeyboardEvent,
  type ReactNode,
  type SubmitEvent,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { type FormProblems, formBody, isBlank } from '../../lib/data/update-form.ts';
import { acceptsUpdates, isClosed } from '../../lib/domain/desk.ts';
import { LIMITS } from '../../lib/domain/limits.ts';
import { actionsOn, mayPublishOwn, mayRun } from '../../lib/domain/permissions.ts';
import type { DeskByline, DeskUpdate } from '../../lib/domain/updates.ts';
import { CloseButton } from '../desk/controls.tsx';
import type { Desk } from '../desk/desk.ts';
import { useNames } from '../desk/hooks.ts';
import { useShortcuts } from '../desk/KeyboardShortcuts.tsx';
import { useMessages } from '../desk/messages.tsx';
import type { MediaFieldProps } from '../media/MediaFields.tsx';
import type { EditedUpdate } from '../outbox/entries.ts';
import { type SaveAction, saveActionOf } from '../outbox/save.ts';
import { PhotoPicker } from '../photos/PhotoPicker.tsx';
import { PhotoUploader, usePhotoAdding } from '../photos/PhotoUploader.tsx';
import { UndescribedPhotosNote, WaitingPhotos } from '../photos/WaitingPhotos.tsx';
import { useShared } from '../shared/use-shared.ts';
import { updateLabel } from '../update-list/actions.ts';
import { MapField, TableField } from './BlockFields.tsx';
import { ariaShortcut, BodyField, Toolbar } from './BodyField.tsx';
import type { EditorStore } from './editor.ts';
import { LinkField } from './LinkField.tsx';
import { type FieldsProps, MoreFields, ScheduleField, useDateline } from './MoreFields.tsx';
import type { PostFieldProps } from './PostFields.tsx';
import { Preview } from './Preview.tsx';
import { ChangeKind, HeadlineField, QuickFields } from './QuickFields.tsx';
import { Conflict, isScheduleProblem, problemsOf, SaveResult } from './SaveResult.tsx';

type EditorActionsProps = {
  desk: Pick<Desk, 'person' | '$coverage'>;
  edited: EditedUpdate;
  problems: FormProblems;
  sending: boolean;
  /** Shown above the buttons, and sticky together with them. */
  tools: ReactNode;
  /** Shown below the buttons: the result of the last save, and photos that wait. */
  result: ReactNode;
  /** Buttons that do not save. */
  children: ReactNode;
};

/** Buttons for the save actions that this person may use, the main one first. */
function EditorActions({ desk, edited, problems, sending, tools, result, children }: EditorActionsProps) {
  const messages = useMessages();
  const { before } = edited;
  const { state } = useShared(desk.$coverage);
  const kinds = saveKinds(desk, before);
  return (
    <>
      {before?.state === 'published' && <ChangeKind desk={desk} update={before} problem={problems.note} />}
      <div className="press">
        {tools}
        <div className="actions">
          {kinds.map((kind, index) => (
            <button
              key={kind}
              type="submit"
              name="saving"
              value={kind}
              className={index === 0 ? 'main' : undefined}
              disabled={kind === 'publish' && !acceptsUpdates(state)}
              aria-disabled={sending || undefined}
              aria-keyshortcuts={
                index === 0 ? ariaShortcut('Mod+Enter') : kind === 'save' ? ariaShortcut('Mod+s') : undefined
              }
            >
              {kind === 'save' && before?.state === 'scheduled'
                ? messages.desk.schedule.save
                : messages.desk.saving[kind]}
            </button>
          ))}
          {children}
        </div>
        {result}
      </div>
      {kinds.includes('publish') && !isClosed(state) && (
        <ScheduleField
          key={edited.id}
          desk={desk}
          before={before}
          problem={problems.scheduled_for}
          sending={sending}
        />
      )}
    </>
  );
}

/** Save actions for an update, the main one first. */
function saveKinds({ person }: Pick<Desk, 'person'>, before?: DeskUpdate): SaveAction['kind'][] {
  if (before?.state === 'published') return ['change'];
  const publish = before ? actionsOn(before, person, null).includes('publish') : mayPublishOwn(person);
  if (publish) return ['publish', 'save'];
  return before?.state === 'submitted' ? ['save'] : ['submit', 'save'];
}

type EditorProps = {
  desk: Desk;
  editor: EditorStore;
  /** False until the script has started, because typed text would be lost. */
  isReady: boolean;
  onClose?: () => void;
};

/** Form for a new or existing update, with preview, save actions and status. */
export function Editor({ desk, editor, isReady, onClose }: EditorProps) {
  const messages = useMessages();
  const edited = useShared(editor.$edited);
  const status = useShared(editor.$status);
  const aside = useShared(editor.$aside);
  const isStored = useShared(editor.$isStored);
  const form = useRef<HTMLFormElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const [isMoreOpen, setMoreOpen] = useState(false);
  const isSending = status.step === 'sending';
  /** Whether the fields still hold the content that is being sent. The composer begins its next update at once. */
  const isReadOnly = isSending && !editor.isNew;
  // Parsing a long text is slow on some phones, so it is deferred behind typing.
  const text = useDeferredValue(edited.form.body);
  const { photos, links } = edited.form;
  const { language, time_zone } = useShared(desk.$coverage);
  const body = useMemo(
    () => formBody({ body: text, photos, links }, time_zone, edited.before),
    [text, photos, links, time_zone, edited.before],
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
  // Enter in a field of one line would press the form's first button, which publishes. In a file field it chooses a
  // file.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
    if (event.target instanceof HTMLInputElement && event.target.type !== 'file') event.preventDefault();
  };
  const submit = (kind: string) => {
    const button = form.current?.querySelector<HTMLElement>(`button[name="saving"][value="${kind}"]`);
    if (button) form.current?.requestSubmit(button);
  };
  const isHere = () => form.current?.contains(document.activeElement) ?? false;
  const [mainKind = 'save', ...others] = saveKinds(desk, edited.before);
  useShortcuts([
    { key: 'Mod+Enter', label: messages.desk.saving[mainKind], run: () => submit(mainKind), when: isHere },
    {
      key: 'Mod+s',
      label: messages.desk.saving.save,
      run: () => submit('save'),
      when: () => isHere() && others.includes('save'),
    },
  ]);

  const adding = usePhotoAdding(editor, isReadOnly);
  const withDateline = useDateline(desk, edited);
  const names = useNames(
    desk,
    edited.before?.bylines ?? NOBODY,
    isMoreOpen || edited.form.bylines.length > 0,
  );
  const fields: FieldsProps = {
    form: edited.form,
    problems: problemsOf(messages, status),
    isReadOnly,
    language,
    change: (part) => editor.change(withDateline(part)),
  };
  // Several editors may be open. The label tells them apart.
  const about = edited.before ? updateLabel(messages, edited.before) : messages.composer.title;
  const clearLabel = edited.before ? messages.composer.clearChanges : messages.composer.clear;
  const theirs = status.step === 'refused' ? status.theirs : undefined;
  // A withdrawn update has no content to compare with.
  const conflict = theirs && theirs.version !== edited.version && theirs.state !== 'withdrawn';
  return (
    <form
      ref={form}
      className={adding.isDropTarget ? 'editor drop-target' : 'editor'}
      onSubmit={onSubmit}
      onKeyDown={onKeyDown}
      {...adding.handlers}
      noValidate
    >
      <fieldset className="bare" disabled={!isReady}>
        <HeadlineField {...fields} />
        <BodyField {...fields} area={area} body={body} isHeaded={!isInPanel} />
        <QuickFields {...fields} mayBeUrgent={mayRun(desk.person)} />
        <PhotoUploader
          {...fields}
          photos={desk.photos}
          editor={editor}
          adding={adding}
          area={area}
          isHeaded={!isInPanel}
          photoProblems={status.step === 'wrong' ? status.photos : {}}
        />
        <LinkField key={`link ${edited.id}`} desk={desk} editor={editor} isReadOnly={isReadOnly} />
        {/* Without a key: an upload continues while the composer begins its next update. */}
        <MediaField desk={desk} editor={editor} area={area} isReadOnly={isReadOnly} language={language} />
        <MapField key={`map ${edited.id}`} area={area} isReadOnly={isReadOnly} language={language} />
        <PostField key={`post ${edited.id}`} desk={desk} editor={editor} isReadOnly={isReadOnly} />
        <TableField
          key={`tables ${edited.id}`}
          {...fields}
          area={area}
          timeZone={time_zone}
          desk={desk}
          before={edited.before}
        />
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
              isDisabled={isReadOnly || photos.length >= LIMITS.body_blocks}
              pick={(photo) => editor.change({ photos: [...photos, photo] })}
            />
          }
          onOpen={setMoreOpen}
        />
        <p className="status" role="status">
          {!isStored && messages.desk.status.notKept}
        </p>
        {conflict && (
          <Conflict
            theirs={theirs}
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
          result={
            <>
              <UndescribedPhotosNote form={edited.form} before={edited.before} mainKind={mainKind} />
              <SaveResult desk={desk} status={status} before={edited.before} area={area} />
              {!isInPanel && <WaitingPhotos desk={desk} />}
            </>
          }
        >
          {aside && (
            <button
              type="button"
              className="quiet"
              aria-label={messages.desk.about(messages.desk.conflict.bringBack, about)}
              onClick={editor.swapAside}
            >
              {messages.desk.conflict.bringBack}
            </button>
          )}
          {!isBlank(edited.form) && (
            <button
              type="button"
              className="quiet"
              aria-label={messages.desk.about(clearLabel, about)}
              onClick={discard}
            >
              {clearLabel}
            </button>
          )}
          {onClose && <CloseButton about={about} onClose={onClose} />}
        </EditorActions>
      </fieldset>
    </form>
  );
}

const NOBODY: DeskByline[] = [];

type LazyFieldsProps<FieldProps> = {
  className: string;
  title: string;
  load(): Promise<ComponentType<FieldProps>>;
  fields: FieldProps;
};

/** Fields behind a heading. Their script is loaded when they are first opened. */
function LazyFields<FieldProps extends object>({
  className,
  title,
  load,
  fields,
}: LazyFieldsProps<FieldProps>) {
  const [Fields, setFields] = useState<ComponentType<FieldProps>>();
  const details = useRef<HTMLDetailsElement>(null);
  const loadWhenOpen = () => {
    if (details.current?.open && !Fields) void load().then((loaded) => setFields(() => loaded));
  };
  // They may have been opened before the script ran.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(loadWhenOpen, []);
  return (
    <details ref={details} className={className} onToggle={loadWhenOpen}>
      <summary>{title}</summary>
      {Fields && <Fields {...fields} />}
    </details>
  );
}

const loadPostFields = async () => (await import('./PostFields.tsx')).PostFields;
const loadMediaFields = async () => (await import('../media/MediaFields.tsx')).MediaFields;

/** Fields that quote a post. */
function PostField(props: PostFieldProps) {
  const { title } = useMessages().deskPosts;
  return <LazyFields className="link-field" title={title} load={loadPostFields} fields={props} />;
}

/** Fields that upload a video or audio file. */
function MediaField(props: MediaFieldProps) {
  const { title } = useMessages().composer.media;
  return <LazyFields className="media-field" title={title} load={loadMediaFields} fields={props} />;
}
