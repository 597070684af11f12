import { atom } from 'nanostores';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { makeDesk } from '../../../src/islands/desk/desk.ts';
import { makeSummaryForm } from '../../../src/islands/desk/SummaryEditor.tsx';
import { openDraftStore } from '../../../src/islands/editor/draft-store.ts';
import { Editor } from '../../../src/islands/editor/Editor.tsx';
import { type EditorStatus, makeEditor } from '../../../src/islands/editor/editor.ts';
import { nameSaver } from '../../../src/islands/editor/newer-version.ts';
import { readCommands } from '../../../src/islands/outbox/commands.ts';
import { readDrafts } from '../../../src/islands/outbox/drafts.ts';
import type { QueuedCommandView } from '../../../src/islands/outbox/outbox.ts';
import type { Send } from '../../../src/islands/outbox/rpc.ts';
import { sendCommands } from '../../../src/islands/outbox/send-commands.ts';
import { NEW_PHOTO } from '../../../src/islands/photos/send-photo.ts';
import { formPhoto } from '../../../src/lib/data/photo-form.ts';
import type { DeskPhoto } from '../../../src/lib/domain/photos.ts';
import type { DeskUpdate } from '../../../src/lib/domain/updates.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { Refused, refusal, sentenceOf } from '../../../src/lib/i18n/refusals.ts';
import { coverage, deskUpdate, openFakeDesk, person, published } from '../../support/fake-desk.ts';

/** A reporter's desk with a fake backend. */
function deskOf() {
  const newsroom = openFakeDesk();
  const me = { ...person('editor'), id: crypto.randomUUID() };
  const backend = { publicUrl: '/', publishableKey: 'x' };
  const desk = makeDesk(english, { coverage, person: me, backend, language: 'en' }, newsroom.backend);
  vi.spyOn(desk.photos, 'expect').mockResolvedValue();
  return { newsroom, desk, me };
}

/** The composer of a desk, ready for typing. */
async function openComposer() {
  const { desk, me, newsroom } = deskOf();
  const editor = makeEditor(english, desk, openDraftStore(me.id, coverage.id, 'new'));
  onTestFinished(editor.start());
  await expect.poll(() => editor.$isReady.get()).toBe(true);
  const bodies = async () => (await readDrafts(me.id)).map(({ form }) => (form as { body: string }).body);
  return { desk, me, newsroom, editor, bodies };
}

/** A fake newsroom that records the calls and returns the next version. */
function recordingSend() {
  const calls: [action: string, version: unknown][] = [];
  const send: Send = async (action, { version }) => {
    calls.push([action, version]);
    return { version: Number(version ?? 0) + 1, state: 'draft' };
  };
  return { calls, send };
}

test('shows a concurrent save beside the form at once, and can save over it', async () => {
  const { newsroom, desk, me } = deskOf();
  const editor = makeEditor(english, desk, openDraftStore(me.id, coverage.id, 'new'));
  onTestFinished(editor.start());
  await expect.poll(() => editor.$isReady.get()).toBe(true);
  editor.change({ body: 'Mine' });
  const { id } = editor.$edited.get();
  newsroom.rows.push(deskUpdate({ id, version: 3, headline: 'Theirs' }));
  await expect.poll(() => readCommands(me.id)).toHaveLength(1);
  await sendCommands(me.id, () => Promise.reject(new Refused(refusal('conflict', { version: 3 }))));
  await expect.poll(() => editor.$status.get()).toMatchObject({ step: 'refused', isUnasked: true });
  const status = editor.$status.get();
  const theirs = status.step === 'refused' ? status.theirs : undefined;
  expect([theirs?.headline, editor.$edited.get().form.body]).toEqual(['Theirs', 'Mine']);

  // Later input is stored but not sent. After the choice it replaces the other version.
  editor.change({ body: 'Mine still' });
  expect(editor.$status.get().step).toBe('refused');
  if (theirs) editor.rebase(theirs, editor.$edited.get().form);
  await expect.poll(async () => (await readCommands(me.id)).map(({ base }) => base.version)).toEqual([3]);
});

