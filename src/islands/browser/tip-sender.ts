import { type Refusal, Refused, refusal } from '../../lib/http/errors.ts';
import type { BrowserBackend } from '../../lib/supabase/browser.ts';
import { refusalOf } from '../../lib/supabase/functions.ts';
import { tips as words } from '../../lib/text/tips.ts';
import type { SentTip, Taken, TipText } from '../../lib/tips/tip.ts';

export type TipEars = {
  /** Nobody answers; it is tried again. */
  waiting(): void;
  /** The text is with the newsroom. */
  taken(receipt: string): void;
  /** @param share of the photo's bytes, 0 to 1 */
  progress(share: number): void;
};

/** What became of the photo. */
export type PhotoFate = 'none' | 'arrived' | 'refused';

/** Milliseconds after which a line that says nothing counts as gone. */
const LONGEST_SILENCE_MS = 30_000;
/** Milliseconds between tries: each twice as long as the one before, up to the longest. */
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 30_000;

/** Sends tips of this page; a second try of the same words and photo is the same tip. */
export function tipSender(backend: BrowserBackend) {
  const url = new URL(backend.publicUrl, window.location.origin).href.replace(/\/$/, '');
  const ids = idsOfContents();

  async function tell(tip: SentTip, stop: AbortSignal): Promise<Taken> {
    // Without supabase-js, which takes as many bytes as the whole page does.
    const answer = await fetch(`${url}/functions/v1/submit-tip`, {
      method: 'POST',
      headers: { apikey: backend.publishableKey, 'content-type': 'application/json' },
      body: JSON.stringify(tip),
      signal: AbortSignal.any([AbortSignal.timeout(LONGEST_SILENCE_MS), stop]),
    }).catch(() => {
      throw new Refused(refusal('unavailable'));
    });
    if (!answer.ok) throw new Refused(await refusalOf(answer));
    return (await answer.json()) as Taken;
  }

  return {
    /**
     * Sends a tip, and tries again for as long as the line is the only thing that is wrong and nobody stops it.
     * @throws Refused, of the text; the photo's fate is answered
     */
    async send(text: TipText, file: File | null, ears: TipEars, stop: AbortSignal): Promise<PhotoFate> {
      const photo = file && (await shrunk(file));
      const id = ids(text, file);
      const device = deviceName();
      const tip: SentTip = {
        ...text,
        id: id.tip,
        ...(device ? { device } : {}),
        ...(photo ? { photo: { id: id.photo, type: photo.type, size: photo.size } } : {}),
      };
      return untilHeard(ears.waiting, stop, async () => {
        const { receipt, upload } = await tell(tip, stop);
        ears.taken(receipt);
        if (!photo) return 'none';
        if (upload) {
          const place = `${url}/storage/v1/object/upload/sign/${upload.bucket}/${upload.path}`;
          await put(`${place}?token=${encodeURIComponent(upload.token)}`, photo, backend, ears.progress);
        }
        return develop(id.photo);
      });
    },
  };
}

export type TipSender = ReturnType<typeof tipSender>;

/** Ids by what is sent: other words are another tip. */
function idsOfContents() {
  let last = { key: '', tip: '', photo: '' };
  return (text: TipText, file: File | null) => {
    const key = JSON.stringify([text, file?.name, file?.size, file?.lastModified]);
    if (key !== last.key) last = { key, tip: crypto.randomUUID(), photo: crypto.randomUUID() };
    return last;
  };
}

async function untilHeard<T>(waiting: () => void, stop: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(LONGEST_WAIT_MS, 2 * wait)) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Refused) || error.refusal.code !== 'unavailable') throw error;
      stop.throwIfAborted();
      waiting();
      await online(wait, stop);
      stop.throwIfAborted();
    }
  }
}

/** A while, or until the browser has a line again or it is stopped. */
function online(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      stop.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    window.addEventListener('online', done);
    stop.addEventListener('abort', done);
  });
}

/** Small enough for a bad line, and without the place where it was taken. */
async function shrunk(file: File): Promise<Blob> {
  const { shrink } = await import('./photo-shrink.ts').catch(() => {
    throw new Refused(refusal('unavailable'));
  });
  try {
    return (await shrink(file)).blob;
  } catch (error) {
    throw error instanceof Refused ? new Refused(ofPhoto(error.refusal)) : error;
  }
}

/** What is wrong with a photo is said where it was chosen. */
function ofPhoto({ code }: Refusal): Refusal {
  const sentence = code === 'too_large' ? words.problems.photoTooLarge : words.refused.unsupported_media;
  return refusal(code, { field: 'photo', sentence });
}

/** Uploads with an eye on how far it is, which fetch() does not tell. */
function put(
  url: string,
  blob: Blob,
  { publishableKey }: BrowserBackend,
  progress: TipEars['progress'],
): Promise<void> {
  const request = new XMLHttpRequest();
  const done = Promise.withResolvers<void>();
  const lost = () => done.reject(new Refused(refusal('unavailable')));
  let silence = setTimeout(() => request.abort(), LONGEST_SILENCE_MS);
  request.upload.onprogress = ({ loaded, total }) => {
    clearTimeout(silence);
    silence = setTimeout(() => request.abort(), LONGEST_SILENCE_MS);
    progress(total ? loaded / total : 0);
  };
  request.onerror = lost;
  request.onabort = lost;
  request.onload = () => {
    // 409: an earlier try, whose answer was lost, has brought it.
    if (request.status < 300 || request.status === 409) return done.resolve();
    // What waits for the server to be there again is not refused.
    if (request.status >= 500 || request.status === 429) return lost();
    done.reject(new Refused(refusal(request.status === 413 ? 'too_large' : 'unsupported_media')));
  };
  request.open('PUT', url);
  request.setRequestHeader('apikey', publishableKey);
  request.setRequestHeader('content-type', blob.type);
  request.setRequestHeader('x-upsert', 'false');
  request.send(blob);
  return done.promise.finally(() => clearTimeout(silence));
}

/** Has the photo looked at now. Where that cannot be, it is done later. */
async function develop(photo: string): Promise<PhotoFate> {
  const answer = await fetch(`/api/photos/${photo}`, { method: 'POST' }).catch(() => null);
  const { state } = answer?.ok ? ((await answer.json()) as { state?: string }) : {};
  return state === 'refused' ? 'refused' : 'arrived';
}

const DEVICE = 'stoppress.device';

/** By which the tips of one device are counted; made when the first is sent. A device that keeps nothing has none. */
function deviceName(): string | undefined {
  try {
    const name = localStorage.getItem(DEVICE) ?? crypto.randomUUID();
    localStorage.setItem(DEVICE, name);
    return name;
  } catch {
    return undefined;
  }
}
