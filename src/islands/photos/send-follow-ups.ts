import { updatesById } from '../../lib/data/desk.ts';
import { photoContent } from '../../lib/data/photo-form.ts';
import { type Body, canonicalJson, photoIds } from '../../lib/domain/body/blocks.ts';
import { type DeskUpdate, updateContent } from '../../lib/domain/updates.ts';
import { refusal } from '../../lib/i18n/refusals.ts';
import type { DeskBackend } from '../desk/backend.ts';
import { refusalOf } from '../desk/task.ts';
import { onOutboxEvent } from '../outbox/broadcast.ts';
import { devicePerson } from '../outbox/drafts.ts';
import type { WaitingPhoto } from '../outbox/entries.ts';
import { changeFollowUp, readFollowUps, type StoredFollowUp, sendableIds } from '../outbox/follow-ups.ts';
import { failedAttempt, isTemporary } from '../outbox/retry.ts';
import { type AttemptResult, makeSender, withLock } from '../outbox/sender.ts';
import type { Photos } from './photos.ts';

export type FollowUpSender = {
  /** Sends at once, after a change or when the backend is reachable again. */
  sendNow(): void;
  stop(): void;
};

type SenderOptions = {
  /** Id of the person whose photos are added. */
  person: string;
  photos: Pick<Photos, '$photos' | 'expect'>;
  backend: Pick<DeskBackend, 'read' | 'execute'>;
  /** Called after photos were added to an update. */
  onAdded?(followUp: StoredFollowUp, count: number, number: number | null): void;
};

/** Attempts in a row when other people save the update at the same time. */
const MAX_CONFLICTS = 5;

/**
 * Adds the photos that publications left out to their updates, in all coverages of a person, while a page is open. A
 * photo is added once it is uploaded and its alt text is finished. A lock allows one sender per device.
 */
export function startFollowUpSender({ person, photos, backend, onAdded }: SenderOptions): FollowUpSender {
  const sender = makeSender({ attempt });

  async function attempt(_: string, signal: AbortSignal): Promise<AttemptResult> {
    const signedIn = await devicePerson();
    if (signedIn !== null && signedIn !== person) return failedAttempt(refusal('signed_out'));
    const ids = (await readFollowUps(person)).flatMap(sendableIds);
    if (ids.length === 0) return 'done';
    await photos.expect(ids, []);
    const result = ids.some(isUploaded)
      ? await withLock(`follow-ups.${person}`, () => addAll(signal))
      : 'done';
    // The backend did not answer, or this page still uploads a photo of another coverage.
    const isUnknown = ids.some((id) => !photos.$photos.get()[id]);
    return result === 'done' && isUnknown ? failedAttempt(null) : result;
  }

  const isUploaded = (id: string) => photos.$photos.get()[id]?.step === 'ready';

  async function addAll(signal: AbortSignal): Promise<AttemptResult> {
    let result: AttemptResult = 'done';
    for (const followUp of await readFollowUps(person)) {
      const ids = sendableIds(followUp).filter(isUploaded);
      if (ids.length === 0) continue;
      if (signal.aborted) break;
      const added = await addPhotos(followUp, ids);
      if (added !== 'done') result = added;
    }
    return result;
  }

  async function addPhotos(followUp: StoredFollowUp, ids: string[]): Promise<AttemptResult> {
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      try {
        const [update] = await backend.read((client) => updatesById(client, [followUp.id]));
        // The update was withdrawn, so its photos wait for a decision.
        if (update?.state !== 'published') {
          await refuse(followUp, ids, refusal('bad_state'));
          return 'done';
        }
        // Also after an earlier attempt whose answer was lost.
        const missing = ids.filter((id) => !photoIds(update.body).includes(id));
        if (missing.length > 0) await revise(update, followUp, ids, missing);
        await changeFollowUp(followUp, (stored) => stored.filter(({ id }) => !ids.includes(id)));
        onAdded?.(followUp, ids.length, update.number);
        return 'done';
      } catch (error) {
        const problem = refusalOf(error);
        if (problem.code === 'conflict') continue;
        if (isTemporary(problem)) return failedAttempt(problem);
        await refuse(followUp, ids, problem);
        return 'done';
      }
    }
    return failedAttempt(null);
  }

  async function revise(
    update: DeskUpdate,
    { coverage: coverage_id, form }: StoredFollowUp,
    ids: string[],
    missing: string[],
  ): Promise<void> {
    for (const photo of form.photos.filter(({ id }) => ids.includes(id))) {
      const content = photoContent(photo);
      await backend.execute('save_photo', { photo_id: photo.id, coverage_id, content });
    }
    const content = { ...updateContent(update), body: bodyWithPhotos(update.body, form.body, missing) };
    await backend.execute('revise_update', { update_id: update.id, version: update.version, content });
  }

  const refuse = (followUp: StoredFollowUp, ids: string[], refusal: NonNullable<WaitingPhoto['refusal']>) =>
    changeFollowUp(followUp, (stored) =>
      stored.map((photo) => (ids.includes(photo.id) ? { ...photo, refusal } : photo)),
    );

  const request = () => void sender.add(person);
  const sendNow = () => {
    request();
    sender.retryNow();
  };
  const stops = [
    onOutboxEvent((event) => {
      if (event.type === 'device') sendNow();
      if (event.type === 'drafts' && event.person === person) request();
    }),
    photos.$photos.listen(request),
    sender.start(sendNow),
  ];
  request();
  return {
    sendNow,
    stop() {
      for (const stop of stops) stop();
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
  if (canonicalJson(withPhotos(present)) === canonicalJson(stored)) return withPhotos([...present, ...added]);
  return [...stored, ...added.map((photo) => ({ type: 'photo' as const, photo }))];
}
