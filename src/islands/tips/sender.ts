import { createStore, del, get, set, type UseStore, values } from 'idb-keyval';
import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import type { Taken, TipText } from '../../lib/data/tip-form.ts';
import { type Refusal, Refused, refusal } from '../../lib/i18n/refusals.ts';
import { tips as messages } from '../../lib/i18n/tips.ts';
import { keepReceipt, LONGEST_KEPT_MS, setTipsWait } from './draft.ts';
import { type RefusedTip, refusedTip, type TipPhoto, type TipStatus } from './store.ts';
import { develop, photoIn, placeAgain, tellTip, untilHeard, urlOf, whoIsHere } from './tip-backend.ts';

/** A tip that was pressed, as it is kept on this device until the newsroom has all of it. */
export type PressedTip = {
  /** Made at the press: however often it is sent, it is one tip. */
  id: string;
  /** When it was pressed: milliseconds. */
  at: number;
  /** What it says, and how it was written. Gone from here as soon as the newsroom has it. */
  said: { text: TipText; website: string; took_ms?: number | undefined } | null;
  /** The id of whose account shows it; null for nobody's. */
  person: string | null;
  /** Made small; kept until it has arrived. */
  photo: { id: string; blob: Blob } | null;
  /** Once the newsroom has the words: what shows what becomes of them. */
  receipt: string | null;
  /** Where the photo goes, and how far along its upload is. */
  upload: Taken['upload'];
  uploadUrl?: string;
};

/** Keeps pressed tips on this device; where it keeps nothing, for as long as the page is open. */
export function tipShelf() {
  const here = new Map<string, PressedTip>();
  let opened: UseStore | undefined;
  async function having<T>(work: (store: UseStore) => Promise<T>): Promise<T | undefined> {
    try {
      opened ??= createStore('stoppress-tips', 'tips');
      return await work(opened);
    } catch {
      return undefined;
    }
  }
  const kept = async () => (await having((store) => values<PressedTip>(store))) ?? [];

  return {
    /** @returns whether the device keeps it, and not only this page */
    async put(tip: PressedTip): Promise<boolean> {
      const isKept = (await having((store) => set(tip.id, tip, store).then(() => true))) ?? false;
      if (isKept) setTipsWait(true);
      else here.set(tip.id, tip);
      return isKept;
    },
    get: async (id: string): Promise<PressedTip | undefined> =>
      here.get(id) ?? (await having((store) => get<PressedTip>(id, store))),
    async drop(id: string): Promise<void> {
      here.delete(id);
      await having((store) => del(id, store));
      if ((await kept()).length === 0) setTipsWait(false);
    },
    /** What waits on this device. What is a day old is thrown away: it is no news any more. */
    async all(): Promise<PressedTip[]> {
      const tips = await kept();
      for (const { id, at } of tips) if (Date.now() - at > LONGEST_KEPT_MS) await this.drop(id);
      return tips.filter(({ at }) => Date.now() - at <= LONGEST_KEPT_MS).sort((a, b) => a.at - b.at);
    },
  };
}

export type TipShelf = ReturnType<typeof tipShelf>;

const lost = () => {
  throw new Refused(refusal('unavailable'));
};

/** Small enough for a bad line, and without the place where it was taken. @throws Refused, of the field `photo` */
export async function shrunk(file: File): Promise<Blob> {
  const { shrink } = await import('../photos/resize.ts').catch(lost);
  try {
    return (await shrink(file)).blob;
  } catch (error) {
    throw error instanceof Refused ? new Refused(ofPhoto(error.refusal)) : error;
  }
}

/** What is wrong with a photo is said where it was chosen. */
function ofPhoto({ code }: Refusal): Refusal {
  const sentence =
    code === 'too_large' ? messages.problems.photoTooLarge : messages.refused.unsupported_media;
  return refusal(code, { field: 'photo', sentence });
}

