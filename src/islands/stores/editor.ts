import { atom, type ReadableAtom } from 'nanostores';
import { isOver as isCoverageOver } from '../../lib/desk/coverage.ts';
import { EMPTY_FORM, type FormProblems, formOf, isBlank, type UpdateForm } from '../../lib/desk/form.ts';
import type { DeskUpdate } from '../../lib/desk/update.ts';
import type { Refusal } from '../../lib/http/errors.ts';
import type { Base, Draft, Press } from '../../lib/outbox/kept.ts';
import type { PhotoProblems } from '../../lib/photos/form.ts';
import { outbox } from '../../lib/text/outbox.ts';
import type { Keeper } from '../browser/kept-work.ts';
import { makeAutosave } from './autosave.ts';
import type { Desk } from './desk.ts';
import { type EditorPhotos, editorPhotos, namedPhotos } from './editor-photos.ts';
import type { Outgoing } from './outbox.ts';
import { type Saving, type Sent, sentOf } from './save.ts';
import { sentenceOf } from './saying.ts';
import { sendable } from './sendable.ts';

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
  /** It is being kept: a moment. */
  | { step: 'sending' }
  /** It is on its way; `what` becomes what it comes to, for as long as nothing else is written here. */
  | { step: 'sent'; what: Sent; id: string }
  | { step: 'wrong'; problems: FormProblems; photos: PhotoProblems }
  /** `theirs`: the version that is there now, when somebody was faster. */
  | {
      step: 'refused';
      refusal: Refusal;
      theirs?: DeskUpdate;
      /** Nobody has pressed: it must not take the keys from whoever writes. */
      isUnasked?: boolean;
    };

export type Editor = {
  $work: ReadableAtom<Work>;
  $status: ReadableAtom<EditorStatus>;
  /** Whether the words outlive this page; not where a browser keeps nothing or is full. */
  $isKept: ReadableAtom<boolean>;
  /** Whether what this device has kept was taken up: what is typed before that would stand in its way. */
  $isReady: ReadableAtom<boolean>;
  /** Takes up what this device has kept. Not before the first rendering: the server has kept nothing. Returns what ends it. */
  start(): () => void;
  change(part: Partial<UpdateForm>): void;
  photos: EditorPhotos;
  /** Presses: keeps it on this device, from where it is sent. */
  send(saving: Saving): Promise<void>;
  /** The words that a choice between two versions has put aside. */
  $aside: ReadableAtom<UpdateForm | null>;
  /** Goes on over another version, with these words; of those that stood here and that version's, the others are put aside. */
  rebase(before: DeskUpdate, form: UpdateForm): void;
  /** Brings the words back that were put aside, and puts these aside. */
  swap(): void;
  /** Throws the words away. */
  clear(): void;
};

/**
 * An editor of one update: a new one, or `before` opened again.
 * @param reopened a press that was refused or taken back, whose words are written on here
 */
