import { map } from 'nanostores';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { makeDesk } from '../../../src/islands/desk/desk.ts';
import { openDraftStore } from '../../../src/islands/editor/draft-store.ts';
import { makeEditor } from '../../../src/islands/editor/editor.ts';
import { deleteCommand, readCommands } from '../../../src/islands/outbox/commands.ts';
import { setDevicePerson } from '../../../src/islands/outbox/drafts.ts';
import {
  changeFollowUp,
  hasSendableFollowUps,
  readFollowUps,
  type StoredFollowUp,
  sendableIds,
} from '../../../src/islands/outbox/follow-ups.ts';
import { sendCommands } from '../../../src/islands/outbox/send-commands.ts';
import { bodyWithPhotos, startFollowUpSender } from '../../../src/islands/photos/send-follow-ups.ts';
import type { PhotoStatus } from '../../../src/islands/photos/send-photo.ts';
import type { Body } from '../../../src/lib/domain/body/blocks.ts';
import type { ErrorCode } from '../../../src/lib/domain/errors.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { Refused, refusal } from '../../../src/lib/i18n/refusals.ts';
import { coverage, openFakeDesk, person, published } from '../../support/fake-desk.ts';

beforeAll(() => {
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('reportError', vi.fn());
});
afterAll(() => vi.unstubAllGlobals());

const PHOTO = { id: 'd0000000-0000-4000-8000-000000000001', alt: '', caption: '', credit: 'Ana' };
const text = (words: string) => ({ type: 'paragraph' as const, runs: [{ text: words }] });
const photo = (id = PHOTO.id) => ({ type: 'photo' as const, photo: id });

/** An editor's desk whose photo is uploaded, with a fake backend that records changes. */
function openPage(newsroom = openFakeDesk(), me = { ...person('editor'), id: crypto.randomUUID() }) {
  const backend = { publicUrl: '/', publishableKey: 'x' };
  const desk = makeDesk(english, { coverage, person: me, backend, language: 'en' }, newsroom.backend);
  vi.spyOn(desk.photos, 'expect').mockResolvedValue();
  const status = { step: 'ready', refusal: null } as never;
  vi.spyOn(desk.photos.$photos, 'get').mockReturnValue({ [PHOTO.id]: status });
  return { newsroom, desk, me };
}

/** Publishes an update with a photo without alt text. */
async function publishWithPhoto(page: ReturnType<typeof openPage>, body = 'The quay is closed') {
  const { desk, me } = page;
  const editor = makeEditor(english, desk, openDraftStore(me.id, coverage.id, 'new'));
  onTestFinished(editor.start());
  await expect.poll(() => editor.$isReady.get()).toBe(true);
  const { id } = editor.$edited.get();
  editor.change({ body, photos: [PHOTO] });
  await editor.send({ kind: 'publish' });
  return { editor, id };
}

const followUps = (me: { id: string }) => readFollowUps(me.id, coverage.id);

type Refuse = (action: string, nth: number) => ErrorCode | undefined;

/** Records the changes that the backend receives. `refuse` names the error of a call, if any. */
function recordCalls(
  { newsroom }: Pick<ReturnType<typeof openPage>, 'newsroom'>,
  refuse: Refuse = () => undefined,
) {
  const calls: { action: string; args: Record<string, unknown> }[] = [];
  newsroom.backend.execute = async (action, args) => {
    calls.push({ action, args });
    const code = refuse(action, calls.length);
    if (code) throw new Refused(refusal(code));
    if (action !== 'revise_update') return {};
    const { update_id, content } = args as unknown as { update_id: string; content: { body: Body } };
    newsroom.rows = newsroom.rows.map((row) =>
      row.id === update_id ? { ...row, body: content.body, version: row.version + 1 } : row,
    );
    return {};
  };
  return calls;
}

/** Starts adding photos at a coverage's desk. */
function startAdding(page: ReturnType<typeof openPage>, refuse?: Refuse) {
  const calls = recordCalls(page, refuse);
  onTestFinished(page.desk.followUps.start());
  return calls;
}

/** Publishes with a photo, gives it alt text, and closes the desk before the photo is added. */
async function leavePhotoWaiting() {
  const page = openPage();
  const { id } = await publishWithPhoto(page);
  await sendCommands(page.me.id, async () => ({ version: 1, number: 1, state: 'published' }));
  page.newsroom.rows = [published(1, { id, body: [text('The quay is closed')] })];
  const [followUp] = await followUps(page.me);
  if (!followUp) throw new Error('The publication leaves a follow-up.');
  expect(await hasSendableFollowUps(page.me.id)).toBe(false);
  await changeFollowUp(followUp, (photos) =>
    photos.map((photo) => ({ ...photo, alt: 'The closed quay', isDescribed: true })),
  );
  return page;
}