describe('the message about a conflict', () => {
  const OTHER = { created_by: 'p', by_name: 'Priya' };
  /** The message after an autosave was refused because `saver` had saved version 3. */
  async function messageAfter(saver: (me: string) => typeof OTHER | null): Promise<string> {
    const { newsroom, editor, me } = await openComposer();
    newsroom.saver = saver(me.id);
    editor.change({ body: 'Mine' });
    newsroom.rows.push(deskUpdate({ id: editor.$edited.get().id, version: 3 }));
    await expect.poll(() => readCommands(me.id)).toHaveLength(1);
    await sendCommands(me.id, () => Promise.reject(new Refused(refusal('conflict', { version: 3 }))));
    await expect.poll(() => editor.$status.get().step).toBe('refused');
    const status = editor.$status.get();
    return status.step === 'refused' ? sentenceOf(status.refusal, english) : '';
  }

  test('names no person if the person is not known', async () => {
    expect(await messageAfter(() => null)).toBe(english.errors.conflict);
  });

  test('names the person who saved first, also if it is this person', async () => {
    expect(await messageAfter(() => OTHER)).toBe(english.desk.conflict.savedBy('Priya'));
    const { savedByYou } = english.desk.conflict;
    expect(await messageAfter((me) => ({ ...OTHER, created_by: me }))).toBe(savedByYou);
  });
});

describe('the message about a queued command', () => {
  const ID = 'd0000000-0000-4000-8000-000000000002';
  const CONFLICT = refusal('conflict', { version: 3 });
  const { conflict } = english.desk;

  test('names the person who saved the update first', async () => {
    const { desk, newsroom, me } = deskOf();
    const sentence = async () => sentenceOf(await nameSaver(desk, { subject: ID }, CONFLICT), english);
    expect(await sentence()).toBe(english.errors.conflict);
    newsroom.saver = { created_by: 'p', by_name: 'Priya' };
    expect(await sentence()).toBe(conflict.savedBy('Priya'));
    newsroom.saver = { created_by: me.id, by_name: me.display_name };
    expect(await sentence()).toBe(conflict.savedByYou);
    newsroom.refuse(403);
    expect(await sentence()).toBe(english.errors.conflict);
  });

  test('names the person who saved the summary first, but not for a change of other fields', async () => {
    const { desk, newsroom, me } = deskOf();
    const queued = { subject: coverage.id, summary: 'Mine' };
    const sentence = async () => sentenceOf(await nameSaver(desk, queued, CONFLICT), english);
    expect(await sentence()).toBe(english.errors.conflict);
    const at = '2026-11-21T11:00:00+00:00';
    newsroom.summaryVersions = [{ version: 3, at, by: 'Priya', summary: [] }];
    expect(await sentence()).toBe(conflict.savedBy('Priya'));
    newsroom.summaryVersions = [{ version: 3, at, by: me.display_name, summary: [] }];
    expect(await sentence()).toBe(conflict.savedByYou);
    newsroom.summaryVersions = [{ version: 2, at, by: 'Priya', summary: [] }];
    expect(await sentence()).toBe(english.errors.conflict);
  });

  test('stays as it is for other refusals', async () => {
    const { desk, newsroom } = deskOf();
    newsroom.saver = { created_by: 'p', by_name: 'Priya' };
    const refused = refusal('forbidden');
    expect(await nameSaver(desk, { subject: ID }, refused)).toBe(refused);
  });
});

const GATE = {
  id: 'd0000000-0000-4000-8000-000000000001',
  state: 'ready',
  alt: 'The gate',
  caption: null,
  credit: null,
} as DeskPhoto;

/** An editor with a photo whose stored text is known. Timers are fake. */
async function editWithPhoto() {
  const { desk, me } = deskOf();
  vi.mocked(desk.photos.expect).mockRestore();
  const editor = makeEditor(english, desk, openDraftStore(me.id, coverage.id, 'new'));
  onTestFinished(editor.start());
  await expect.poll(() => editor.$isReady.get()).toBe(true);
  await desk.photos.expect([GATE.id], [GATE]);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const sentActions = async () =>
    (await readCommands(me.id)).flatMap(({ calls }) => calls.map(({ action }) => action));
  /** Lets the autosave run. */
  const pause = () => vi.advanceTimersByTimeAsync(2000);
  return { desk, me, editor, sentActions, pause };
}

