import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeDesk } from '../../../src/islands/desk/desk.ts';
import type { DraftStore } from '../../../src/islands/editor/draft-store.ts';
import { makeEditor } from '../../../src/islands/editor/editor.ts';
import { makePhotos, type Photos } from '../../../src/islands/photos/photos.ts';
import type { FormPhoto } from '../../../src/lib/data/photo-form.ts';
import type { ErrorCode } from '../../../src/lib/domain/errors.ts';
import type { DeskPhoto } from '../../../src/lib/domain/photos.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { deskPhotos as words } from '../../../src/lib/i18n/en/photos.ts';
import { Refused, refusal } from '../../../src/lib/i18n/refusals.ts';
import {
  coverage,
  deskUpdate,
  openFakeDesk,
  openFakePhotoApi,
  openFakePhotoStore,
  person,
} from '../../support/fake-desk.ts';

const UPDATE = 'a0000000-0000-4000-8000-000000000000';
const COVERAGE = 'c0000000-0000-4000-8000-000000000000';
const MINUTE_MS = 60_000;
const file = () => new Blob(['photo']);

let newsroom: ReturnType<typeof openFakePhotoApi>;
let store: ReturnType<typeof openFakePhotoStore>;
let photos: Photos;
/** Tells the page whether text is waiting. */
let setTextWaiting: (wait: boolean) => void;
const watchText = (notify: (wait: boolean) => void) => {
  setTextWaiting = notify;
  return () => {};
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('document', { visibilityState: 'visible', documentElement: { lang: 'en', dataset: {} } });
  newsroom = openFakePhotoApi();
  store = openFakePhotoStore();
  photos = openPage();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function openPage(): Photos {
  const opened = makePhotos(newsroom.api, store, { coverage: COVERAGE, messages: english, watchText });
  opened.start();
  return opened;
}
/** Chooses a number of photos. */
async function choose(count = 1): Promise<string[]> {
  const ids = photos.add(UPDATE, Array.from({ length: count }, file));
  await advance(0);
  return ids;
}
const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const status = (id = '') => photos.$photos.get()[id];
/** The calls without ids. */
const calls = () => newsroom.takeCalls().map((call) => call.split(' ')[0]);

test('uploads chosen photos one after another, and deletes them locally when they are ready', async () => {
  const ids = photos.add(UPDATE, [file(), file()]);
  expect(ids.map((id) => status(id)?.step)).toEqual(['shrinking', 'shrinking']);
  await advance(0);
  expect(calls()).toEqual(['save', 'upload', 'develop', 'save', 'upload', 'develop']);
  expect(ids.map((id) => status(id)?.step)).toEqual(['ready', 'ready']);
  expect(photos.$announcement.get()).toBe(words.tray.allArrived);
  expect(store.stored.size).toBe(0);
});

test('retries without end after a lost connection, without repeating finished steps, while others continue', async () => {
  newsroom.refuse('upload', 'unavailable', 3);
  const [first, second] = await choose(2);
  expect(status(first)).toMatchObject({ step: 'sending', pauseReason: 'line' });
  await advance(MINUTE_MS);
  expect([status(first)?.step, status(second)?.step]).toEqual(['ready', 'ready']);
  expect(calls().filter((call) => call === 'save')).toHaveLength(2);
  newsroom.refuse('develop', 'unavailable');
  const [third] = await choose();
  await advance(60 * MINUTE_MS);
  expect(status(third)).toMatchObject({ step: 'checking', pauseReason: 'line' });
  expect(calls().filter((call) => call !== 'develop')).toEqual(['save', 'upload']);
  newsroom.refuse('develop', 'unavailable', 0);
  window.dispatchEvent(new Event('online'));
  await advance(0);
  expect(status(third)?.step).toBe('ready');
});

test('continues an upload after the page was reopened', async () => {
  newsroom.refuse('upload', 'unavailable', 1);
  const [id = ''] = await choose();
  expect(store.stored.get(id)).toMatchObject({
    update: UPDATE,
    isRegistered: true,
    isSent: false,
    uploadUrl: '/upload',
  });
  newsroom.takeCalls();
  photos = openPage();
  await advance(0);
  expect(newsroom.takeCalls()).toEqual([`upload incoming/${id} from /upload`, `develop ${id}`]);
  expect(status(id)).toMatchObject({ update: UPDATE, step: 'ready', picture: 'data:,' });
});

test('loses no photo when the page closes during resizing, and leaves resizing to the server in the end', async () => {
  newsroom.shrinking = () => new Promise(() => {});
  const [id = ''] = photos.add(UPDATE, [new Blob(['photo'], { type: 'image/png' })]);
  await advance(0);
  photos = openPage();
  await advance(0);
  expect(status(id)).toMatchObject({ update: UPDATE, step: 'shrinking' });
  photos = openPage();
  await advance(0);
  expect(status(id)?.step).toBe('ready');
});

test.for<[ErrorCode, 'uploading' | 'ready', string[]]>([
  ['conflict', 'uploading', ['save', 'upload', 'look', 'develop']],
  ['conflict', 'ready', ['save', 'upload', 'look']],
  ['forbidden', 'ready', ['save', 'upload', 'look']],
])('checks an upload refused as %s, and continues: %s', async ([code, state, expected]) => {
  newsroom.refuse('upload', code);
  newsroom.duringUpload = (id) => newsroom.rows.set(id, state);
  const [id] = await choose();
  expect(calls()).toEqual(expected);
  expect(status(id)?.step).toBe('ready');
});

test.for<ErrorCode>(['forbidden', 'too_large', 'unsupported_media'])(
  'reports a photo that the newsroom refuses (%s) and does not send it again',
  async (code) => {
    newsroom.refuse('upload', code);
    const [id] = await choose();
    expect(status(id)).toMatchObject({ step: 'refused', refusal: code });
    expect(photos.$announcement.get()).toBe(words.refusals[code as 'forbidden']);
    expect(photos.usable([{ id: id ?? '', alt: '', caption: '', credit: '' }])).toEqual([]);
    await advance(MINUTE_MS);
    expect(newsroom.rows.get(id ?? '')).toBe('refused');
    photos.cancel([id ?? '']);
    expect(store.stored.size).toBe(0);
  },
);

test('cancels an unusable photo whose update was sent, and still shows the refusal after reopening', async () => {
  newsroom.shrinking = () => Promise.reject(new Refused(refusal('unsupported_media')));
  newsroom.refuse('giveUp', 'unavailable', 1);
  const [id = ''] = photos.add(UPDATE, [file()]);
  setTextWaiting(true);
  await advance(0);
  newsroom.rows.set(id, 'uploading');
  setTextWaiting(false);
  await advance(0);
  expect(newsroom.rows.get(id)).toBe('uploading');
  photos = openPage();
  await advance(MINUTE_MS);
  expect(newsroom.rows.get(id)).toBe('refused');
  newsroom.takeCalls();
  photos = openPage();
  await advance(MINUTE_MS);
  await photos.expect([id], [{ id, state: 'uploading' } as DeskPhoto]);
  expect(status(id)).toMatchObject({ update: UPDATE, step: 'refused', refusal: 'unsupported_media' });
  expect(newsroom.takeCalls()).toEqual([]);
});

test('starts again when the backend has deleted the photo during a day offline', async () => {
  newsroom.refuse('upload', 'unavailable', 1);
  const [id = ''] = await choose();
  newsroom.rows.delete(id);
  newsroom.refuse('upload', 'forbidden', 1);
  newsroom.takeCalls();
  await advance(MINUTE_MS);
  expect(newsroom.takeCalls()).toEqual([
    `upload incoming/${id} from /upload`,
    `look ${id}`,
    `save ${id} -`,
    `upload incoming/${id} from the beginning`,
    `develop ${id}`,
  ]);
});

test('uploads again when processing fails repeatedly', async () => {
  newsroom.unprocessed = 5;
  const [id] = await choose();
  await advance(10 * MINUTE_MS);
  expect(calls().filter((call) => call === 'upload')).toHaveLength(2);
  expect(status(id)?.step).toBe('ready');
});

test('sends nothing while another tab uploads, and refetches what that tab has sent', async () => {
  newsroom.isElsewhere = true;
  const [id = ''] = await choose();
  expect(status(id)?.step).toBe('elsewhere');
  expect(calls()).toEqual([]);
  newsroom.rows.set(id, 'ready');
  store.stored.delete(id);
  newsroom.isElsewhere = false;
  await advance(MINUTE_MS);
  expect(calls()).toEqual(['look']);
  expect(status(id)?.step).toBe('ready');
});

test('uploads nothing from the button press until the text is sent', async () => {
  newsroom.isSlow = true;
  const [id] = await choose();
  expect(calls()).toEqual(['save', 'upload']);
  setTextWaiting(true);
  newsroom.isSlow = false;
  await advance(60 * MINUTE_MS);
  window.dispatchEvent(new Event('online'));
  await advance(MINUTE_MS);
  expect(calls()).toEqual([]);
  setTextWaiting(false);
  await advance(0);
  expect(newsroom.takeCalls()).toEqual([`upload incoming/${id} from /upload`, `develop ${id}`]);
  expect(status(id)).toMatchObject({ step: 'ready', pauseReason: null });
});

test('sends photos of another desk too, without showing them', async () => {
  newsroom.refuse('save', 'unavailable');
  const [id = ''] = await choose();
  newsroom.refuse('save', 'unavailable', 0);
  newsroom.coverages.clear();
  for (const coverage of ['another', null]) {
    photos = makePhotos(newsroom.api, store, { coverage });
    photos.start();
    await advance(0);
    expect(status(id)).toBeUndefined();
  }
  expect(newsroom.coverages).toEqual(new Set([COVERAGE]));
  expect(newsroom.rows.get(id)).toBe('ready');
  expect(store.stored.size).toBe(0);
});

test('sends texts of new and changed photos', () => {
  const known = { id: 'one', alt: 'A pier', caption: null, credit: null } as DeskPhoto;
  const photo = { id: 'one', alt: ' A pier ', caption: '', credit: '' };
  const changed = (...photo: FormPhoto[]) =>
    photos.photosWithNewText(photo, [known]).map(({ id, alt }) => [id, alt]);
  expect(changed(photo, { ...photo, id: 'two' })).toEqual([['two', ' A pier ']]);
  expect(changed({ ...photo, alt: 'A gate' })).toEqual([['one', 'A gate']]);
  // The stored state is older than what was sent.
  expect(changed(photo)).toEqual([['one', ' A pier ']]);
});

test('distinguishes a missing photo from one of another device', async () => {
  newsroom.rows.set('theirs', 'uploading');
  await photos.expect(['theirs', 'unknown'], []);
  expect([status('theirs')?.step, status('unknown')?.step]).toEqual(['elsewhere', 'missing']);
});

test('stops sending a removed photo', async () => {
  newsroom.refuse('upload', 'unavailable');
  const [id = ''] = await choose();
  photos.cancel([id]);
  newsroom.takeCalls();
  await advance(MINUTE_MS);
  expect(newsroom.takeCalls()).toEqual([]);
  expect(store.stored.size).toBe(0);
  expect(status(id)).toBe(undefined);
});

test('uploads nothing of a photo that is removed while it is being registered', async () => {
  const registered = Promise.withResolvers<void>();
  const { save } = newsroom.api;
  newsroom.api.save = async (...photo) => {
    await registered.promise;
    return save(...photo);
  };
  const [id = ''] = await choose();
  photos.cancel([id]);
  registered.resolve();
  await advance(MINUTE_MS);
  expect(calls()).toEqual(['save']);
  expect(status(id)).toBe(undefined);
});

test('reports a device without storage, and sends photos anyway', async () => {
  store = openFakePhotoStore(false);
  photos = openPage();
  const [id] = await choose();
  expect(photos.$isStored.get()).toBe(false);
  expect(status(id)?.step).toBe('ready');
});

describe('the editor of an update with photos', () => {
  const draftStore: DraftStore = {
    read: async () => null,
    save: () => {},
    empty: () => {},
    flushed: async () => null,
    adopt: () => {},
    release: () => {},
    delete: async () => {},
    onBaseChange: () => () => {},
    onRefused: () => () => {},
  };
  const settings = { publicUrl: '/', publishableKey: 'x' };
  const saved = () => deskUpdate({ body: [{ type: 'photo', photo: 'saved' }] });
  let cancelled: () => string[];

  function edit(before = saved()) {
    const { backend } = openFakeDesk();
    const desk = makeDesk(
      english,
      { coverage, person: person('editor'), backend: settings, language: 'en' },
      backend,
    );
    desk.photos = photos;
    const cancel = vi.spyOn(photos, 'cancel');
    cancelled = () => cancel.mock.calls.flat(2);
    const editor = makeEditor(english, desk, draftStore, before);
    editor.photos.add([file()]);
    return { editor, added: editor.$edited.get().form.photos.at(-1)?.id ?? '' };
  }

  test('forgets its chosen photos when it is discarded, and nothing that the desk awaits', () => {
    const { editor, added } = edit();
    editor.photos.remove('saved');
    editor.clear();
    expect(cancelled()).toEqual([added]);
  });

  test('forgets a removed photo after saving', async () => {
    const { editor, added } = edit();
    editor.photos.changeText(added, { alt: 'A pier' });
    editor.photos.remove('saved');
    expect(cancelled()).toEqual([]);
    await editor.send({ kind: 'save' });
    expect(editor.$status.get().step).toBe('sent');
    expect(cancelled()).toEqual(['saved']);
  });
});
