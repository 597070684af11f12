import { atom, map, type ReadableAtom } from 'nanostores';
import { type FormPhoto, formPhoto, type PhotoWords, photoContent } from '../../lib/data/photo-form.ts';
import type { DeskPhoto } from '../../lib/domain/photos.ts';
import { photoRefusal, deskPhotos as says } from '../../lib/i18n/desk-photos.ts';
import { refusalOf } from '../desk/task.ts';
import type { PhotoAnswer, PhotoLine } from './photo-backend.ts';
import { NEW, type PhotoStatus, pictureOf, statusOf } from './photo-status.ts';
import type { PhotoShelf, ShelvedPhoto } from './photo-store.ts';
import { asItIs } from './resize.ts';
import { bringPhoto, giveUp, makeQueue } from './send-photo.ts';

export type Photos = {
  $photos: ReadableAtom<Record<string, PhotoStatus>>;
  /** Whether photos on their way outlive this page. */
  $isKept: ReadableAtom<boolean>;
  /** What became of the last ones, to be announced. */
  $said: ReadableAtom<string>;
  /** Takes up what this device has kept, of every desk of this person. Returns what ends it. */
  start(): () => void;
  /** Takes chosen files in. @returns the ids of the photos that they become, at once */
  add(update: string, files: readonly Blob[]): string[];
  /** Forgets photos that were chosen here and are not wanted after all. */
  forget(ids: string[]): void;
  /** Learns of the photos of an editor that this device does not bring. @param known what the desk tells of them */
  expect(ids: string[], known: DeskPhoto[]): Promise<void>;
  /** Those of the photos that can still become something. */
  hopeful(photos: FormPhoto[]): FormPhoto[];
  /** Those of the photos that the desk does not know, or not in these words; from now on it is taken to. */
  changedWords(photos: FormPhoto[], known: DeskPhoto[]): FormPhoto[];
  /** Does something while no photo is in its way. */
  textFirst<T>(work: () => Promise<T>): Promise<T>;
  /** To be told that the newsroom is reached again. */
  wake(): void;
};

/** A photo that nothing was done with yet. */
const UNTOUCHED = {
  shrinkings: 0,
  width: null,
  height: null,
  preview: null,
  isKnown: false,
  isSent: false,
  unmade: 0,
  refusal: null,
  isGivenUp: false,
};

/** So often a page may end while a photo is made smaller before that is left to the server. */
const MOST_SHRINKINGS = 2;

/** The page on which photos are brought. */
type Place = {
  /** The coverage whose photos it shows and takes in; null where it shows none. It brings those of all. */
  coverage: string | null;
  /** Is told whenever words begin to wait on this device, and when none do any more. Returns what ends it. */
  watchWords?: (tell: (wait: boolean) => void) => () => void;
};

/**
 * The photos of a desk's page: those that this device brings to the newsroom, one after another and behind all words, and
 * what is known of others.
 */