/**
 * Brings a tip's photo to where the function has said, on from where an earlier try got to.
 * @throws Refused: `unavailable` when the line was lost, else it never will be there
 */
export async function bring(
  { photo, upload, uploadUrl }: Pick<PressedTip, 'photo' | 'upload' | 'uploadUrl'>,
  backend: BrowserBackend,
  ears: { begun(uploadUrl: string): void; progress(share: number): void },
  stop: AbortSignal,
): Promise<void> {
  if (!photo || !upload) return;
  const { upload: send } = await import('../photos/upload.ts').catch(lost);
  const place = {
    endpoint: `${urlOf(backend)}/storage/v1/upload/resumable/sign`,
    bucket: upload.bucket,
    headers: () => ({ apikey: backend.publishableKey, 'x-signature': upload.token }),
  };
  try {
    await send(
      { blob: photo.blob, name: upload.path, ...(uploadUrl ? { uploadUrl } : {}) },
      place,
      ears,
      stop,
    );
  } catch (error) {
    // An earlier try, whose answer was lost, has brought it.
    const isThere = error instanceof Refused && error.refusal.code === 'conflict';
    if (!isThere) throw error;
  }
}

/** What somebody has pressed Send on. */
export type Press = {
  text: TipText;
  photo: File | null;
  /** The id of whose account is to show it. */
  person: string | null;
  website: string;
  took_ms: number | undefined;
};

/** Hears how far a tip is; null when it is not this page's to say any more. */
type Tell = (status: TipStatus | null) => void;

/** Brings what was refused back to where it can be changed. @returns whether there was room for it */
type GiveBack = (refused: RefusedTip) => boolean;

type Ears = { tell: Tell; giveBack: GiveBack };

/**
 * Sends tips. What was pressed is kept on this device until the newsroom has it, and goes out once: under its own id,
 * from one tab at a time.
 */
