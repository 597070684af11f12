import { mediaSeconds } from '../../lib/domain/media-files.ts';

/** What the browser reads from a file: its length in seconds, and a picture of a video. */
export type MediaContent = { seconds: number | null; still?: Blob | undefined };

/** Time limit of a step, in milliseconds. Some browsers report nothing about files that they cannot play. */
const TIMEOUT_MS = 10_000;
/** Time of the picture in the video, in seconds. The first frame is often black. */
const STILL_AT = 1;
/** Maximum width of the picture in pixels: that of the largest rendition of a photo. */
const STILL_WIDTH = 1600;
const STILL_QUALITY = 0.85;

/** Reads a video or audio file. A file that the browser cannot play has no length and no picture. */
export async function readMedia(file: Blob, kind: 'video' | 'audio'): Promise<MediaContent> {
  const element = document.createElement(kind);
  const url = URL.createObjectURL(file);
  try {
    element.preload = 'auto';
    element.muted = true;
    await eventAfter(element, 'loadeddata', () => {
      element.src = url;
    });
    const seconds = mediaSeconds(element.duration);
    const still =
      element instanceof HTMLVideoElement ? await stillOf(element).catch(() => undefined) : undefined;
    return { seconds, still };
  } catch {
    return { seconds: null };
  } finally {
    element.removeAttribute('src');
    element.load();
    URL.revokeObjectURL(url);
  }
}

async function stillOf(video: HTMLVideoElement): Promise<Blob | undefined> {
  // A recording without a length cannot be searched. Its first frame is shown already.
  if (Number.isFinite(video.duration)) {
    await eventAfter(video, 'seeked', () => {
      video.currentTime = Math.min(STILL_AT, video.duration / 2);
    });
  }
  const scale = Math.min(1, STILL_WIDTH / video.videoWidth);
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(video.videoWidth * scale);
  canvas.height = Math.round(video.videoHeight * scale);
  if (canvas.width === 0 || canvas.height === 0) return undefined;
  canvas.getContext('2d')?.drawImage(video, 0, 0, canvas.width, canvas.height);
  const { promise, resolve } = Promise.withResolvers<Blob | null>();
  canvas.toBlob(resolve, 'image/jpeg', STILL_QUALITY);
  return (await promise) ?? undefined;
}

/** Waits for an event that an action causes. Rejects at an error, or when the time is over. */
function eventAfter(element: HTMLMediaElement, name: string, act: () => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const end = new AbortController();
  const timer = setTimeout(reject, TIMEOUT_MS, new Error('The browser did not read the file in time.'));
  element.addEventListener(name, () => resolve(), end);
  element.addEventListener('error', () => reject(new Error('The browser cannot read the file.')), end);
  act();
  return promise.finally(() => {
    clearTimeout(timer);
    end.abort();
  });
}