/** Another page of the desk, with this status of the photo. */
function openOtherPage({ newsroom, me }: ReturnType<typeof openPage>, step?: PhotoStatus['step']) {
  const $photos = map<Record<string, PhotoStatus>>(step ? { [PHOTO.id]: { step } as PhotoStatus } : {});
  const photos = { $photos, expect: vi.fn(async () => {}) };
  const sender = startFollowUpSender({ person: me.id, photos, backend: newsroom.backend });
  onTestFinished(sender.stop);
  return { $photos, photos, sender };
}

/** Describes the photo of the first follow-up and adds it. */
async function describePhoto({ desk }: ReturnType<typeof openPage>) {
  await expect.poll(() => desk.followUps.$stored.get()).toHaveLength(1);
  const [followUp] = desk.followUps.$stored.get();
  if (!followUp) throw new Error('The publication leaves a follow-up.');
  await desk.followUps.changeText(followUp, PHOTO.id, { alt: 'The closed quay' });
  await desk.followUps.add(followUp, PHOTO.id);
}

it.each([
  ['before the publication was answered', { command: 'c' }, {}, []],
  ['after it was answered', { command: null }, {}, [PHOTO.id]],
  ['while its alt text is being written', { command: null }, { isDescribed: false }, []],
  ['after it was refused', { command: null }, { refusal: refusal('bad_state') }, []],
])('names the photos to add %s', (_, base, more, ids) => {
  const photos = [{ ...PHOTO, isDescribed: true, refusal: null, ...more }];
  const followUp = { base: { version: null, ...base }, form: { photos, body: [] } };
  expect(sendableIds(followUp as unknown as StoredFollowUp)).toEqual(ids);
});

describe('a photo without alt text', () => {
  test('does not hold the text back, and is added once it is described', async () => {
    const page = openPage();
    const { id } = await publishWithPhoto(page);
    const [command] = await readCommands(page.me.id);
    expect(command?.calls.map(({ action }) => action)).toEqual(['publish_update']);
    expect(command?.calls[0]?.args.content).toMatchObject({ body: [text('The quay is closed')] });
    const calls = startAdding(page);
    await describePhoto(page);
    // Not before the publication was answered.
    expect(calls).toEqual([]);
    page.newsroom.rows = [published(1, { id, body: [text('The quay is closed')] })];
    await sendCommands(page.me.id, async () => ({ version: 1, number: 1, state: 'published' }));
    await expect.poll(() => followUps(page.me)).toEqual([]);
    expect(calls.map(({ action }) => action)).toEqual(['save_photo', 'revise_update']);
    expect(calls[0]?.args.content).toEqual({ alt: 'The closed quay', caption: null, credit: 'Ana' });
    expect(page.newsroom.rows[0]?.body).toEqual([text('The quay is closed'), photo()]);
  });

  test('is kept over a reload, and waits for a connection', async () => {
    const first = openPage();
    const { id } = await publishWithPhoto(first);
    await sendCommands(first.me.id, async () => ({ version: 1, number: 1, state: 'published' }));
    first.newsroom.rows = [published(1, { id })];
    const again = openPage(first.newsroom, first.me);
    let isOffline = true;
    const calls = startAdding(again, () => (isOffline ? 'unavailable' : undefined));
    await describePhoto(again);
    await expect.poll(() => calls.length).toBeGreaterThan(0);
    expect((await followUps(first.me))[0]?.form.photos).toMatchObject([{ alt: 'The closed quay' }]);
    isOffline = false;
    const last = openPage(first.newsroom, first.me);
    startAdding(last);
    await expect.poll(() => followUps(first.me)).toEqual([]);
  });

  test('is added to a newer version, and not twice when the answer was lost', async () => {
    const page = openPage();
    const { id } = await publishWithPhoto(page);
    await sendCommands(page.me.id, async () => ({ version: 1, number: 1, state: 'published' }));
    const newer = published(1, { id, version: 4, body: [text('The quay is open')] });
    page.newsroom.rows = [published(1, { id })];
    const calls = startAdding(page, (action, nth) => {
      if (action !== 'revise_update') return undefined;
      if (nth === 2) page.newsroom.rows = [newer];
      // The second attempt is executed, but its answer is lost.
      if (nth === 4) page.newsroom.rows = [{ ...newer, version: 5, body: [...newer.body, photo()] }];
      return nth === 2 ? 'conflict' : 'unavailable';
    });
    await describePhoto(page);
    await expect.poll(() => calls.length).toBe(4);
    expect(calls[3]?.args).toMatchObject({
      version: 4,
      content: { body: [text('The quay is open'), photo()] },
    });
    page.desk.photos.$photos.notify();
    await expect.poll(() => followUps(page.me)).toEqual([]);
    expect(calls).toHaveLength(4);
  });

  test('waits for a decision when the update was withdrawn', async () => {
    const page = openPage();
    const { id } = await publishWithPhoto(page);
    await sendCommands(page.me.id, async () => ({ version: 1, number: 1, state: 'published' }));
    page.newsroom.rows = [published(1, { id, state: 'withdrawn', body: [] })];
    const calls = startAdding(page);
    await describePhoto(page);
    await expect
      .poll(async () => (await followUps(page.me))[0]?.form.photos[0]?.refusal?.code)
      .toBe('bad_state');
    expect(calls).toEqual([]);
    const [followUp] = await followUps(page.me);
    if (followUp) await page.desk.followUps.discard(followUp, PHOTO.id);
    expect(await followUps(page.me)).toEqual([]);
  });

  test('is not added while its upload is refused', async () => {
    const page = openPage();
    const { id } = await publishWithPhoto(page);
    await sendCommands(page.me.id, async () => ({ version: 1, number: 1, state: 'published' }));
    page.newsroom.rows = [published(1, { id })];
    const refused = { step: 'refused', refusal: 'too_large' } as never;
    vi.mocked(page.desk.photos.$photos.get).mockReturnValue({ [PHOTO.id]: refused });
    const calls = startAdding(page);
    await describePhoto(page);
    expect(calls).toEqual([]);
    expect(await followUps(page.me)).toHaveLength(1);
  });

  test('is in the form again when the command is discarded or opened', async () => {
    const page = openPage();
    await publishWithPhoto(page);
    const [command] = await readCommands(page.me.id);
    expect(await followUps(page.me)).toHaveLength(1);
    expect(command?.edited).toMatchObject({ form: { photos: [{ id: PHOTO.id }] } });
    await deleteCommand(command?.id ?? '');
    expect(await followUps(page.me)).toEqual([]);
  });

  test('is required where the update has no text', async () => {
    const page = openPage();
    const { editor } = await publishWithPhoto(page, '');
    expect(editor.$status.get()).toMatchObject({
      step: 'wrong',
      photos: { [PHOTO.id]: { sentence: english.deskPhotos.noAlt(1, 1) } },
    });
    expect(await readCommands(page.me.id)).toEqual([]);
  });
});

