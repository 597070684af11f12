import { atom, type ReadableAtom } from 'nanostores';
import {
  EMPTY_FORM,
  type FormProblems,
  formContent,
  formOf,
  formProblems,
  isBlank,
  type UpdateForm,
} from '../../lib/desk/form.ts';
import { timeProblem } from '../../lib/desk/schedule.ts';
import type { DeskUpdate } from '../../lib/desk/update.ts';
import type { Refusal } from '../../lib/http/errors.ts';
import { LIMITS } from '../../lib/limits.ts';
import { type PhotoProblems, photoProblems } from '../../lib/photos/form.ts';
import { desk as words } from '../../lib/text/desk.ts';
import type { Keeper } from '../browser/kept-work.ts';
import type { Desk } from './desk.ts';
import { type EditorPhotos, editorPhotos, namedPhotos } from './editor-photos.ts';
import { refusalOf } from './refusal-of.ts';
import { type Saving, type Sent, save } from './save.ts';

/** What is being written, and over what. */
export type Work = {
  id: string;
  /** The version it will be saved over; null when the desk has none. */
  version: number | null;
  /** The update as it was when the writing began; none for a new one. */
  before?: DeskUpdate;
  form: UpdateForm;
};

export type EditorStatus =
  | { step: 'writing' }
  | { step: 'sending' }
  | { step: 'sent'; what: Sent; id: string }
  | { step: 'wrong'; problems: FormProblems; photos: PhotoProblems }
  /** `theirs`: the version that is there now, when somebody was faster. */
  | { step: 'refused'; refusal: Refusal; theirs?: DeskUpdate };

export type Editor = {
  $work: ReadableAtom<Work>;
  $status: ReadableAtom<EditorStatus>;
  /** Whether the words outlive this page; not where a browser keeps nothing or is full. */
  $isKept: ReadableAtom<boolean>;
  /**
   * Takes up what this device has kept, and sends what waits when somebody has signed in again. Not before
   * the first rendering: the server has kept nothing. Returns what ends it.
   */
  start(): () => void;
  change(part: Partial<UpdateForm>): void;
  photos: EditorPhotos;
  /** Saves; while one is under way, pressing again does nothing. */
  send(saving: Saving): Promise<void>;
  /** The words that a choice between two versions has put aside. */
  $aside: ReadableAtom<UpdateForm | null>;
  /** Goes on over another version, with these words; those that stood here are put aside. */
  rebase(before: DeskUpdate, form: UpdateForm): void;
  /** Brings the words back that were put aside, and puts these aside. */
  swap(): void;
  /** Throws the words away. */
  clear(): void;
};