test('keeps the changed text of a library photo on the device until the update is saved', async () => {
  const { me, editor, sentActions, pause } = await editWithPhoto();
  editor.change({ body: 'The gate', photos: [formPhoto(GATE)] });
  await pause();
  expect(await sentActions()).toEqual(['save_update']);
  editor.photos.changeText(GATE.id, { alt: 'The low' });
  editor.change({ body: 'The gate is shut' });
  await pause();
  expect(await sentActions()).toEqual(['save_update']);
  expect(await readDrafts(me.id)).toMatchObject([
    { isSaved: false, form: { body: 'The gate is shut', photos: [{ alt: 'The low' }] } },
  ]);
  await editor.send({ kind: 'save' });
  expect(await sentActions()).toEqual(['save_photo', 'save_update']);
});

test('saves the text of a photo that was chosen for the update on this device', async () => {
  const { desk, editor, sentActions, pause } = await editWithPhoto();
  const status = { ...NEW_PHOTO, id: GATE.id, update: editor.$edited.get().id };
  vi.spyOn(desk.photos.$photos, 'get').mockReturnValue({ [GATE.id]: status });
  editor.change({ photos: [{ ...formPhoto(GATE), alt: 'The lower gate' }] });
  await pause();
  expect(await sentActions()).toEqual(['save_photo', 'save_update']);
});

test('keeps the words of the next update that are typed while a command is being stored', async () => {
  const { desk, me } = deskOf();
  const editor = makeEditor(english, desk, openDraftStore(me.id, coverage.id, 'new'));
  onTestFinished(editor.start());
  await expect.poll(() => editor.$isReady.get()).toBe(true);
  editor.change({ body: 'The bridge is closed' });
  const sent = editor.send({ kind: 'publish' });
  editor.change({ body: 'The quay' });
  await sent;
  expect(editor.$edited.get().form.body).toBe('The quay');
  await expect
    .poll(async () => (await readDrafts(me.id)).map(({ id, form }) => [id, (form as { body: string }).body]))
    .toEqual([[editor.$edited.get().id, 'The quay']]);
  expect(await readCommands(me.id)).toMatchObject([{ edited: { form: { body: 'The bridge is closed' } } }]);
});

test('refuses no key while a command is being stored, but in a panel of the same update', () => {
  const { desk, me } = deskOf();
  const fieldsWhileSending = (before?: DeskUpdate) => {
    const editor = makeEditor(english, desk, openDraftStore(me.id, coverage.id, before?.id ?? 'new'), before);
    const $status = atom<EditorStatus>({ step: 'sending' });
    return renderToString(createElement(Editor, { desk, editor: { ...editor, $status }, isReady: true }));
  };
  expect(fieldsWhileSending()).not.toMatch(/ readonly=/i);
  expect(fieldsWhileSending(published(1))).toMatch(/<textarea[^>]* readonly=/i);
});

test('brings the words back when the command cannot be stored', async () => {
  const { desk, me } = deskOf();
  const editor = makeEditor(english, desk, openDraftStore(me.id, coverage.id, 'new'));
  onTestFinished(editor.start());
  await expect.poll(() => editor.$isReady.get()).toBe(true);
  editor.change({ body: 'The bridge is closed' });
  vi.spyOn(desk.outbox, 'add').mockRejectedValue(new Error('A fault of the outbox.'));
  await expect(editor.send({ kind: 'publish' })).rejects.toThrow('A fault of the outbox.');
  expect([editor.$edited.get().form.body, editor.$status.get().step]).toEqual([
    'The bridge is closed',
    'writing',
  ]);
  const again = editor.send({ kind: 'publish' });
  editor.change({ body: 'The quay' });
  await expect(again).rejects.toThrow();
  expect([editor.$edited.get().form.body, editor.$aside.get()?.body]).toEqual([
    'The quay',
    'The bridge is closed',
  ]);
});

