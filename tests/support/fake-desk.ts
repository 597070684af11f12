import { createClient } from '@supabase/supabase-js';
import type { DeskBackend } from '../../src/islands/desk/backend.ts';
import type { DeskHandlers, TrackedPresence } from '../../src/islands/desk/channel.ts';
import type { PhotoStore, StoredPhoto } from '../../src/islands/photos/photo-store.ts';
import type { ShrunkPhoto } from '../../src/islands/photos/resize.ts';
import type { PhotoApi, PhotoResult } from '../../src/islands/photos/send-photo.ts';
import { type SummaryVersion, statesOf } from '../../src/lib/data/desk.ts';
import { FIRST_WINDOW } from '../../src/lib/data/desk-updates.ts';
import type { QueueTip } from '../../src/lib/data/tip-queue.ts';
import type { Database } from '../../src/lib/domain/database.types.ts';
import type { DeskCoverage } from '../../src/lib/domain/desk.ts';
import type { ErrorCode } from '../../src/lib/domain/errors.ts';
import type { DeskPerson } from '../../src/lib/domain/permissions.ts';
import type { DeskPhoto, PhotoState } from '../../src/lib/domain/photos.ts';
import type { DeskUpdate } from '../../src/lib/domain/updates.ts';
import { Refused, refusal } from '../../src/lib/i18n/refusals.ts';

/** A live coverage as its desk reads it. */
export const coverage: DeskCoverage = {
  id: 'c0000000-0000-4000-8000-000000000000',
  slug: 'storm',
  kicker: 'Weather',
  headline: 'The storm',
  state: 'live',
  time_zone: 'Europe/Dublin',
  language: 'en',
  starts_at: null,
  pinned_update: null,
  update_count: 3,
  version: 1,
  reader_follow_mode: null,
  check_interval_seconds: null,
  quiet_since: null,
  summary_at: '2026-11-20T02:00:00+00:00',
  urgent_at: null,
  summary: [{ type: 'paragraph', runs: [{ text: 'It blows.' }] }],
};

/** Creates a person at the desk. */
export const person = (role: DeskPerson['role'], member = false): DeskPerson => ({
  id: `${role}-id`,
  handle: role,
  display_name: `The ${role}`,
  role,
  member,
});

let updateCount = 0;

/** Creates an update of a reporter. It is a draft unless `part` sets another state. */
export function deskUpdate(part: Partial<DeskUpdate> = {}): DeskUpdate {
  updateCount += 1;
  const id = `00000000-0000-4000-8000-${String(updateCount).padStart(12, '0')}`;
  return {
    id,
    coverage_id: coverage.id,
    number: null,
    state: 'draft',
    headline: null,
    body: [{ type: 'paragraph', runs: [{ text: `Words ${updateCount}` }] }],
    key_event: false,
    urgency: 'normal',
    verification: 'confirmed',
    attribution: null,
    desk_note: null,
    dateline: null,
    author: 'reporter-id',
    created_by: 'reporter-id',
    published_by: null,
    occurred_at: null,
    created_at: '2026-11-21T10:00:00+00:00',
    scheduled_for: null,
    schedule_error_code: null,
    published_at: null,
    revised_at: null,
    corrected_at: null,
    withdrawn_at: null,
    withdrawn_reason: null,
    filed_by: null,
    version: 1,
    seq: null,
    bylines: [{ id: 'reporter-id', handle: 'reporter', display_name: 'The reporter' }],
    photos: [],
    ...part,
  };
}

/** Creates a published update with this number. */
export const published = (number: number, part: Partial<DeskUpdate> = {}): DeskUpdate =>
  deskUpdate({ number, state: 'published', published_at: '2026-11-21T11:00:00+00:00', seq: number, ...part });

/** A fake backend for a desk without a browser. */
export type FakeDesk = {
  backend: DeskBackend;
  coverage: DeskCoverage;
  rows: DeskUpdate[];
  roster: { id: string; display_name: string }[];
  /** The person who saved the newest version of each update; null if it is not known. */
  saver: { created_by: string; by_name: string } | null;
  /** Newest first. */
  summaryVersions: SummaryVersion[];
  /** The calls since the last `takeCalls`: `coverage`, `heads`, `roster`, or the ids of the requested rows. */
  takeCalls(): string[];
  /** Answers the next calls with this status. With `null`, they are answered with the rows again. */
  refuse(status: number | null): void;
  /** Delays all responses until the returned function is called. */
  hold(): () => void;
  /** The channels that were opened: their handlers, the presence that was sent, and whether the desk left. */
  channels: { handlers: DeskHandlers; tracked: TrackedPresence[]; isLeft: boolean }[];
};

