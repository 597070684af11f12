import { atom, type ReadableAtom } from 'nanostores';
import { type PhotoTexts, photoContent } from '../../lib/data/photo-form.ts';
import { type Body, photoIds } from '../../lib/domain/body/blocks.ts';
import type { DeskCoverage } from '../../lib/domain/desk-coverages.ts';
import type { DeskPerson } from '../../lib/domain/permissions.ts';
import { type DeskUpdate, updateContent } from '../../lib/domain/updates.ts';
import { refusal } from '../../lib/i18n/refusals.ts';
import type { DeskBackend } from '../desk/backend.ts';
import type { DeskConnection } from '../desk/refetch.ts';
import { refusalOf } from '../desk/task.ts';
import { onOutboxEvent } from '../outbox/broadcast.ts';
import type { WaitingPhoto } from '../outbox/entries.ts';
import { changeFollowUp, readFollowUps, type StoredFollowUp } from '../outbox/follow-ups.ts';
import { isTemporary } from '../outbox/retry.ts';
import { withLock } from '../outbox/sender.ts';
import type { Photos } from './photos.ts';

/** Photos that publications left out. They are added once they are uploaded and have alt text. */
export type PhotoFollowUps = {
  /** Follow-ups of the person in this coverage, oldest first. */
  $stored: ReadableAtom<StoredFollowUp[]>;
  changeText(followUp: StoredFollowUp, photo: string, texts: Partial<PhotoTexts>): Promise<void>;
  /** Adds a photo to its update as soon as possible. */
  add(followUp: StoredFollowUp, photo: string): Promise<void>;
  /** Deletes a photo that shall not be added. */
  discard(followUp: StoredFollowUp, photo: string): Promise<void>;
  /** Starts adding photos. Returns a function that stops it. */
  start(): () => void;
};

type FollowUpsDesk = {
  person: Pick<DeskPerson, 'id'>;
  $coverage: ReadableAtom<DeskCoverage>;
  photos: Photos;
  backend: DeskBackend;
  updates: { read(update: string): Promise<DeskUpdate | undefined> };
  $connection: ReadableAtom<DeskConnection | null>;
  refresh(): Promise<void>;
  /** Called after photos were added to an update. */
  onAdded(count: number, number: number | null): void;
};

/** Attempts in a row when other people save the update at the same time. */
const MAX_CONFLICTS = 5;

