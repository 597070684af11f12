import { Refused } from '../../lib/http/errors.ts';
import type { BrowserBackend } from '../../lib/supabase/browser.ts';
import type { TipText } from '../../lib/tips/tip.ts';
import { type RefusedTip, refusedTip, type TipPhoto, type TipStatus } from '../stores/tip.ts';
import { develop, photoIn, placeAgain, tellTip, untilHeard, whoIsHere } from './tip-line.ts';
import { bring, shrunk } from './tip-photo.ts';
import { keepReceipt } from './tip-receipts.ts';
import { type PressedTip, tipShelf } from './tip-shelf.ts';

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
    expectPhoto: () => void import('./photo-shrink.ts').catch(() => undefined),
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
