import { type FunctionComponent, type ReactElement, useEffect, useRef, useState } from 'react';
import type { Saver } from '../../lib/data/desk-updates.ts';
import { editorsOf } from '../../lib/domain/desk.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import { formatList } from '../../lib/i18n/plural.ts';
import type { Desk } from '../desk/desk.ts';
import { type DeskMessages, useMessages } from '../desk/messages.tsx';
import type { DeskPresence } from '../desk/presence.ts';
import { deleteDraft, readDrafts } from '../outbox/drafts.ts';
import type { QueuedCommandView } from '../outbox/outbox.ts';
import { useShared } from '../shared/use-shared.ts';
import { type DraftStore, openDraftStore } from './draft-store.ts';
import { type EditorStore, isDraftOfOwn } from './editor.ts';
import { readSaver } from './newer-version.ts';

/** Input of a small panel, stored on this device until it is sent or emptied. */
type DraftForm<Form> = { form: Form; change(form: Form): void };

/** @param scope names the panel and its update */
export function useDraft<Form extends object>(
  desk: Pick<Desk, 'person' | '$coverage'>,
  id: string,
  scope: string,
  empty: Form,
): DraftForm<Form> {
  const [draftStore] = useState(() => openDraftStore(desk.person.id, desk.$coverage.get().id, scope));
  return useDraftIn(draftStore, id, empty);
}

/** @param id id of the subject */
export function useDraftIn<Form extends object>(
  draftStore: DraftStore,
  id: string,
  empty: Form,
): DraftForm<Form> {
  const [typed, setTyped] = useState<Form>();
  const [savedForm, setSavedForm] = useState<Form>();
  useEffect(() => {
    void draftStore.read().then((draft) => setSavedForm(draft ? (draft.form as Form) : undefined));
  }, [draftStore]);
  return {
    // Input that was typed before the draft was read is newer.
    form: typed ?? savedForm ?? empty,
    change(form) {
      setTyped(form);
      if (JSON.stringify(form) === JSON.stringify(empty)) void draftStore.delete();
      else draftStore.save({ id, form, before: null }, () => undefined);
    },
  };
}

/** Deletes the drafts of a panel after they were sent. */
export async function clearDraft(
  { person, $coverage }: Pick<Desk, 'person' | '$coverage'>,
  scope: string,
): Promise<void> {
  await clearDraftAt(person.id, $coverage.get().id, scope);
}

export async function clearDraftAt(person: string, coverage: string, scope: string): Promise<void> {
  const drafts = await readDrafts(person, coverage);
  await Promise.all(drafts.filter((draft) => draft.scope === scope).map(deleteDraft));
}

export const changeScope = (id: string) => `change/${id}`;
export const withdrawScope = (id: string) => `withdraw/${id}`;

/**
 * Whether a row's draft is open in the composer or is being sent. False in the first rendering, because the server
 * renders all rows.
 */
export function useIsElsewhere(desk: Pick<Desk, 'view' | 'outbox'>): (update: DeskUpdate) => boolean {
  const [isHydrated, setHydrated] = useState(false);
  useEffect(() => setHydrated(true), []);
  const composing = useShared(desk.view.$composing);
  const commands = useShared(desk.outbox.$commands);
  return ({ id, number }) =>
    isHydrated &&
    number === null &&
    (id === composing || commands.some((item) => item.subject === id && isBeingSent(item)));
}

/** A row stays in place while a command without text is being sent, so that the focus is not lost. */
const isBeingSent = ({ step, pauseReason, edited }: QueuedCommandView) =>
  step !== 'with_desk' && (edited !== null || pauseReason !== null || step === 'needs_you');

/** Warns before typing that other people have the update open. */
export function OpenElsewhereNote({ presence, id }: { presence: DeskPresence; id: string }) {
  const messages = useMessages();
  const names = editorsOf(useShared(presence.$others) ?? [], id);
  return (
    <p className="open-elsewhere" role="status">
      {names.length > 0 &&
        messages.deskList.somebodyEdits(formatList(names, messages.language), names.length)}
    </p>
  );
}

type NewerVersionProps = { desk: Pick<Desk, 'person' | 'updates'>; editor: EditorStore };

/**
 * Says while typing that another person saved the update, and offers to compare at once. Own drafts are saved while they
 * are typed, so that an autosave finds the newer version.
 */
export function NewerVersionNote({ desk, editor }: NewerVersionProps) {
  const messages = useMessages();
  const edited = useShared(editor.$edited);
  const { step } = useShared(editor.$status);
  const newest = useShared(desk.updates.$rows).find((update) => update.id === edited.id);
  const isNewer =
    newest !== undefined &&
    newest.version > (edited.version ?? 0) &&
    newest.state !== 'withdrawn' &&
    newest.state !== 'spiked' &&
    !isDraftOfOwn(desk, edited);
  const saver = useSaver(desk, isNewer ? newest : undefined);
  const isShown = isNewer && step === 'writing' && saver !== undefined;
  return (
    <p className="open-elsewhere" role="status">
      {isShown && (
        <>
          {newerMessage(messages, desk.person.id, saver)}{' '}
          <button type="button" onClick={() => editor.compare(newest, saver)}>
            {messages.deskList.compare}
          </button>
        </>
      )}
    </p>
  );
}

/** Returns the person who saved this version: undefined until the name was read, null if it is not known. */
function useSaver(desk: Pick<Desk, 'updates'>, newest: DeskUpdate | undefined): Saver | null | undefined {
  const [read, setRead] = useState<{ id: string; version: number; saver: Saver | null }>();
  // A row is replaced at every change. Only another version has another author.
  const { id, version } = newest ?? {};
  useEffect(() => {
    if (id === undefined || version === undefined) return;
    let isCurrent = true;
    void readSaver(desk, { id, version }).then((saver) => isCurrent && setRead({ id, version, saver }));
    return () => {
      isCurrent = false;
    };
  }, [desk, id, version]);
  // While the name of a still newer version is read, the previous one would be wrong.
  return read?.id === id && read?.version === version ? read?.saver : undefined;
}

function newerMessage({ deskList }: DeskMessages, me: string, saver: Saver | null): string {
  if (!saver) return deskList.newerSaved;
  return saver.id === me ? deskList.newerSavedByYou : deskList.newerSavedBy(saver.name);
}

type Values = Record<string, unknown>;

function isShallowEqual(a: Values, b: Values): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.is(a[key], b[key]));
}

/** Returns the previous object while all its values are the same. */
export function useStableProps<Kind extends Values>(value: Kind): Kind {
  const cache = useRef(value);
  if (!isShallowEqual(cache.current, value)) cache.current = value;
  return cache.current;
}

/**
 * Elements of a long list, reused while their props are the same, so that React skips them. React's `memo` is not in
 * the build, to keep the readers' scripts small.
 */
export function useMemoizedElements<Props extends Values>(
  Component: FunctionComponent<Props>,
): (key: string, props: Props) => ReactElement {
  const cache = useRef(new Map<string, { props: Props; element: ReactElement }>());
  return (key, props) => {
    const cached = cache.current.get(key);
    if (cached && isShallowEqual(cached.props, props)) return cached.element;
    const element = <Component key={key} {...props} />;
    cache.current.set(key, { props, element });
    return element;
  };
}