export function makePhotoFollowUps(desk: FollowUpsDesk): PhotoFollowUps {
  const { person, $coverage, updates, $connection, photos, backend } = desk;
  const $stored = atom<StoredFollowUp[]>([]);
  let isRunning = false;
  let isRequestedAgain = false;

  async function show(): Promise<void> {
    const stored = await readFollowUps(person.id, $coverage.get().id);
    if (JSON.stringify(stored) !== JSON.stringify($stored.get())) $stored.set(stored);
    const ids = stored.flatMap(({ form }) => form.photos.map(({ id }) => id));
    if (ids.length > 0) void photos.expect(ids, []);
  }

  /** Runs one pass at a time, and another one after a request that arrives meanwhile. */
  function request(): void {
    isRequestedAgain = true;
    if (!isRunning) void run();
  }

  async function run(): Promise<void> {
    isRunning = true;
    try {
      while (isRequestedAgain) {
        isRequestedAgain = false;
        await runOnce();
      }
    } finally {
      isRunning = false;
    }
  }

  async function runOnce(): Promise<void> {
    await show();
    if ($connection.get()?.state !== 'current' || !$stored.get().some(isDue)) return;
    // Another tab may add the same photos.
    await withLock(`follow-ups.${person.id}`, addAll);
    await show();
  }

  const isUploaded = (id: string) => photos.$photos.get()[id]?.step === 'ready';
  const isReady = ({ id, isDescribed, refusal }: WaitingPhoto) => isDescribed && !refusal && isUploaded(id);
  /** Whether the publication was answered and a photo can be added. */
  const isDue = ({ base, form }: StoredFollowUp) => base.command === null && form.photos.some(isReady);

  async function addAll(): Promise<void> {
    for (const followUp of await readFollowUps(person.id, $coverage.get().id)) {
      if (isDue(followUp)) await addPhotos(followUp);
    }
  }

  async function addPhotos(followUp: StoredFollowUp): Promise<void> {
    const ready = followUp.form.photos.filter(isReady);
    const ids = ready.map(({ id }) => id);
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      try {
        const update = await updates.read(followUp.id);
        // Also after an earlier attempt whose answer was lost.
        const missing = ids.filter((id) => !photoIds(update?.body ?? []).includes(id));
        if (update?.state !== 'published') return await refuse(followUp, ids);
        if (missing.length > 0) await revise(update, followUp, ready, missing);
        await removePhotos(followUp, ids);
        desk.onAdded(ids.length, update.number);
        return await desk.refresh();
      } catch (error) {
        const problem = refusalOf(error);
        if (problem.code === 'conflict') continue;
        if (isTemporary(problem) || problem.code === 'signed_out') return;
        return await changeFollowUp(followUp, (stored) =>
          stored.map((photo) => (ids.includes(photo.id) ? { ...photo, refusal: problem } : photo)),
        );
      }
    }
  }

  async function revise(
    update: DeskUpdate,
    { form }: StoredFollowUp,
    ready: WaitingPhoto[],
    missing: string[],
  ): Promise<void> {
    const coverage_id = $coverage.get().id;
    for (const photo of ready) {
      const content = photoContent(photo);
      await backend.execute('save_photo', { photo_id: photo.id, coverage_id, content });
    }
    const content = { ...updateContent(update), body: bodyWithPhotos(update.body, form.body, missing) };
    await backend.execute('revise_update', { update_id: update.id, version: update.version, content });
  }

  /** The update was withdrawn, so its photos wait for a decision. */
  const refuse = (followUp: StoredFollowUp, ids: string[]) =>
    changeFollowUp(followUp, (stored) =>
      stored.map((photo) => (ids.includes(photo.id) ? { ...photo, refusal: refusal('bad_state') } : photo)),
    );

  const removePhotos = (followUp: StoredFollowUp, ids: string[]) =>
    changeFollowUp(followUp, (stored) => stored.filter(({ id }) => !ids.includes(id)));

  const changePhoto = (followUp: StoredFollowUp, id: string, part: Partial<WaitingPhoto>) =>
    changeFollowUp(followUp, (stored) =>
      stored.map((photo) => (photo.id === id ? { ...photo, ...part } : photo)),
    );

  return {
    $stored,
    changeText: (followUp, photo, texts) => changePhoto(followUp, photo, { ...texts, isDescribed: false }),
    add: (followUp, photo) => changePhoto(followUp, photo, { isDescribed: true, refusal: null }),
    async discard(followUp, photo) {
      await removePhotos(followUp, [photo]);
      photos.cancel([photo]);
    },
    start() {
      const stops = [
        onOutboxEvent((event) => {
          if (event.type === 'drafts' && event.person === person.id) request();
        }),
        photos.$photos.listen(() => $stored.get().length > 0 && request()),
        $connection.listen(() => $stored.get().length > 0 && request()),
      ];
      request();
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

/**
 * Adds photos to a stored body: at the place that their author chose while the text is unchanged, otherwise at the end.
 * @param planned body of the update with all its photos, when it was published
 */
export function bodyWithPhotos(stored: Body, planned: Body, added: string[]): Body {
  const withPhotos = (ids: string[]) =>
    planned.filter((block) => block.type !== 'photo' || ids.includes(block.photo));
  const present = photoIds(stored);
  if (canonical(withPhotos(present)) === canonical(stored)) return withPhotos([...present, ...added]);
  return [...stored, ...added.map((photo) => ({ type: 'photo' as const, photo }))];
}

/** The database orders the keys of JSON objects differently. */
const canonical = (body: Body) =>
  JSON.stringify(body, (_, value) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
