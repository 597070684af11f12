import { atom, type ReadableAtom } from 'nanostores';
import type { Saver } from '../../lib/data/desk-updates.ts';
import type { PhotoProblems } from '../../lib/data/photo-form.ts';
import {
  EMPTY_FORM,
  type FormProblems,
  formOf,
  isBlank,
  type UpdateForm,
} from '../../lib/data/update-form.ts';
import { isClosed as isCoverageOver } from '../../lib/domain/desk.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import { loadErrorMessages, type Refusal } from '../../lib/i18n/refusals.ts';
import type { Desk } from '../desk/desk.ts';
import type { DeskMessages } from '../desk/messages.tsx';
import { deleteUnsentDraft } from '../outbox/commands.ts';
import { deleteDraft } from '../outbox/drafts.ts';
import type { BaseVersion, Draft, EditedUpdate, QueuedCommand } from '../outbox/entries.ts';
import type { QueuedCommandView } from '../outbox/outbox.ts';
import {
  buildCommand,
  changesOtherPhotos,
  type SaveAction,
  type SaveStatus,
  saveStatusOf,
  statusMessageOf,
} from '../outbox/save.ts';
import type { DraftStore } from './draft-store.ts';
import { type EditorPhotos, editorPhotos, photosAtDesk } from './editor-photos.ts';
import { conflictWith, isEarlierTry, mergeNewer, type RefusedSave, readConflict } from './newer-version.ts';

/** Delay of an autosave after the last key press, in milliseconds. */
const AUTOSAVE_DELAY_MS = 1000;

/** Parts of the desk that an editor uses. */
type EditorDesk = Omit<Desk, 'watch' | 'backend'>;

type Autosave = {
  /** Schedules a save. */
  schedule(): void;
  /** Cancels the scheduled save. */
  cancel(): void;
};

/** Saves when typing pauses. */
function makeAutosave(save: () => Promise<unknown>): Autosave {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    schedule() {
      clearTimeout(timer);
      timer = setTimeout(() => void save(), AUTOSAVE_DELAY_MS);
    },
    cancel() {
      clearTimeout(timer);
    },
  };
}

export type EditorStatus =
  | { step: 'writing' }
  /** The command is being stored. */
  | { step: 'sending' }
  /** The command was stored. `saveStatus` changes with its result until something else is typed. */
  | { step: 'sent'; saveStatus: SaveStatus; id: string }
  | { step: 'wrong'; problems: FormProblems; photos: PhotoProblems }
  /** `theirs`: the stored version, when another person saved first. */
  | (RefusedSave & {
      step: 'refused';
      /** An autosave was refused: the error must not take the keyboard focus. */
      isUnasked?: boolean;
    });

export type EditorStore = {
  /** Whether it is the composer. The next update can be typed while the previous one is stored. */
  isNew: boolean;
  $edited: ReadableAtom<EditedUpdate>;
  $status: ReadableAtom<EditorStatus>;
  /** Whether the text survives this page. False when the browser stores nothing or is full. */
  $isStored: ReadableAtom<boolean>;
  /** Whether the stored draft was loaded. Typing before that would conflict with it. */
  $isReady: ReadableAtom<boolean>;
  /**
   * Loads the stored draft. Call after the first rendering, because the server has no drafts. Returns a function that
   * stops the editor.
   */
  start(): () => void;
  change(part: Partial<UpdateForm>): void;
  photos: EditorPhotos;
  /** Stores a save command in the outbox, which sends it. */
  send(action: SaveAction): Promise<void>;
  /** Content that a choice between two versions has put aside. */
  $aside: ReadableAtom<UpdateForm | null>;
  /** Continues with `form` on top of another version. The form that was not chosen is put aside. */
  rebase(before: DeskUpdate, form: UpdateForm): void;
  /** Exchanges the current form with the one put aside. */
  swapAside(): void;
  /** Discards the form. */
  clear(): void;
  /** Compares or merges with a newer version before saving. @param saver the person who saved it, if known */
  compare(theirs: DeskUpdate, saver: Saver | null): Promise<void>;
};

/**
 * An editor for a new update, or for `before`.
 * @param reopenedCommand a refused or held command whose content is edited
 */
