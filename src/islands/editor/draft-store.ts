import type { Refusal } from '../../lib/i18n/refusals.ts';
import { onOutboxEvent } from '../outbox/broadcast.ts';
import {
  type DraftInput,
  deleteDraft,
  deleteSavedOnLeaving,
  draftChange,
  readDraft,
  readDrafts,
  saveDraft,
  saveOnLeaving,
} from '../outbox/drafts.ts';
import type { Draft } from '../outbox/entries.ts';
import { isDurable } from '../outbox/store.ts';
import { withLocalStorage } from '../shared/local-storage.ts';

/** Content of a draft. `base` is set only when it changes. */
type DraftContent = Pick<DraftInput, 'id' | 'form' | 'before' | 'base' | 'aside'>;

export type DraftStore = {
  /** The draft of this tab, else the newest one of any tab. */
  read(): Promise<Draft | null>;
  /**
   * Stores the content, after a running save.
   * @param onChange called with whether it survives the page
   */
  save(content: DraftContent, onChange: (isStored: boolean) => void): void;
  /**
   * Deletes the draft of an emptied form. If an autosave of it is at the desk or queued, stores the empty content
   * instead, so that further typing continues from that autosave.
   */
  empty(content: DraftContent, onChange: (isStored: boolean) => void): void;
  /** The stored draft, after all pending saves and deletions. */
  flushed(): Promise<Draft | null>;
  /** Continues with a stored draft, after all pending saves and deletions. */
  adopt(draft: Draft): void;
  /** Detaches from the stored draft, which became something else. The next content is stored as a new draft. */
  release(): void;
  /**
   * Deletes this tab's draft, but not one that is saved or adopted after this call. A version that another tab has
   * written since stays.
   * @param discard deletes the stored draft
   */
  delete(discard?: (draft: Draft) => Promise<unknown>): Promise<void>;
  /** Listens for a new base version after an autosave. Returns a function that stops listening. */
  onBaseChange(onChange: (draft: Pick<Draft, 'id' | 'base'>) => void): () => void;
  /** Listens for errors of autosaves. Returns a function that stops listening. */
  onRefused(onChange: (refusal: Refusal) => void): () => void;
};

/**
 * Stores drafts on this device, separately for each person and coverage. Each draft has its own key, because two tabs
 * may write at once.
 * @param scope the update's id, or `new` for the composer
 */