export function openFakeDesk(rows: DeskUpdate[] = []): FakeDesk {
  let calls: string[] = [];
  let refused: number | null = null;
  let gate = Promise.resolve();

  function answer({ pathname, searchParams }: URL): unknown {
    if (pathname.endsWith('/desk_roster')) return note('roster', newsroom.roster);
    if (pathname.endsWith('/desk_counts')) return [];
    if (pathname.endsWith('/desk_revisions')) return newsroom.saver ? [newsroom.saver] : [];
    if (pathname.endsWith('/summary_versions')) return newsroom.summaryVersions;
    if (pathname.endsWith('/list_quiet_coverages')) {
      const { id, quiet_since } = newsroom.coverage;
      return quiet_since ? [{ coverage_id: id, quiet_since }] : [];
    }
    if (pathname.endsWith('/coverages')) return note('coverage', { ...newsroom.coverage, urgent: [] });
    const ids = searchParams.get('id')?.match(/[0-9a-f-]{36}/g);
    if (ids)
      return note(
        ids.join(' '),
        newsroom.rows.filter((row) => ids.includes(row.id)),
      );
    const states = statesOf(FIRST_WINDOW.filter);
    return note(
      'heads',
      newsroom.rows.filter((row) => states.includes(row.state)),
    );
  }
  function note<T>(call: string, result: T): T {
    calls.push(call);
    return result;
  }
  const fetch = async (input: RequestInfo | URL) => {
    await gate;
    const result = answer(new URL(String(input)));
    return refused === null ? Response.json(result) : Response.json({ message: 'no' }, { status: refused });
  };
  const client = createClient<Database>('http://newsroom.test', 'sb_publishable_x', {
    accessToken: async () => null,
    global: { fetch },
  });

  const newsroom: FakeDesk = {
    coverage,
    rows,
    roster: [{ id: 'editor-id', display_name: 'The editor' }],
    saver: null,
    summaryVersions: [],
    channels: [],
    takeCalls() {
      const past = calls;
      calls = [];
      return past;
    },
    refuse(status) {
      refused = status;
    },
    hold() {
      const released = Promise.withResolvers<void>();
      gate = released.promise;
      return released.resolve;
    },
    backend: {
      tokens: { get: async () => 'x', forget: () => {} },
      read: (query) => query(client),
      execute: () => Promise.reject(new Error('Nothing is pressed here.')),
      uploadTarget: () => ({ endpoint: '', bucket: '', headers: () => ({}) }),
      send: () => Promise.reject(new Error('Nothing is sent here.')),
      refetched: () => {},
      join: () => ({ track: () => {}, leave: () => {} }),
      joinDesk(_coverage, handlers) {
        const channel = { handlers, tracked: [] as TrackedPresence[], isLeft: false };
        newsroom.channels.push(channel);
        return {
          track: (presence) => channel.tracked.push(presence),
          leave: () => {
            channel.isLeft = true;
          },
        };
      },
    },
  };
  return newsroom;
}

type Call = 'save' | 'giveUp' | 'upload' | 'develop' | 'look';

/** Creates a fake photo backend that records its calls. */
export function openFakePhotoApi() {
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
    const state = rows.get(id) ?? 'uploading';
    return { state, refusal_code: state === 'refused' ? 'unsupported_media' : null };
  };

  const api: PhotoApi = {
    shrink: (file) => newsroom.shrinking(file),
    async save(id, coverage, words) {
      newsroom.coverages.add(coverage);
      await called('save', `${id} ${words?.alt.trim() ?? '-'}`);
      if (!rows.has(id)) rows.set(id, 'uploading');
      return answer(id);
    },
    async cancel(id) {
      await called('giveUp', id);
      if (!rows.has(id)) throw new Refused(refusal('not_found'));
      if (rows.get(id) === 'uploading') rows.set(id, 'refused');
      return answer(id);
    },
    async upload({ name, uploadUrl }, handlers, signal) {
      const from = uploadUrl ? `${name} from ${uploadUrl}` : `${name} from the beginning`;
      handlers.onStarted('/upload');
      handlers.onProgress(0.5);
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
      if (newsroom.unprocessed > 0) newsroom.unprocessed -= 1;
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
    api,
    /** State of each announced photo. */
    rows,
    shrinking: async (blob: Blob): Promise<ShrunkPhoto> => ({ blob, width: 3, height: 2, preview: 'data:,' }),
    /** The coverages that photos were announced for. */
    coverages: new Set<string>(),
    /** Called while a photo is uploaded. */
    duringUpload: (_id: string): unknown => undefined,
    /** Uploads never end. */
    isSlow: false,
    /** Another tab holds the lock of every photo. */
    isElsewhere: false,
    /** Number of process calls after which a photo is not ready yet. */
    unprocessed: 0,
    /** The calls since the last `takeCalls`. */
    takeCalls() {
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

/** Creates a fake photo store. With `canStore: false` it stores nothing. */
export function openFakePhotoStore(canStore = true): PhotoStore & { stored: Map<string, StoredPhoto> } {
  const stored = new Map<string, StoredPhoto>();
  return {
    stored,
    all: async () => [...stored.values()],
    has: async (id) => stored.has(id),
    async put(photo) {
      if (canStore) stored.set(photo.id, photo);
      return canStore;
    },
    async change(id, part) {
      const photo = stored.get(id);
      if (photo) stored.set(id, { ...photo, ...part });
    },
    async delete(id) {
      stored.delete(id);
    },
  };
}

/** Creates a new, anonymous tip as the queue lists it. `part` replaces fields. */
export function queueTip(part: Partial<QueueTip> = {}): QueueTip {
  updateCount += 1;
  return {
    id: `a0000000-0000-4000-8000-${String(updateCount).padStart(12, '0')}`,
    body: `Tip ${updateCount}`,
    name: null,
    contact: null,
    may_be_named: false,
    state: 'new',
    held: false,
    suspicion: null,
    version: 1,
    created_at: '2026-11-22T10:00:00+00:00',
    review_started_at: null,
    handled_at: null,
    assigned: null,
    coverage: null,
    used_in: null,
    photo: null,
    ...part,
  };
}