export function makeEditor(desk: Desk, keeper: Keeper, before?: DeskUpdate, reopened?: Outgoing): Editor {
  const $work = atom<Work>(reopened?.work ?? begin(desk, before));
  const $status = atom<EditorStatus>({ step: 'writing' });
  const $aside = atom<UpdateForm | null>(null);
  const $isKept = atom(true);
  const $isReady = atom(false);
  /** Whether anybody sees this editor: else what becomes of a press is said for the whole page. */
  let isOpen = false;
  /** The content that the desk was told of last. */
  let told = '';
  const isNew = !before && !reopened;

  function show(work: Work): void {
    $work.set(work);
    if (isNew) desk.$composing.set(isBlank(work.form) && work.version === null ? null : work.id);
  }

  function keep({ id, form, before: over }: Work, base?: Base): void {
    const kept = { id, form, before: over ?? null, base, aside: $aside.get() };
    keeper.keep(kept, (isKept) => $isKept.set(isKept));
  }

  /** @param base other than before, when the words are written over another version from now on */
  function set(work: Work, base?: Base): void {
    show(work);
    const { id, form } = work;
    // What the desk has already is emptied there too, not forgotten here alone.
    if (isBlank(form) && work.version === null) void keeper.drop();
    else keep(work, base);
    desk.wrote(isBlank(form) ? null : work.before ? id : 'new');
    if (isDraftOfOwn(desk, work) && !reopened) autosave.touch();
  }

  const autosave = makeAutosave(async () => {
    const work = $work.get();
    // Until somebody has chosen between the two versions the desk would refuse it again.
    if ($status.get().step === 'refused') return;
    if (isCoverageOver(desk.$coverage.get().state)) return;
    const draft = await keeper.settled();
    if (work !== $work.get() || draft?.id !== work.id) return;
    if (isBlank(work.form)) return clear();
    const made = sendable(desk, work, { kind: 'auto' }, draft.base);
    const content = made.problems ? told : JSON.stringify(made.pressed.calls);
    if (made.problems || content === told) return;
    told = content;
    await desk.outbox.press({ ...made.pressed, work: null }, { draft });
  });

  /** The next words are those of another update, or of the same one anew. */
  function finish(status: EditorStatus): void {
    autosave.stop();
    desk.wrote(null);
    told = '';
    show(begin(desk, before));
    $isKept.set(true);
    $aside.set(null);
    $status.set(status);
  }

  /** What no version of the update names is not brought any more. */
  function forgetBut(named: string[], left: string[]): void {
    desk.photos.forget(left.filter((id) => !named.includes(id)));
  }

  function change(part: Partial<UpdateForm>): void {
    // What is being kept as a press is not changed any more: it would be gone with it.
    if ($status.get().step === 'sending') return;
    const work = $work.get();
    set({ ...work, form: { ...work.form, ...part } });
    if (['sent', 'wrong'].includes($status.get().step)) $status.set({ step: 'writing' });
  }

  async function send(saving: Saving): Promise<void> {
    if ($status.get().step === 'sending') return;
    const work = $work.get();
    const made = sendable(desk, work, saving, { version: work.version, press: null });
    if (made.problems) return $status.set({ step: 'wrong', ...made });
    autosave.stop();
    $status.set({ step: 'sending' });
    const draft = await keeper.settled();
    const from = { draft, ...(reopened ? { instead: reopened.id } : {}) };
    await desk.outbox.press(made.pressed, from, (press) => report(press));
    keeper.release();
    const left = [...namedPhotos(desk, work), ...idsOf($aside.get())];
    if ($status.get().step === 'sending') finish({ step: 'sent', what: { kind: 'kept' }, id: work.id });
    forgetBut(idsOf(work.form), left);
  }

  function report({ kind, answered, subject: id }: Press): void {
    const what: Sent = answered ? sentOf(kind, answered) : { kind: 'refused' };
    const status = $status.get();
    if (status.step === 'sending') finish({ step: 'sent', what, id });
    else if (isOpen && status.step === 'sent' && status.id === id) $status.set({ step: 'sent', what, id });
    else desk.$said.set(sentenceOf(what));
    void desk.refresh();
  }

  function take(draft: Draft): void {
    const opened = newerOf(before, draft.before as DeskUpdate | null);
    const form = filled(draft.form);
    $aside.set(draft.aside ? filled(draft.aside) : null);
    show({ id: draft.id, version: draft.base.version, form, ...(opened ? { before: opened } : {}) });
  }

  function bringBack(draft: Draft): void {
    keeper.adopt(draft);
    take(draft);
    $status.set({ step: 'writing' });
    desk.$said.set(outbox.tookBack);
  }

  /** Somebody has changed meanwhile what was refused: both are shown. Our own earlier try is gone on from. */
  async function compare({ work, refusal }: Outgoing): Promise<void> {
    if (!work || !refusal) return;
    const theirs = await newer(desk, work, refusal);
    $status.set({ step: 'refused', refusal, theirs });
    if (theirs && isEarlierTry(theirs, work)) {
      set(
        { ...$work.get(), version: theirs.version, before: theirs },
        { version: theirs.version, press: null },
      );
    }
  }

  /** Somebody else has saved what is written here: said at once, and not only to whoever presses. */
  async function sayRefused(refusal: Refusal): Promise<void> {
    const work = $work.get();
    const theirs = await newer(desk, work, refusal);
    if (!theirs || $work.get().id !== work.id || $status.get().step !== 'writing') return;
    $status.set({ step: 'refused', refusal, theirs, isUnasked: true });
  }

  function clear(): void {
    const work = $work.get();
    if (reopened) void desk.outbox.throwAway(reopened.id);
    const left = [...idsOf(work.form), ...idsOf($aside.get())];
    const named = namedPhotos(desk, work);
    const isAtDesk = isNew && !work.before;
    void keeper.settled().then((draft) => {
      // What the desk was told of without anybody pressing goes from there too.
      if (isAtDesk && draft && (draft.base.version !== null || draft.base.press)) {
        void desk.outbox.press(spiking(work, draft.base), { draft });
        keeper.release();
      } else void keeper.drop();
    });
    finish({ step: 'writing' });
    forgetBut(named, left);
  }

  return {
    $work,
    $status,
    $isKept,
    $isReady,
    start() {
      isOpen = true;
      const stops = [
        keeper.onBase(({ version }) => show({ ...$work.get(), version })),
        keeper.onRefused((refusal) => void sayRefused(refusal)),
      ];
      if (isNew) stops.push(desk.outbox.bringTo(bringBack, () => isBlank($work.get().form)));
      void takeUp();
      return () => {
        isOpen = false;
        for (const stop of stops) stop();
      };
    },
    change,
    photos: editorPhotos(desk, { $work, $aside, change }),
    send,
    $aside,
    rebase(theirs, form) {
      const own = $work.get().form;
      $aside.set(form === own ? formOf(theirs, desk.$coverage.get().time_zone) : own);
      const { id, version } = theirs;
      set({ id, version, before: theirs, form }, { version, press: null });
      $status.set({ step: 'writing' });
    },
    swap() {
      const work = $work.get();
      const form = $aside.get() ?? work.form;
      $aside.set(work.form);
      set({ ...work, form });
    },
    clear,
  };

  async function takeUp(): Promise<void> {
    const kept = $isReady.get() ? null : await keeper.read();
    // The desk has had these very words, and perhaps newer ones since.
    const isOld = kept?.isSaved && before && before.version >= (kept.base.version ?? 0);
    if (kept && !isOld) take(kept);
    else if (kept?.aside) {
      $aside.set(filled(kept.aside));
      keep($work.get(), { version: $work.get().version, press: null });
    } else if (kept) await keeper.drop();
    $isReady.set(true);
    const { form, before: opened } = $work.get();
    void desk.photos.expect([...idsOf(form), ...idsOf($aside.get())], opened?.photos ?? []);
    if (reopened) await compare(reopened);
    else if (kept?.refusal) await sayRefused(kept.refusal);
  }
}

