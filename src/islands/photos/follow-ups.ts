import { atom, type ReadableAtom } from 'nanostores';
import type { PhotoTexts } from '../../lib/data/photo-form.ts';
import type { DeskCoverage } from '../../lib/domain/desk.ts';
import type { DeskPerson } from '../../lib/domain/permissions.ts';
import type { DeskBackend } from '../desk/backend.ts';
import { onOutboxEvent } from '../outbox/broadcast.ts';
import type { WaitingPhoto } from '../outbox/entries.ts';
import { changeFollowUp, readFollowUps, type StoredFollowUp } from '../outbox/follow-ups.ts';
import type { Photos } from './photos.ts';
import { type FollowUpSender, startFollowUpSender } from './send-follow-ups.ts';

/** Photos that publications left out. They are added once they are uploaded and have alt text. */
export type PhotoFollowUps = {
  /** Follow-ups of the person in this coverage, oldest first. */
  $stored: ReadableAtom<StoredFollowUp[]>;
  changeText(followUp: StoredFollowUp, photo: string, texts: Partial<PhotoTexts>): Promise<void>;
  /** Adds a photo to its update as soon as possible. */
  add(followUp: StoredFollowUp, photo: string): Promise<void>;
  /** Deletes a photo that shall not be added. */
  discard(followUp: StoredFollowUp, photo: string): Promise<void>;
  /** Retries at once, because the newsroom is reachable again. */
  sendNow(): void;
  /** Starts adding the photos of all the person's coverages. Returns a function that stops it. */
  start(): () => void;
};

type FollowUpsDesk = {
  person: Pick<DeskPerson, 'id'>;
  $coverage: ReadableAtom<DeskCoverage>;
  photos: Photos;
  backend: DeskBackend;
  /** Called after photos were added to an update of this coverage. */
  onAdded(count: number, number: number | null): void;
};

export function makePhotoFollowUps(desk: FollowUpsDesk): PhotoFollowUps {
  const { person, $coverage, photos, backend } = desk;
  const $stored = atom<StoredFollowUp[]>([]);
  let sender: FollowUpSender | undefined;
  let lastShow = Promise.resolve();

  /** Runs in sequence, so that an older read cannot replace a newer one. */
  function show(): Promise<void> {
    lastShow = lastShow.then(async () => {
      const stored = await readFollowUps(person.id, $coverage.get().id);
      if (JSON.stringify(stored) !== JSON.stringify($stored.get())) $stored.set(stored);
      const ids = stored.flatMap(({ form }) => form.photos.map(({ id }) => id));
      if (ids.length > 0) void photos.expect(ids, []);
    });
    return lastShow;
  }

  const changePhoto = (followUp: StoredFollowUp, id: string, part: Partial<WaitingPhoto>) =>
    changeFollowUp(followUp, (stored) =>
      stored.map((photo) => (photo.id === id ? { ...photo, ...part } : photo)),
    );

  return {
    $stored,
    changeText: (followUp, photo, texts) => changePhoto(followUp, photo, { ...texts, isDescribed: false }),
    add: (followUp, photo) => changePhoto(followUp, photo, { isDescribed: true, refusal: null }),
    async discard(followUp, photo) {
      await changeFollowUp(followUp, (stored) => stored.filter(({ id }) => id !== photo));
      photos.cancel([photo]);
    },
    sendNow: () => sender?.sendNow(),
    start() {
      const stopListening = onOutboxEvent((event) => {
        if (event.type === 'drafts' && event.person === person.id) void show();
      });
      sender = startFollowUpSender({
        person: person.id,
        photos,
        backend,
        onAdded({ coverage }, count, number) {
          if (coverage === $coverage.get().id) desk.onAdded(count, number);
        },
      });
      void show();
      return () => {
        stopListening();
        sender?.stop();
        sender = undefined;
      };
    },
  };
}