export function openDraftStore(person: string, coverage: string, scope: string): DraftStore {
  let current: Draft | null = null;
  /** The last change, until it is stored or deleted. */
  let unsaved: { input: DraftInput; changeId: string } | undefined;
  /** Id of the change that is being stored. */
  let savingId: string | undefined;
  /** The last of the running and queued tasks. */
  let running: Promise<void> | undefined;
  let reportRefused: ((refusal: Refusal) => void) | undefined;

  /** Runs a task after all earlier ones, even if one of them fails. */
  function enqueue(task: () => Promise<void>): Promise<void> {
    const queued = (running ?? Promise.resolve()).then(task, task);
    running = queued;
    void queued.finally(() => {
      if (running === queued) running = undefined;
    });
    return queued;
  }
  async function flushed(): Promise<Draft | null> {
    while (running) await running;
    return current;
  }
  /** The draft that a content continues. */
  const previousOf = ({ id }: DraftContent) => (current?.id === id ? current : null);
  function onLeave(): void {
    if (!unsaved) return;
    const { input, changeId } = unsaved;
    saveOnLeaving(draftChange(input, previousOf(input), changeId, savingId));
  }
  function setUnsaved(change: typeof unsaved): void {
    unsaved = change;
    if (change) globalThis.addEventListener?.('pagehide', onLeave);
    else globalThis.removeEventListener?.('pagehide', onLeave);
  }
  function release(): void {
    current = null;
    rememberDraftKey(scope, coverage, null);
  }
  async function deleteCurrent(discard: (draft: Draft) => Promise<unknown>): Promise<void> {
    const draft = current;
    release();
    if (draft) await discard(draft);
  }

  /** Reads the stored base, because the event of an autosave may be on its way. */
  async function isAutosaved(): Promise<boolean> {
    const stored = current ? await readDraft(current.key) : undefined;
    return stored !== undefined && (stored.base.version !== null || stored.base.command !== null);
  }
  /** @param isNeeded whether to store the content. Otherwise the draft is deleted */
  function queueSave(
    content: DraftContent,
    onChange: (isStored: boolean) => void,
    isNeeded = async () => true,
  ): void {
    const input = { ...content, person, coverage, scope };
    const changeId = crypto.randomUUID();
    setUnsaved({ input, changeId });
    /** Whether no newer change or deletion follows. */
    const isLast = () => unsaved?.changeId === changeId;
    void enqueue(async () => {
      if (!isLast()) return;
      if (!(await isNeeded())) {
        if (isLast()) setUnsaved(undefined);
        return deleteCurrent(deleteDraft);
      }
      const previous = previousOf(content);
      savingId = changeId;
      current = await saveDraft(input, previous, changeId);
      deleteSavedOnLeaving(changeId);
      if (isLast()) setUnsaved(undefined);
      rememberDraftKey(scope, coverage, current.key);
      onChange(isDurable());
      // The error arrived while this save was running.
      if (current.refusal && !previous?.refusal) reportRefused?.(current.refusal);
      requestPersistence();
    });
  }

  return {
    flushed,
    release,
    adopt(draft) {
      void enqueue(async () => {
        current = draft;
        rememberDraftKey(scope, coverage, draft.key);
      });
    },
    async read() {
      const drafts = (await readDrafts(person, coverage)).filter((draft) => draft.scope === scope);
      const ownKey = rememberedDraftKey(scope, coverage);
      current = drafts.find(({ key }) => key === ownKey) ?? drafts.at(-1) ?? null;
      return current;
    },
    save: (content, onChange) => queueSave(content, onChange),
    empty: (content, onChange) => queueSave(content, onChange, isAutosaved),
    delete(discard = deleteDraft) {
      setUnsaved(undefined);
      return enqueue(() => deleteCurrent(discard));
    },
    onBaseChange(onChange) {
      return onOutboxEvent(async (event) => {
        if (event.type !== 'drafts' || event.person !== person || !current || running) return;
        const stored = await readDraft(current.key);
        if (!stored || stored.changeId !== current?.changeId) return;
        const isOtherBase = JSON.stringify(stored.base) !== JSON.stringify(current.base);
        const refused = stored.refusal && !current.refusal ? stored.refusal : null;
        current = stored;
        if (refused) reportRefused?.(refused);
        if (isOtherBase) onChange(stored);
      });
    },
    onRefused(onChange) {
      reportRefused = onChange;
      return () => {
        reportRefused = undefined;
      };
    },
  };
}

/** Remembers which of several drafts belongs to this tab. */
function rememberDraftKey(scope: string, coverage: string, key: string | null): void {
  try {
    if (key) sessionStorage.setItem(`stoppress.draft.${coverage}.${scope}`, key);
    else sessionStorage.removeItem(`stoppress.draft.${coverage}.${scope}`);
  } catch {
    // Without session storage the newest draft is used.
  }
}

function rememberedDraftKey(scope: string, coverage: string): string | null {
  try {
    return sessionStorage.getItem(`stoppress.draft.${coverage}.${scope}`);
  } catch {
    return null;
  }
}

let isPersistRequested = false;

/** A browser that runs out of space deletes data that is not persistent. */
function requestPersistence(): void {
  if (isPersistRequested || typeof navigator === 'undefined') return;
  isPersistRequested = true;
  void navigator.storage?.persist?.().catch(() => undefined);
}

/** A line of text that this browser remembers from its last use. */
type RememberedLine = { read(): string; save(line: string): void };

/**
 * Last dateline of a person in a coverage.
 * @param person id of the person
 */
export const rememberedDateline = (person: string, coverage: string): RememberedLine =>
  rememberedLine(`stoppress.dateline.${person}.${coverage}`);

/**
 * Last photo credit that a person entered.
 * @param person id of the person
 */
export const rememberedCredit = (person: string): RememberedLine =>
  rememberedLine(`stoppress.credit.${person}`);

function rememberedLine(key: string): RememberedLine {
  return {
    read: () => withLocalStorage((storage) => storage.getItem(key)) ?? '',
    save(line) {
      withLocalStorage((storage) => (line.trim() ? storage.setItem(key, line) : storage.removeItem(key)));
    },
  };
}