export function makeEditor(
  messages: DeskMessages,
  desk: EditorDesk,
  draftStore: DraftStore,
  before?: DeskUpdate,
  reopenedCommand?: QueuedCommandView,
): EditorStore {
  const $edited = atom<EditedUpdate>(reopenedCommand?.edited ?? newEditedUpdate(messages, desk, before));
  const $status = atom<EditorStatus>({ step: 'writing' });
  const $aside = atom<UpdateForm | null>(null);
  const $isStored = atom(true);
  const $isReady = atom(false);
  /** Whether the editor is visible. Otherwise results are announced for the page. */
  let isOpen = false;
  /** Whether a command is being stored in the outbox. */
  let isStoring = false;
  /** Content of the last autosave. */
  let lastSentContent = '';
  let lastAction: SaveAction | undefined;
  /** Stops waiting for a pause of sending. */
  let stopWaiting: (() => void) | undefined;
  const isNew = !before && !reopenedCommand;
  /** The panel of an update stays open until its command is answered or waits on this device. */
  const panelOf = reopenedCommand ? undefined : before;

  function setEdited(edited: EditedUpdate): void {
    $edited.set(edited);
    if (isNew) desk.view.$composing.set(isBlank(edited.form) && edited.version === null ? null : edited.id);
  }

  function store({ id, form, before: original }: EditedUpdate, base?: BaseVersion, isEmptied = false): void {
    const content = { id, form, before: original ?? null, base, aside: $aside.get() };
    const onStored = (isStored: boolean) => $isStored.set(isStored);
    if (isEmptied) draftStore.empty(content, onStored);
    else draftStore.save(content, onStored);
  }

  /** @param base set when the form gets another base version */
  function set(edited: EditedUpdate, base?: BaseVersion): void {
    setEdited(edited);
    const { id, form } = edited;
    // A stored draft at the desk is emptied there too.
    store(edited, base, isBlank(form) && edited.version === null);
    desk.presence.reportEditing(isBlank(form) ? null : edited.before ? id : 'new');
    if (isDraftOfOwn(desk, edited) && !reopenedCommand) autosave.schedule();
  }

  const autosave = makeAutosave(async () => {
    const edited = $edited.get();
    // After a conflict the backend refuses every autosave until a version is chosen.
    if ($status.get().step === 'refused') return;
    if (isCoverageOver(desk.$coverage.get().state)) return;
    const draft = await draftStore.flushed();
    if (edited !== $edited.get() || draft?.id !== edited.id) return;
    if (isBlank(edited.form)) return clear();
    const built = buildCommand(messages, desk, edited, { kind: 'auto' }, draft.base);
    // The text of such a photo may be on a live page. It waits in the draft for a save that the person asks for.
    if (built.problems || changesOtherPhotos(desk, built.command)) return;
    const content = JSON.stringify(built.command.calls);
    if (content === lastSentContent) return;
    lastSentContent = content;
    await desk.outbox.add({ ...built.command, edited: null }, { draft });
  });

  /** Begins the next update, or the same one again. */
  function reset(): void {
    autosave.cancel();
    desk.presence.reportEditing(null);
    lastSentContent = '';
    setEdited(newEditedUpdate(messages, desk, before));
    $isStored.set(true);
    $aside.set(null);
  }

  /** Cancels uploads of photos that no version uses. */
  function cancelUnusedPhotos(namedIds: string[], unusedBefore: string[]): void {
    desk.photos.cancel(unusedBefore.filter((id) => !namedIds.includes(id)));
  }

  function change(part: Partial<UpdateForm>): void {
    const current = $edited.get();
    const edited = { ...current, form: { ...current.form, ...part } };
    if (panelOf && $status.get().step === 'sending') return;
    if (isStoring) {
      // The draft store still holds the update that is being stored. `send` stores the next one afterwards.
      if (isNew) setEdited(edited);
      return;
    }
    set(edited);
    const status = $status.get();
    // The link to a published update and its undo stay beside the next update.
    const isPublished = isNew && status.step === 'sent' && status.saveStatus.kind === 'published';
    if (['sent', 'wrong'].includes(status.step) && !isPublished) $status.set({ step: 'writing' });
  }

  async function send(action: SaveAction): Promise<void> {
    if (isStoring || $status.get().step === 'sending') return;
    const edited = $edited.get();
    const built = buildCommand(messages, desk, edited, action, { version: edited.version, command: null });
    if (built.problems) return $status.set({ step: 'wrong', ...built });
    const unusedBefore = [...photosAtDesk(desk, edited), ...idsOf($aside.get())];
    lastAction = action;
    $status.set({ step: 'sending' });
    isStoring = true;
    // The next update can be typed at once.
    if (isNew) reset();
    else autosave.cancel();
    let queued: QueuedCommand;
    try {
      const draft = await draftStore.flushed();
      const source = { draft, ...(reopenedCommand ? { replaces: reopenedCommand.id } : {}) };
      queued = await desk.outbox.add(built.command, source, (command) => handleResult(command));
    } catch (error) {
      isStoring = false;
      if (isNew) bringBack(edited);
      $status.set({ step: 'writing' });
      throw error;
    }
    draftStore.release();
    isStoring = false;
    const showKept = () => {
      const isPublication = action.kind === 'publish';
      if ($status.get().step === 'sending') showSent({ kind: 'kept', isPublication }, edited.id);
    };
    if (!panelOf) showKept();
    else if ($status.get().step === 'sending') stopWaiting = desk.outbox.onPause(queued.id, showKept);
    if (isNew && !isBlank($edited.get().form)) set($edited.get());
    cancelUnusedPhotos(idsOf(edited.form), unusedBefore);
  }

  /** Returns a form that could not be stored, beside words that were typed meanwhile. */
  function bringBack(edited: EditedUpdate): void {
    if (isBlank($edited.get().form)) setEdited(edited);
    else $aside.set(edited.form);
  }

  function showSent(saveStatus: SaveStatus, id: string): void {
    if (!isNew) reset();
    $status.set({ step: 'sent', saveStatus, id });
  }

  function handleResult(command: QueuedCommand): void {
    const { kind, result, subject: id } = command;
    stopWaiting?.();
    const status = $status.get();
    if (panelOf && isOpen && command.state === 'refused' && status.step === 'sending') {
      void takeBack(command, panelOf.id);
      return;
    }
    const saveStatus: SaveStatus = result ? saveStatusOf(kind, result) : { kind: 'refused' };
    const isShownHere = status.step === 'sent' && status.id === id;
    const isPublished = isNew && status.step === 'writing' && saveStatus.kind === 'published';
    if (status.step === 'sending' && !isNew) showSent(saveStatus, id);
    else if (status.step === 'sending' || (isOpen && (isShownHere || isPublished))) {
      if (isNew && saveStatus.kind === 'published') desk.view.$published.set(id);
      $status.set({ step: 'sent', saveStatus, id });
    } else desk.view.$announcement.set(statusMessageOf(messages, saveStatus));
    void desk.sync.refresh();
  }

  /** Takes the content of a refused command back into the open panel, and loads the version that was saved first. */
  async function takeBack({ id, refusal }: QueuedCommand, scope: string): Promise<void> {
    const draft = await desk.outbox.returnDraft(id, scope);
    if (!draft || !refusal) return showSent({ kind: 'refused' }, scope);
    draftStore.adopt(draft);
    setEdited({ ...$edited.get(), version: draft.base.version });
    await loadErrorMessages();
    const conflict = await readConflict(desk, $edited.get(), refusal);
    const isMerged = await mergeConflict(conflict);
    $status.set(isMerged ? { step: 'writing' } : { step: 'refused', ...conflict });
    void desk.sync.refresh();
    if (isMerged && lastAction) await send(lastAction);
  }

  /** Merges changes of tables with the newer version. Returns whether nothing is left to compare. */
  async function mergeConflict({ theirs }: RefusedSave): Promise<boolean> {
    const edited = $edited.get();
    const merged = theirs && (await mergeNewer(messages, desk, edited, theirs));
    if (!merged || edited !== $edited.get()) return false;
    const { result: form, conflicts } = merged;
    const { version } = theirs;
    if (conflicts > 0) set({ ...edited, form });
    else set({ ...edited, version, before: theirs, form }, { version, command: null });
    if (conflicts === 0) desk.view.$announcement.set(messages.desk.conflict.merged);
    return conflicts === 0;
  }

  function loadDraft(draft: Draft): void {
    const opened = newestOf(before, draft.before as DeskUpdate | null);
    const form = withAllFields(draft.form);
    $aside.set(draft.aside ? withAllFields(draft.aside) : null);
    setEdited({ id: draft.id, version: draft.base.version, form, ...(opened ? { before: opened } : {}) });
  }

  function restoreReturnedDraft(draft: Draft): void {
    draftStore.adopt(draft);
    loadDraft(draft);
    $status.set({ step: 'writing' });
    desk.view.$announcement.set(messages.outbox.tookBack);
  }

  /** Loads the other person's version after a conflict. If it is our own lost attempt, it becomes the base. */
  async function compareVersions({ edited, refusal }: QueuedCommandView): Promise<void> {
    if (!edited || !refusal) return;
    const conflict = await readConflict(desk, edited, refusal);
    if (await mergeConflict(conflict)) return;
    $status.set({ step: 'refused', ...conflict });
    const { theirs } = conflict;
    if (theirs && isEarlierTry(theirs, edited)) {
      set(
        { ...$edited.get(), version: theirs.version, before: theirs },
        { version: theirs.version, command: null },
      );
    }
  }

  /** Shows the conflict of a refused autosave. */
  async function showConflict(refusal: Refusal): Promise<void> {
    await loadErrorMessages();
    const edited = $edited.get();
    const conflict = await readConflict(desk, edited, refusal);
    if (!conflict.theirs || $edited.get().id !== edited.id || $status.get().step !== 'writing') return;
    if (await mergeConflict(conflict)) return;
    $status.set({ step: 'refused', ...conflict, isUnasked: true });
  }

  function clear(): void {
    const edited = $edited.get();
    if (reopenedCommand) void desk.outbox.discard(reopenedCommand.id);
    const unusedBefore = [...idsOf(edited.form), ...idsOf($aside.get())];
    const namedIds = photosAtDesk(desk, edited);
    const isStoredAtDesk = isNew && !edited.before;
    void draftStore.delete(async (draft) => {
      if (!isStoredAtDesk) return deleteDraft(draft);
      // A draft that autosaves stored at the desk is spiked.
      if (!(await deleteUnsentDraft(draft))) await desk.outbox.add(spikeCommand(draft), { draft });
    });
    reset();
    $status.set({ step: 'writing' });
    cancelUnusedPhotos(namedIds, unusedBefore);
  }

  return {
    isNew,
    $edited,
    $status,
    $isStored,
    $isReady,
    start() {
      isOpen = true;
      const stops = [
        draftStore.onBaseChange(({ id, base: { version } }) => {
          // The next update may have been begun meanwhile.
          if (id === $edited.get().id) setEdited({ ...$edited.get(), version });
        }),
        draftStore.onRefused((refusal) => void showConflict(refusal)),
      ];
      if (isNew)
        stops.push(
          desk.outbox.onReturnedDraft(restoreReturnedDraft, () => !isStoring && isBlank($edited.get().form)),
        );
      void loadStored();
      return () => {
        isOpen = false;
        for (const stop of stops) stop();
      };
    },
    change,
    photos: editorPhotos(desk, { $edited, $aside, change }),
    send,
    $aside,
    rebase(theirs, form) {
      const own = $edited.get().form;
      $aside.set(form === own ? formOf(messages, theirs, desk.$coverage.get().time_zone) : own);
      const { id, version } = theirs;
      set({ id, version, before: theirs, form }, { version, command: null });
      $status.set({ step: 'writing' });
    },
    async compare(theirs, saver) {
      const conflict = conflictWith(desk, theirs, saver);
      if (!(await mergeConflict(conflict))) $status.set({ step: 'refused', ...conflict, isUnasked: true });
    },
    swapAside() {
      const edited = $edited.get();
      const form = $aside.get() ?? edited.form;
      $aside.set(edited.form);
      set({ ...edited, form });
    },
    clear,
  };

  async function loadStored(): Promise<void> {
    const content = $isReady.get() ? null : await draftStore.read();
    // The desk had this content, and possibly a newer version since.
    const isOutdated = content?.isSaved && before && before.version >= (content.base.version ?? 0);
    if (content && !isOutdated) loadDraft(content);
    else if (content?.aside) {
      $aside.set(withAllFields(content.aside));
      store($edited.get(), { version: $edited.get().version, command: null });
    } else if (content) await draftStore.delete();
    $isReady.set(true);
    const { form, before: opened } = $edited.get();
    void desk.photos.expect([...idsOf(form), ...idsOf($aside.get())], opened?.photos ?? []);
    if (reopenedCommand) await compareVersions(reopenedCommand);
    else if (content?.refusal) await showConflict(content.refusal);
  }
}

