import { useCallback, useEffect, useRef, useState } from 'react';
import { deskClock } from '../../lib/data/scheduling.ts';
import { bodyText, excerpt, shorten } from '../../lib/domain/body/blocks.ts';
import { acceptsUpdates, type DeskCoverage, editorsOf } from '../../lib/domain/desk.ts';
import { actionsOn, type UpdateActionName } from '../../lib/domain/permissions.ts';
import { deskPhotoPath, PHOTO_WIDTHS } from '../../lib/domain/photos.ts';
import { clockOf } from '../../lib/domain/reader-coverage.ts';
import { excerptAround, matchRanges } from '../../lib/domain/search.ts';
import { type Clock, clockTime, machineTime, shortDay, shortTime } from '../../lib/domain/time.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import { directionOf } from '../../lib/i18n/language.ts';
import { formatList } from '../../lib/i18n/plural.ts';
import type { OpenPanel } from '../desk/context.ts';
import { EditorPanel, TaskNote } from '../desk/controls.tsx';
import type { Desk } from '../desk/desk.ts';
import { type DeskMessages, messagesIn, useMessages } from '../desk/messages.tsx';
import type { DeskPresence } from '../desk/presence.ts';
import { makeTask } from '../desk/task.ts';
import { openDraftStore } from '../editor/draft-store.ts';
import { Editor } from '../editor/Editor.tsx';
import { makeEditor } from '../editor/editor.ts';
import { changeScope, clearDraft, NewerVersionNote, OpenElsewhereNote } from '../editor/open-editors.tsx';
import { statusMessageOf } from '../outbox/save.ts';
import { useShared } from '../shared/use-shared.ts';
import { BodyBlocks } from '../update/BodyBlocks.tsx';
import { runAction, updateLabel } from './actions.ts';
import { FiledMessage } from './FiledMessage.tsx';
import { HistoryPanel } from './HistoryPanel.tsx';
import { PostCheck } from './PostCheck.tsx';
import { SpikePanel, WithdrawPanel } from './WithdrawPanel.tsx';
import { type DraftsStore, WordPressDraft } from './WordPressDraft.tsx';

type EditPanelProps = { desk: Desk; update: DeskUpdate; onClose: () => void };

/** Editor for an update in the list. It saves over the version that was opened. */
function EditPanel({ desk, update, onClose }: EditPanelProps) {
  const messages = useMessages();
  const [editor] = useState(() =>
    makeEditor(messages, desk, openDraftStore(desk.person.id, update.coverage_id, update.id), update),
  );
  const status = useShared(editor.$status);
  const isReady = useShared(editor.$isReady);
  useEffect(() => {
    const open = desk.view.$open.get();
    if (!isReady || !open?.form) return;
    desk.view.$open.set({ id: open.id, panel: open.panel });
    editor.rebase(update, open.form);
  }, [isReady, desk, editor, update]);
  useEffect(() => {
    if (status.step !== 'sent') return;
    desk.view.$announcement.set(statusMessageOf(messages, status.saveStatus));
    void clearDraft(desk, changeScope(update.id));
    onClose();
  }, [status, desk, update.id, onClose, messages]);
  const title = messages.desk.about(messages.desk.actions.edit, updateLabel(messages, update));
  return (
    <EditorPanel name={`edit ${update.id}`} title={title} onClose={onClose}>
      <OpenElsewhereNote presence={desk.presence} id={update.id} />
      <NewerVersionNote desk={desk} editor={editor} />
      {update.filed_by && <FiledMessage desk={desk} update={update} />}
      <Editor desk={desk} editor={editor} isReady={isReady} onClose={onClose} />
    </EditorPanel>
  );
}

/** Actions that this person may run on an update, directly or in a panel. */
function RowActions({ desk, update, context, isPinned, $drafts }: RowProps) {
  const messages = useMessages();
  const container = useRef<HTMLDivElement>(null);
  const [task] = useState(makeTask);
  const state = useShared(task.$state);
  const actions = actionsOn(update, desk.person, isPinned ? update.id : null);
  const hasHistory = update.version > 1;
  if (actions.length === 0 && !hasHistory) return null;

  const runRowAction = async (action: UpdateActionName) => {
    if (action === 'edit' || action === 'spike' || action === 'withdraw') {
      desk.view.$open.set({ id: update.id, panel: action });
      return;
    }
    if (
      !(await task.run(() => runAction(messages, desk, update, { kind: action }, messages.desk.done[action])))
    )
      return;
    await desk.sync.refresh();
    // Frozen rows would hide the result of one's own action.
    desk.updates.list.showAll();
    // The pressed button may be gone. The focus moves to the row, or to the outbox where the command waits.
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return;
      (container.current?.closest('li') ?? document.querySelector<HTMLElement>('.outgoing'))?.focus();
    });
  };
  const about = updateLabel(messages, update);
  return (
    <>
      <div className="row-actions" ref={container}>
        {actions.map((action) => (
          <button
            key={action}
            type="button"
            data-action={action}
            aria-label={messages.desk.about(actionLabel(messages, action, update), about)}
            disabled={action === 'publish' && !context.acceptsUpdates}
            onClick={() => runRowAction(action)}
          >
            {actionLabel(messages, action, update)}
          </button>
        ))}
        {hasHistory && (
          <button
            type="button"
            aria-label={messages.desk.about(messages.corrections.desk.history, about)}
            onClick={() => desk.view.$open.set({ id: update.id, panel: 'history' })}
          >
            {messages.corrections.desk.history}
          </button>
        )}
      </div>
      <TaskNote state={state} slug={context.slug} />
      {update.state === 'published' &&
        actions.includes('edit') &&
        update.body.some(({ type }) => type === 'post') && <PostCheck desk={desk} update={update} />}
      {update.state === 'published' && (
        <WordPressDraft desk={desk} update={update} $drafts={$drafts} slug={context.slug} />
      )}
    </>
  );
}