/** A new update of one's own, or one's own draft opened again: what the desk has without anybody pressing. */
function isDraftOfOwn(desk: Desk, { before }: Work): boolean {
  return !before || (before.state === 'draft' && before.author === desk.person.id);
}

function spiking({ id }: Work, base: Base) {
  const calls = [{ action: 'spike_update', args: { update_id: id }, isVersioned: true }];
  return { subject: id, kind: 'spike' as const, base, calls, title: '', work: null };
}

/** Nobody has saved between our last answer and what the desk has: it is a try of ours whose answer was lost. */
function isEarlierTry(theirs: DeskUpdate, { version, before }: Work): boolean {
  return !before && theirs.version === (version ?? 1);
}

/** A form as it was kept, perhaps by an earlier build that had fewer fields. */
const filled = (form: unknown): UpdateForm => ({ ...EMPTY_FORM, ...(form as Partial<UpdateForm>) });

/** An update as it was opened now, or as it was when its words were gone on with: whichever is newer. */
function newerOf(opened: DeskUpdate | undefined, kept: DeskUpdate | null): DeskUpdate | undefined {
  return kept && kept.version > (opened?.version ?? 0) ? kept : opened;
}

const idsOf = (form: Pick<UpdateForm, 'photos'> | null) => (form?.photos ?? []).map(({ id }) => id);

function begin(desk: Desk, before?: DeskUpdate): Work {
  if (!before) return { id: crypto.randomUUID(), version: null, form: EMPTY_FORM };
  return {
    id: before.id,
    version: before.version,
    before,
    form: formOf(before, desk.$coverage.get().time_zone),
  };
}

/** Somebody else's version, or our own of a try whose answer was lost: either way the words to compare with. */
async function newer(desk: Desk, work: Work, { code }: Refusal): Promise<DeskUpdate | undefined> {
  if (code !== 'conflict' && code !== 'bad_state') return undefined;
  const row = await desk.look(work.id).catch(() => undefined);
  return row && (row.version !== work.version || !work.before) ? row : undefined;
}