/** An editor of one update: a new one, or `before` opened again. */
export function makeEditor(desk: Desk, keeper: Keeper, before?: DeskUpdate): Editor {
  const $work = atom<Work>(begin(before));
  const $status = atom<EditorStatus>({ step: 'writing' });
  const $aside = atom<UpdateForm | null>(null);
  const $isKept = atom(true);
  /** What waits for somebody to sign in again. */
  let waiting: Saving | undefined;

  function set(work: Work): void {
    // A press was for the words that stood there.
    waiting = undefined;
    $work.set(work);
    if (isBlank(work.form)) keeper.drop();
    else $isKept.set(keeper.keep({ id: work.id, version: work.version, form: work.form }));
    desk.wrote(isBlank(work.form) ? null : work.before ? work.id : 'new');
  }

  function finish(status: EditorStatus): void {
    waiting = undefined;
    keeper.drop();
    desk.wrote(null);
    $work.set(begin(before));
    $isKept.set(true);
    $aside.set(null);
    $status.set(status);
  }

  /** What no version of the update names is not brought any more. */
  function forgetBut(named: string[], left: string[]): void {
    desk.photos.forget(left.filter((id) => !named.includes(id)));
  }

  function change(part: Partial<UpdateForm>): void {
    // What is on its way is not changed any more: it would be gone with it.
    if ($status.get().step === 'sending') return;
    const work = $work.get();
    set({ ...work, form: { ...work.form, ...part } });
    if (isOver($status.get())) $status.set({ step: 'writing' });
  }

  async function send(saving: Saving): Promise<void> {
    if ($status.get().step === 'sending') return;
    const work = $work.get();
    // A photo that cannot become one holds nothing up: the update goes without it.
    const photos = desk.photos.hopeful(work.form.photos);
    const content = formContent({ ...work.form, photos }, work.before);
    const wrongPhotos = photoProblems(work.form.photos, saving.kind !== 'save', idsOf({ photos }));
    const problems = {
      ...formProblems(content, saving.kind === 'save' ? 0 : 1),
      ...problemOfTime(desk, saving),
      ...(lacksNote(saving) ? { note: words.problems.note(LIMITS.note) } : {}),
    };
    if (Object.keys({ ...problems, ...wrongPhotos }).length > 0) {
      return $status.set({ step: 'wrong', problems, photos: wrongPhotos });
    }
    waiting = undefined;
    $status.set({ step: 'sending' });
    try {
      const saved = (version: number) => set({ ...$work.get(), version });
      const what = await desk.photos.textFirst(async () => {
        await desk.photos.saveWords(photos, work.before?.photos ?? []);
        return save(desk, saving, { ...work, content }, saved);
      });
      const left = [...namedPhotos(desk, work), ...idsOf($aside.get())];
      finish({ step: 'sent', what, id: work.id });
      forgetBut(idsOf(work.form), left);
    } catch (error) {
      const refusal = refusalOf(error);
      const theirs = await newer(desk, work, refusal);
      $status.set({ step: 'refused', refusal, theirs });
      if (refusal.code === 'signed_out') waiting = saving;
      if (theirs && isEarlierTry(theirs, work)) return goOn(theirs, saving);
    }
    void desk.refresh();
  }

  /**
   * The id was made here, so what the desk has under it is an earlier try of ours whose answer was lost. A
   * draft is saved over; what went out is changed in the open, which is for the person to press.
   */
  async function goOn(ours: DeskUpdate, saving: Saving): Promise<void> {
    set({ ...$work.get(), version: ours.version, before: ours });
    if (ours.number !== null || ours.state === 'spiked') return;
    $status.set({ step: 'writing' });
    await send(saving);
  }

  return {
    $work,
    $status,
    $isKept,
    start() {
      const kept = keeper.read();
      if (kept) $work.set({ ...$work.get(), ...kept, form: { ...EMPTY_FORM, ...kept.form } });
      const { form, before: opened } = $work.get();
      const ids = form.photos.map(({ id }) => id);
      void desk.photos.expect(ids, opened?.photos ?? []);
      return desk.$connection.listen((connection) => {
        if (!waiting || connection?.state !== 'current') return;
        desk.$said.set(words.status.backAgain);
        void send(waiting);
      });
    },
    change,
    photos: editorPhotos(desk, { $work, $aside, change }),
    send,
    $aside,
    rebase(theirs, form) {
      $aside.set($work.get().form);
      set({ id: theirs.id, version: theirs.version, before: theirs, form });
      $status.set({ step: 'writing' });
    },
    swap() {
      const work = $work.get();
      const form = $aside.get() ?? work.form;
      $aside.set(work.form);
      set({ ...work, form });
    },
    clear() {
      const work = $work.get();
      const left = [...idsOf(work.form), ...idsOf($aside.get())];
      finish({ step: 'writing' });
      forgetBut(namedPhotos(desk, work), left);
    },
  };
}

/** What a status says is not true any more once the words are others: waiting for a session was for the old ones. */
function isOver(status: EditorStatus): boolean {
  if (status.step === 'refused') return status.refusal.code === 'signed_out';
  return status.step === 'sent' || status.step === 'wrong';
}

/** Nobody has saved between our last answer and what the desk has: it is a try of ours whose answer was lost. */
function isEarlierTry(theirs: DeskUpdate, { version, before }: Work): boolean {
  return !before && theirs.version === (version ?? 1);
}

function problemOfTime(desk: Desk, saving: Saving): FormProblems {
  if (saving.kind !== 'schedule') return {};
  const scheduled_for = timeProblem(saving.at, desk.$coverage.get().time_zone);
  return scheduled_for ? { scheduled_for } : {};
}

const idsOf = (form: Pick<UpdateForm, 'photos'> | null) => (form?.photos ?? []).map(({ id }) => id);

function lacksNote(saving: Saving): boolean {
  return saving.kind === 'change' && saving.as !== 'revision' && saving.note.trim() === '';
}

function begin(before?: DeskUpdate): Work {
  if (!before) return { id: crypto.randomUUID(), version: null, form: EMPTY_FORM };
  return { id: before.id, version: before.version, before, form: formOf(before) };
}

/** Somebody else's version, or our own of a try whose answer was lost: either way the words to compare with. */
async function newer(desk: Desk, work: Work, { code }: Refusal): Promise<DeskUpdate | undefined> {
  if (code !== 'conflict' && code !== 'bad_state') return undefined;
  const row = await desk.look(work.id).catch(() => undefined);
  return row && (row.version !== work.version || !work.before) ? row : undefined;
}