const actionLabel = (messages: DeskMessages, action: UpdateActionName, { state }: DeskUpdate) =>
  action === 'publish' && state === 'scheduled'
    ? messages.desk.schedule.publishNow
    : messages.desk.actions[action];

/** Shows that another person is editing an update. */
export function EditedBy({ presence, id }: { presence: DeskPresence; id: string }) {
  const messages = useMessages();
  const others = useShared(presence.$others) ?? [];
  const names = editorsOf(others, id);
  return names.length > 0 && <b className="flag edited-by">{messages.desk.presence.editing(names)}</b>;
}

/** Time, state, number, byline and flags of an update. */
function RowLine({ desk, update, context, isPinned }: RowProps) {
  const messages = useMessages();
  const clock = deskClock(messages, { time_zone: context.timeZone });
  const at = update.published_at ?? update.created_at;
  return (
    <p className="row-line">
      <time dateTime={machineTime(at)}>
        <b>{clockTime(at, clock)}</b> {shortDay(at, clock, at)}
      </time>
      <b>
        {update.scheduled_for
          ? scheduledFor(messages, update.scheduled_for, clock)
          : messages.desk.updateStates[update.state]}
      </b>
      {update.number && (
        <a href={`/live/${context.slug}/${update.number}`}>{messages.desk.list.number(update.number)}</a>
      )}
      {update.bylines.length > 0 && (
        <span className="by">
          {messages.desk.list.by(
            formatList(
              update.bylines.map((person) => person.display_name),
              messages.language,
            ),
          )}
        </span>
      )}
      {flags(messages, update, isPinned).map((flag) => (
        <b key={flag} className="flag">
          {flag}
        </b>
      ))}
      <EditedBy presence={desk.presence} id={update.id} />
    </p>
  );
}

const scheduledFor = (messages: DeskMessages, at: string, clock: Clock) =>
  messages.desk.schedule.stands(clockTime(at, clock), shortDay(at, clock, at), clock.timeZone);

function flags(messages: DeskMessages, update: RowProps['update'], isPinned: boolean): string[] {
  return [
    ...(isPinned ? [messages.desk.list.pinned] : []),
    ...(update.filed_by
      ? [messages.deskList.filed.by(FILING_CHANNELS[update.filed_by] ?? update.filed_by)]
      : []),
    ...(update.urgency === 'normal' ? [] : [messages.desk.urgencies[update.urgency]]),
    ...(update.key_event ? [messages.desk.list.keyEvent] : []),
    ...(update.corrected_at
      ? [messages.desk.list.corrected]
      : update.revised_at
        ? [messages.desk.list.revised]
        : []),
  ];
}

/** Names of the channels, the same in all languages. */
const FILING_CHANNELS: Record<string, string> = { telegram: 'Telegram' };

/** Photos of an update in the list, and the number of missing ones. */
function RowPhotos({ photos }: Pick<DeskUpdate, 'photos'>) {
  const messages = useMessages();
  if (photos.length === 0) return null;
  const count = (state: 'uploading' | 'refused') => photos.filter((photo) => photo.state === state).length;
  const [uploading, refused] = [count('uploading'), count('refused')];
  return (
    <div className="row-photos">
      {photos.map(
        ({ id, state, alt, width, height }) =>
          state === 'ready' && (
            <img
              key={id}
              src={deskPhotoPath(id, PHOTO_WIDTHS[0])}
              alt={alt ?? ''}
              width={width ?? undefined}
              height={height ?? undefined}
              loading="lazy"
              decoding="async"
            />
          ),
      )}
      {uploading > 0 && <span className="help">{messages.deskPhotos.row.uploading(uploading)}</span>}
      {refused > 0 && <span className="help">{messages.deskPhotos.row.refused(refused)}</span>}
    </div>
  );
}

