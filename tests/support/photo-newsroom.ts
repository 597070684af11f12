import type { PhotoApi, PhotoResult } from '../../src/islands/photos/photo-backend.ts';
import type { PhotoStore, StoredPhoto } from '../../src/islands/photos/photo-store.ts';
import type { ShrunkPhoto } from '../../src/islands/photos/resize.ts';
import type { ErrorCode } from '../../src/lib/domain/errors.ts';
import type { DeskPhoto, PhotoState } from '../../src/lib/domain/photos.ts';
import { Refused, refusal } from '../../src/lib/i18n/refusals.ts';

type Call = 'save' | 'giveUp' | 'upload' | 'develop' | 'look';

/** What a desk without a browser brings its photos to: what it has of each, what it was asked. */
export function photoNewsroom() {
  let calls: string[] = [];
  const refusing = new Map<Call, { code: ErrorCode; times: number }>();
  const rows = new Map<string, PhotoState>();

  async function called(call: Call, what: string): Promise<void> {
    calls.push(`${call} ${what}`);
    const refused = refusing.get(call);
    if (!refused || refused.times === 0) return;
    refused.times -= 1;
    throw new Refused(refusal(refused.code));
  }
  const answer = (id: string): PhotoResult => {
    const state = rows.get(id) ?? 'arriving';
    return { state, refusal: state === 'refused' ? 'unsupported_media' : null };
  };

  const line: PhotoApi = {
    shrink: (file) => newsroom.shrinking(file),
    async save(id, coverage, words) {
      newsroom.coverages.add(coverage);
      await called('save', `${id} ${words?.alt.trim() ?? '-'}`);
      if (!rows.has(id)) rows.set(id, 'arriving');
      return answer(id);
    },
    async cancel(id) {
      await called('giveUp', id);
      if (!rows.has(id)) throw new Refused(refusal('not_found'));
      if (rows.get(id) === 'arriving') rows.set(id, 'refused');
      return answer(id);
    },
    async upload({ name, uploadUrl }, ears, signal) {
      const from = uploadUrl ? `${name} from ${uploadUrl}` : `${name} from the beginning`;
      ears.onStarted('/upload');
      ears.onProgress(0.5);
      newsroom.duringUpload(name.replace('incoming/', ''));
      if (newsroom.isSlow) {
        calls.push(`upload ${from}`);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw new Refused(refusal('unavailable'));
      }
      await called('upload', from);
    },
    async process(id) {
      await called('develop', id);
      if (newsroom.unmade > 0) newsroom.unmade -= 1;
      else rows.set(id, 'ready');
      return answer(id);
    },
    async readPhotos(ids) {
      await called('look', ids.join());
      return ids.flatMap((id) => (rows.has(id) ? [{ id, ...answer(id) } as DeskPhoto] : []));
    },
    withLock: async (_photo, work) => (newsroom.isElsewhere ? ('elsewhere' as const) : work()),
  };
  const newsroom = {
    line,
    /** How each photo stands that the newsroom knows. */
    rows,
    shrinking: async (blob: Blob): Promise<ShrunkPhoto> => ({ blob, width: 3, height: 2, preview: 'data:,' }),
    /** The coverages that photos were announced for. */
    coverages: new Set<string>(),
    /** What happens to a photo while it is uploaded. */
    duringUpload: (_id: string): unknown => undefined,
    /** Uploads do not end. */
    isSlow: false,
    /** Another tab is at every photo. */
    isElsewhere: false,
    /** So many times a photo is not made yet. */
    unmade: 0,
    /** The calls since the last time this was asked. */
    asked() {
      const past = calls;
      calls = [];
      return past;
    },
    /** Refuses the next calls of a kind. */
    refuse(call: Call, code: ErrorCode, times = Number.POSITIVE_INFINITY) {
      refusing.set(call, { code, times });
    },
  };
  return newsroom;
}

/** A device that keeps photos, or none. */
export function photoShelf(isKeeping = true): PhotoStore & { kept: Map<string, StoredPhoto> } {
  const kept = new Map<string, StoredPhoto>();
  return {
    kept,
    all: async () => [...kept.values()],
    get: async (id) => kept.get(id),
    async put(photo) {
      if (isKeeping) kept.set(photo.id, photo);
      return isKeeping;
    },
    async change(id, part) {
      const photo = kept.get(id);
      if (photo) kept.set(id, { ...photo, ...part });
    },
    async delete(id) {
      kept.delete(id);
    },
  };
}