/** A new update, or an own draft: only these are saved automatically. */
export function isDraftOfOwn({ person }: Pick<Desk, 'person'>, { before }: EditedUpdate): boolean {
  return !before || (before.state === 'draft' && before.author === person.id);
}

function spikeCommand({ id, base }: Draft) {
  const calls = [{ action: 'spike_update', args: { update_id: id }, isVersioned: true }];
  return { subject: id, kind: 'spike' as const, base, calls, title: '', edited: null };
}

/** A stored form of an earlier build may lack fields. */
const withAllFields = (form: unknown): UpdateForm => ({ ...EMPTY_FORM, ...(form as Partial<UpdateForm>) });

/** The newer of two versions of an update: as opened now, or as stored with the draft. */
function newestOf(opened: DeskUpdate | undefined, content: DeskUpdate | null): DeskUpdate | undefined {
  return content && content.version > (opened?.version ?? 0) ? content : opened;
}

const idsOf = (form: Pick<UpdateForm, 'photos'> | null) => (form?.photos ?? []).map(({ id }) => id);

function newEditedUpdate(
  messages: DeskMessages,
  { $coverage }: Pick<Desk, '$coverage'>,
  before?: DeskUpdate,
): EditedUpdate {
  if (!before) return { id: crypto.randomUUID(), version: null, form: EMPTY_FORM };
  return {
    id: before.id,
    version: before.version,
    before,
    form: formOf(messages, before, $coverage.get().time_zone),
  };
}