export function makePhotos(line: PhotoLine, shelf: PhotoShelf, { coverage, watchWords }: Place): Photos {
  const $photos = map<Record<string, PhotoStatus>>({});
  const $isKept = atom(true);
  const $said = atom('');
  /** What this page brings. */
  const bringing = new Map<string, ShelvedPhoto>();
  /** Photos whose words this page has sent: what an editor knew of them before may be old. */
  const worded = new Set<string>();
  /** What the desk says of photos that this page has asked after. */
  const told = new Map<string, string>();
  let shrinking = Promise.resolve();
  let started: Promise<void> | undefined;

  function show(id: string, part: Partial<PhotoStatus>): void {
    const photo = bringing.get(id);
    if (photo && photo.coverage !== coverage) return;
    const before = $photos.get()[id];
    $photos.setKey(id, { ...NEW, id, update: null, ...before, ...part });
  }

  async function save(id: string, words?: PhotoWords): Promise<PhotoAnswer> {
    const answer = await line.save(id, bringing.get(id)?.coverage ?? coverage ?? '', words);
    void change(id, { isKnown: true });
    return answer;
  }

  async function change(id: string, part: Partial<ShelvedPhoto>): Promise<void> {
    const photo = bringing.get(id);
    if (!photo) return;
    bringing.set(id, { ...photo, ...part });
    await shelf.change(id, part);
  }

  function leave(id: string): void {
    bringing.delete(id);
    queue.drop(id);
    void shelf.drop(id);
  }

  function end(id: string, { state, refusal }: PhotoAnswer): void {
    if (state === 'ready') {
      show(id, {
        step: 'ready',
        sent: 100,
        holdUp: null,
        picture: $photos.get()[id]?.picture ?? pictureOf(id),
      });
      leave(id);
      if (bringing.size === 0) $said.set(says.tray.allArrived);
    } else {
      void refuse(id, refusal ?? 'internal');
      $said.set(photoRefusal(refusal));
    }
  }

  /** Stays here until somebody has put it aside: who comes back later reads of it too. The file itself is not wanted any more. */
  async function refuse(id: string, refusal: string): Promise<void> {
    show(id, { step: 'refused', refusal });
    await change(id, { refusal, blob: new Blob() });
    queue.add(id);
  }

  function forget(ids: string[]): void {
    const left = { ...$photos.get() };
    for (const id of ids) {
      leave(id);
      if (left[id]?.update) delete left[id];
    }
    $photos.set(left);
  }

  const queue = makeQueue(async (id, signal) => {
    const photo = bringing.get(id);
    if (!photo) return 'over';
    if (photo.refusal) {
      const told = await giveUp(id, line);
      if (told !== 'over') return told;
      await change(id, { isGivenUp: true });
      bringing.delete(id);
      return told;
    }
    const tried = await bringPhoto(photo, signal, {
      line,
      isGone: async () => $isKept.get() && !(await shelf.get(id)),
      tell: () => save(id),
      change: (part) => void change(id, part),
      show: (part) => show(id, part),
    });
    if (tried === 'over') forget([id]);
    if (typeof tried === 'string') return tried;
    if (!bringing.has(id)) return 'over';
    end(id, tried);
    return tried.state === 'refused' ? 'further' : 'over';
  });

  /** Keeps a photo at once: a page that ends while it is made smaller does not lose it. */
  async function keep(photo: ShelvedPhoto): Promise<void> {
    bringing.set(photo.id, photo);
    $isKept.set(await shelf.put(photo));
  }

  function take(photo: ShelvedPhoto): void {
    const { id, update, width, height, preview, shrinkings, refusal, isGivenUp } = photo;
    if (!isGivenUp && !bringing.has(id)) bringing.set(id, photo);
    if (refusal) {
      show(id, { update, step: 'refused', refusal, width, height, picture: preview });
      if (!isGivenUp) queue.add(id);
    } else if (shrinkings === null) {
      show(id, { update, step: 'waiting', width, height, picture: preview });
      queue.add(id);
    } else shrinkLater(photo);
  }

  /** One after another: a phone has not the memory for several. */
  function shrinkLater(photo: ShelvedPhoto): void {
    show(photo.id, { update: photo.update });
    shrinking = shrinking.then(() => shrink(photo.id));
  }

  async function shrink(id: string): Promise<void> {
    const photo = bringing.get(id);
    // It was taken away meanwhile.
    if (!photo) return;
    const shrinkings = (photo.shrinkings ?? 0) + 1;
    await change(id, { shrinkings });
    try {
      // Where the page has ended over it again and again, the server has to do it.
      const shrunk = shrinkings > MOST_SHRINKINGS ? asItIs(photo.blob) : await line.shrink(photo.blob);
      await change(id, { ...shrunk, shrinkings: null });
      const made = bringing.get(id);
      if (made) take(made);
    } catch (error) {
      end(id, { state: 'refused', refusal: refusalOf(error).code });
    }
  }

  function load(): Promise<void> {
    started ??= shelf.all().then((photos) => photos.forEach(take));
    return started;
  }

  return {
    $photos,
    $isKept,
    $said,
    start() {
      let release: (() => void) | undefined;
      const letGo = () => {
        release?.();
        release = undefined;
      };
      const unwatch = watchWords?.((wait) => {
        if (wait) release ??= queue.hold();
        else letGo();
      });
      void load();
      const onOnline = () => queue.wake();
      window.addEventListener('online', onOnline);
      return () => {
        unwatch?.();
        letGo();
        window.removeEventListener('online', onOnline);
      };
    },
    add(update, files) {
      return files.map((blob) => {
        const id = crypto.randomUUID();
        const photo = { ...UNTOUCHED, id, update, coverage: coverage ?? '', blob, at: Date.now() };
        void keep(photo);
        shrinkLater(photo);
        return id;
      });
    },
    forget,
    async expect(ids, known) {
      await load();
      for (const photo of known) {
        told.set(photo.id, textOf(formPhoto(photo)));
        const here = $photos.get()[photo.id];
        const isOurs = bringing.has(photo.id) || here?.step === 'refused';
        if (!isOurs && !here?.picture) show(photo.id, statusOf(photo));
      }
      const unknown = ids.filter((id) => !$photos.get()[id]);
      if (unknown.length === 0) return;
      const found = await line.look(unknown).catch(() => null);
      for (const photo of found ?? []) {
        told.set(photo.id, textOf(formPhoto(photo)));
        show(photo.id, statusOf(photo));
      }
      const lost = found ? unknown.filter((id) => !$photos.get()[id]) : [];
      for (const id of lost) show(id, { step: 'missing' });
    },
    hopeful: (photos) =>
      photos.filter(({ id }) => !['refused', 'missing'].includes($photos.get()[id]?.step ?? 'waiting')),
    changedWords(photos, known) {
      const texts = new Map([
        ...told,
        ...known.map((photo) => [photo.id, textOf(formPhoto(photo))] as const),
      ]);
      const changed = photos.filter((photo) => worded.has(photo.id) || texts.get(photo.id) !== textOf(photo));
      for (const { id } of changed) worded.add(id);
      return changed;
    },
    async textFirst(work) {
      const release = queue.hold();
      try {
        return await work();
      } finally {
        release();
      }
    },
    wake: queue.wake,
  };
}

const textOf = (words: PhotoWords) => JSON.stringify(photoContent(words));