/** Length of the excerpt of a published update in characters. */
const EXCERPT_LENGTH = 240;

/** Text of an update. Unpublished text is shown in full, because an editor decides on it. */
function RowText({ update, context }: { update: DeskUpdate; context: RowContext }) {
  const messages = useMessages();
  const { state, headline, body, photos, desk_note, withdrawn_reason } = update;
  const { language } = context;
  const { reader } = messagesIn(messages, language);
  const formatTime = (at: string) => shortTime(at, update.created_at, context);
  const queryWords = context.query === '' ? [] : context.query.split(' ');
  const languageProps = { lang: messages.language, dir: directionOf(messages.language) };
  return (
    <div className="words" lang={language} dir={directionOf(language)}>
      {headline && <h3>{headline}</h3>}
      {state === 'published' ? (
        <p>{excerptOf(update, queryWords)}</p>
      ) : (
        <BodyBlocks messages={reader} formatTime={formatTime} body={body} atDesk />
      )}
      <MatchBeside update={update} queryWords={queryWords} />
      {state !== 'withdrawn' && <RowPhotos photos={photos} />}
      {state === 'withdrawn' && (
        <p>
          <b {...languageProps}>{messages.desk.list.reason}</b> {withdrawn_reason}
        </p>
      )}
      {body.length === 0 && !headline && state !== 'withdrawn' && (
        <p className="help" {...languageProps}>
          {messages.desk.list.noWords}
        </p>
      )}
      {desk_note && (
        <p className="desk-note">
          <b {...languageProps}>{messages.desk.list.deskNote}</b> {desk_note}
        </p>
      )}
    </div>
  );
}

/** The beginning of the text, or the part around a match. */
function excerptOf({ body }: DeskUpdate, queryWords: string[]): string {
  if (queryWords.length === 0) return excerpt(body, EXCERPT_LENGTH);
  return shorten(excerptAround(bodyText(body), queryWords, EXCERPT_LENGTH), EXCERPT_LENGTH);
}

/** Matching fields that a row does not show otherwise. */
function MatchBeside({ update, queryWords }: { update: DeskUpdate; queryWords: string[] }) {
  const messages = useMessages();
  return (['dateline', 'attribution'] as const).map((field) => {
    const text = update[field] ?? '';
    if (matchRanges(text, queryWords).length === 0) return null;
    return (
      <p key={field} className="match-beside">
        <b lang={messages.language}>{messages.deskList[field]}</b> {text}
      </p>
    );
  });
}

const PANELS = { edit: EditPanel, history: HistoryPanel, spike: SpikePanel, withdraw: WithdrawPanel };

/** Coverage data that all rows share, as plain values, so that rows render only when a value changes. */
type RowContext = {
  slug: string;
  timeZone: string;
  language: string;
  /** Whether the coverage accepts publications. */
  acceptsUpdates: boolean;
  /** Normalized search words, separated by spaces. */
  query: string;
};

export function rowContextOf(coverage: DeskCoverage, query: string[]): RowContext {
  return {
    slug: coverage.slug,
    ...clockOf(coverage),
    acceptsUpdates: acceptsUpdates(coverage.state),
    query: query.join(' '),
  };
}

type RowProps = {
  desk: Desk;
  update: DeskUpdate;
  context: RowContext;
  /** Whether this update is pinned. */
  isPinned: boolean;
  $drafts: DraftsStore;
  /** Panel that is open in the row. */
  panel: OpenPanel['panel'] | null;
};

/** One update in the desk's list: its state, text and actions. */
export function UpdateRow(props: RowProps) {
  const messages = useMessages();
  const { desk, update, context, panel } = props;
  const row = useRef<HTMLLIElement>(null);
  const close = useCallback(() => {
    desk.view.$open.set(null);
    desk.updates.list.showAll();
    row.current?.focus();
  }, [desk]);
  const Panel = panel && PANELS[panel];
  return (
    <li
      ref={row}
      id={`update-${update.id}`}
      tabIndex={-1}
      className={`desk-row ${update.state}${panel ? ' open' : ''}`}
      aria-label={rowLabel(messages, update)}
    >
      <RowLine {...props} />
      {panel !== 'edit' && <RowText update={update} context={context} />}
      {update.schedule_error_code && (
        <p className="refused">{messages.desk.schedule.refused(update.schedule_error_code)}</p>
      )}
      {panel !== 'edit' && update.filed_by && <FiledMessage desk={desk} update={update} />}
      {Panel ? <Panel desk={desk} update={update} onClose={close} /> : <RowActions {...props} />}
    </li>
  );
}

/** Accessible name of a row. */
const rowLabel = (messages: DeskMessages, { state, headline, body }: DeskUpdate) =>
  `${messages.desk.updateStates[state]}: ${headline ?? (excerpt(body, 80) || messages.desk.list.noWords)}`;