export function tipSender(backend: BrowserBackend) {
  const shelf = tipShelf();
  const ids = idsOfContents();

  /** Sends what is on the shelf, on from where it is. */
  async function deliver(
    id: string,
    isKept: boolean,
    { tell, giveBack }: Ears,
    stop: AbortSignal,
  ): Promise<void> {
    let tip = await shelf.get(id);
    let isApart = false;
    const say = (photo: TipPhoto) =>
      tell({ step: 'taken', receipt: tip?.receipt ?? '', photo, isKept, isApart });
    const waiting = () => (tip?.receipt ? say('waiting') : tell({ step: 'sending', waits: true, isKept }));
    const keep = async (part: Partial<PressedTip>) => {
      if (!tip) return;
      tip = { ...tip, ...part };
      await shelf.put(tip);
    };
    async function tellWords({ said, photo, person }: PressedTip): Promise<void> {
      if (!said) return;
      const { text, ...how } = said;
      const size = photo ? { photo: { id: photo.id, type: photo.blob.type, size: photo.blob.size } } : {};
      const { taken, isApart: apart } = await tellTip(
        backend,
        { ...text, ...how, ...size, id },
        person,
        stop,
      );
      isApart = apart;
      keepReceipt(taken.receipt);
      await keep({ said: null, receipt: taken.receipt, upload: taken.upload });
    }
    async function bringPhoto({ photo }: PressedTip): Promise<TipPhoto> {
      if (!photo || !tip) return 'none';
      say(0);
      // Where the same was sent before, the photo is that one's.
      const { upload } = tip;
      const ears = { begun: (uploadUrl: string) => void keep({ uploadUrl }), progress: say };
      try {
        await bring(tip, backend, ears, stop);
      } catch (error) {
        if (!upload?.again || !isOfPlace(error)) throw error;
        await keep({ upload: await placeAgain(backend, upload, stop) });
        await bring(tip, backend, ears, stop);
      }
      return develop(upload ? photoIn(upload.path) : photo.id);
    }

    await alone(id, async () => {
      // Another tab may have sent it, or thrown it away, while this one waited.
      tip = await shelf.get(id);
      if (!tip) return tell(null);
      try {
        const fate = await untilHeard(waiting, stop, async () => {
          if (!tip) return 'none';
          await tellWords(tip);
          return bringPhoto(tip);
        });
        await shelf.drop(id);
        say(fate);
      } catch (error) {
        if (!tip.receipt && !stop.aborted) {
          // The words themselves are refused. They leave this place for another only.
          const refused = { ...refusedTip(error), ...(tip.said ? { text: tip.said.text } : {}) };
          if (giveBack(refused)) await shelf.drop(id);
          return;
        }
        await shelf.drop(id);
        // The words are with the newsroom, and the place for the photo is good no more.
        if (tip.receipt) say(isOfFile(error) ? 'refused' : 'lost');
        else tell({ step: 'writing', problems: {} });
      }
    });
  }

  return {
    who: whoIsHere,
    /** Has what a photo needs at hand before there is one to send. */
    expectPhoto: () => void import('../photos/resize.ts').catch(() => undefined),
    async press({ photo, person, ...said }: Press, tell: Tell, stop: AbortSignal): Promise<void> {
      const notKept = () => tell({ step: 'sending', waits: true, isKept: false });
      try {
        const blob = photo && (await untilHeard(notKept, stop, () => shrunk(photo)));
        const id = ids(said.text, photo);
        const isKept = await shelf.put({
          id: id.tip,
          at: Date.now(),
          said,
          person,
          photo: blob && { id: id.photo, blob },
          receipt: null,
          upload: null,
        });
        tell({ step: 'sending', waits: false, isKept });
        // What was pressed stands in its fields still.
        const giveBack = (refused: RefusedTip) => {
          tell(refused);
          return true;
        };
        await deliver(id.tip, isKept, { tell, giveBack }, stop);
      } catch (error) {
        tell(stop.aborted ? { step: 'writing', problems: {} } : refusedTip(error));
      }
    },
    /** Sends on what was pressed here before and is not with the newsroom yet. @param stopOf what stops one of them */
    async sendOn(earsOf: (id: string) => Ears, stopOf: (id: string) => AbortSignal) {
      for (const { id, receipt } of await shelf.all()) {
        const ears = earsOf(id);
        ears.tell(
          receipt
            ? { step: 'taken', receipt, photo: 'waiting', isKept: true, isApart: false }
            : { step: 'sending', waits: true, isKept: true },
        );
        void deliver(id, true, ears, stopOf(id));
      }
    },
    /** Brings back what was refused and had no room then. @returns whether that is done: another tab may have been first */
    async giveBackNow(id: string, refused: RefusedTip, giveBack: GiveBack): Promise<boolean> {
      const isHere = (await shelf.get(id)) !== undefined;
      if (isHere && !giveBack(refused)) return false;
      await shelf.drop(id);
      return true;
    },
    /** What was pressed here is not to be sent, or its photo no more. */
    throwAway: shelf.drop,
  };
}

export type TipSender = ReturnType<typeof tipSender>;

const isOfFile = (error: unknown) =>
  error instanceof Refused && ['too_large', 'unsupported_media'].includes(error.refusal.code);

/** The place for a photo was good for a while. */
const isOfPlace = (error: unknown) =>
  error instanceof Refused && ['forbidden', 'signed_out'].includes(error.refusal.code);

/** In one tab at a time, where the browser can tell; where not, the tip's id makes it one tip. */
const alone = (id: string, work: () => Promise<void>): Promise<void> =>
  'locks' in navigator ? navigator.locks.request(`stoppress.tip.${id}`, work) : work();

/** Ids by what is sent: other words are another tip. */
function idsOfContents() {
  let last = { key: '', tip: '', photo: '' };
  return (text: TipText, file: File | null) => {
    const key = JSON.stringify([text, file?.name, file?.size, file?.lastModified]);
    if (key !== last.key) last = { key, tip: crypto.randomUUID(), photo: crypto.randomUUID() };
    return last;
  };
}