describe('another page of the desk', () => {
  it('adds a described photo of a coverage whose desk is closed', async () => {
    const page = await leavePhotoWaiting();
    expect(await hasSendableFollowUps(page.me.id)).toBe(true);
    const calls = recordCalls(page);
    openOtherPage(page, 'ready');
    await expect.poll(() => followUps(page.me)).toEqual([]);
    expect(calls.map(({ action }) => action)).toEqual(['save_photo', 'revise_update']);
    expect(calls[0]?.args).toMatchObject({ photo_id: PHOTO.id, coverage_id: coverage.id });
  });

  it('adds the photo once when several pages are open', async () => {
    const page = await leavePhotoWaiting();
    const calls = recordCalls(page);
    for (let pages = 0; pages < 3; pages += 1) openOtherPage(page, 'ready');
    onTestFinished(page.desk.followUps.start());
    await expect.poll(() => followUps(page.me)).toEqual([]);
    expect(calls.filter(({ action }) => action === 'revise_update')).toHaveLength(1);
  });

  it('adds the photo when its upload ends', async () => {
    const page = await leavePhotoWaiting();
    const calls = recordCalls(page);
    const { $photos, photos } = openOtherPage(page, 'sending');
    await expect.poll(() => photos.expect.mock.calls.length).toBeGreaterThan(0);
    expect(calls).toEqual([]);
    $photos.setKey(PHOTO.id, { step: 'ready' } as PhotoStatus);
    await expect.poll(() => followUps(page.me)).toEqual([]);
  });

  it('asks again while it does not know whether the photo is uploaded', async () => {
    const page = await leavePhotoWaiting();
    recordCalls(page);
    const { $photos, photos } = openOtherPage(page);
    photos.expect.mockImplementation(async () => {
      if (photos.expect.mock.calls.length > 1) $photos.setKey(PHOTO.id, { step: 'ready' } as PhotoStatus);
    });
    await expect.poll(() => followUps(page.me)).toEqual([]);
  });

  it('sends nothing while another person is signed in', async () => {
    const page = await leavePhotoWaiting();
    const other = await leavePhotoWaiting();
    const calls = recordCalls(page);
    recordCalls(other);
    await setDevicePerson(other.me.id);
    const { photos } = openOtherPage(page, 'ready');
    // Asks after the first page, and may send.
    openOtherPage(other, 'ready');
    await expect.poll(() => followUps(other.me)).toEqual([]);
    expect(photos.expect).not.toHaveBeenCalled();
    expect(calls).toEqual([]);
    await setDevicePerson(page.me.id);
    await expect.poll(() => followUps(page.me)).toEqual([]);
    await setDevicePerson(null);
  });
});

test('a photo takes its place in an unchanged text, and the end of a changed one', () => {
  const planned = [text('one'), photo('a'), text('two'), photo('b')];
  expect(bodyWithPhotos([text('one'), text('two')], planned, ['a'])).toEqual(planned.slice(0, 3));
  expect(bodyWithPhotos(planned.slice(0, 3), planned, ['b'])).toEqual(planned);
  expect(bodyWithPhotos([text('new')], planned, ['a'])).toEqual([text('new'), photo('a')]);
});