test('stores a summary while it is typed, queues it, and shows it again after a refusal', async () => {
  const { desk, me } = deskOf();
  const form = makeSummaryForm(english, desk);
  form.type('The river is rising');
  await expect
    .poll(async () => (await readDrafts(me.id)).map(({ form }) => form))
    .toEqual([{ text: 'The river is rising' }]);
  // As after opening another page.
  const again = makeSummaryForm(english, desk);
  again.start();
  await expect.poll(() => again.$text.get()).toBe('The river is rising');
  await again.save();
  expect(await readDrafts(me.id)).toEqual([]);
  expect(desk.outbox.$commands.get()).toMatchObject([{ kind: 'summary', step: 'on_device' }]);
  // Further input is saved over the queued version.
  expect(makeSummaryForm(english, desk).$text.get()).toBe('The river is rising');

  await sendCommands(me.id, () => Promise.reject(new Refused(refusal('conflict', { version: 9 }))));
  const [command] = await readCommands(me.id);
  expect(command).toMatchObject({ state: 'refused', base: { version: coverage.version } });
  const refused = { ...desk.outbox.$commands.get()[0], step: 'needs_you' } as QueuedCommandView;
  const opened = makeSummaryForm(english, desk, refused);
  expect(opened.$text.get()).toBe('The river is rising');
  opened.type('The river is falling');
  await opened.save();
  expect(await readCommands(me.id)).toMatchObject([
    { state: 'waiting', edited: { summary: 'The river is falling' } },
  ]);
  expect(await readDrafts(me.id)).toEqual([]);
});

describe('a new update whose autosave waits', () => {
  /** Types a text and waits until its autosave is queued. */
  async function typeAndPause() {
    const composer = await openComposer();
    composer.editor.change({ body: 'Begun' });
    await expect.poll(() => readCommands(composer.me.id)).toHaveLength(1);
    return composer;
  }
  const stored = async (me: string) => [...(await readDrafts(me)), ...(await readCommands(me))];

  test('leaves nothing to send when it is discarded', async () => {
    const { me, editor } = await typeAndPause();
    editor.clear();
    await expect.poll(() => stored(me.id)).toEqual([]);
  });

  test('leaves nothing to send when more was typed before it is discarded', async () => {
    const { me, editor, bodies } = await typeAndPause();
    editor.change({ body: 'Begun and continued' });
    await expect.poll(bodies).toEqual(['Begun and continued']);
    editor.clear();
    await expect.poll(() => stored(me.id)).toEqual([]);
  });

  test('is spiked when it is discarded after the autosave was sent', async () => {
    const { me, editor } = await typeAndPause();
    await sendCommands(me.id, () => Promise.reject(new Refused('unavailable')));
    editor.clear();
    await expect
      .poll(async () => (await readCommands(me.id)).map(({ kind }) => kind))
      .toEqual(['auto', 'spike']);
    const { calls, send } = recordingSend();
    await sendCommands(me.id, send);
    expect(calls).toEqual([
      ['save_update', undefined],
      ['spike_update', 1],
    ]);
    expect(await readDrafts(me.id)).toEqual([]);
  });

  test('keeps its base when it is emptied and typed again', async () => {
    const { me, editor, bodies } = await typeAndPause();
    const { calls, send } = recordingSend();
    await sendCommands(me.id, () => Promise.reject(new Refused('unavailable')));
    editor.change({ body: '' });
    await expect.poll(bodies).toEqual(['']);
    editor.change({ body: 'Begun again' });
    await expect.poll(() => readCommands(me.id)).toHaveLength(2);
    await sendCommands(me.id, send);
    expect(calls).toEqual([
      ['save_update', undefined],
      ['save_update', 1],
    ]);
  });

  test('leaves nothing to send when it is emptied', async () => {
    const { me, editor } = await typeAndPause();
    editor.change({ body: '' });
    await expect.poll(() => stored(me.id)).toEqual([]);
  });
});

test('keeps the next update that is begun at once after discarding one', async () => {
  const { editor, bodies } = await openComposer();
  editor.change({ body: 'Discarded' });
  editor.clear();
  editor.change({ body: 'The next one' });
  await expect.poll(bodies).toEqual(['The next one']);
  expect(editor.$edited.get().form.body).toBe('The next one');
});
