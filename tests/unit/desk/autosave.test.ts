import { atom } from 'nanostores';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeDesk } from '../../../src/islands/desk/desk.ts';
import { makeSummaryForm } from '../../../src/islands/desk/summary-form.ts';
import { openDraftStore } from '../../../src/islands/editor/draft-store.ts';
import { Editor } from '../../../src/islands/editor/Editor.tsx';
import { type EditorStatus, makeEditor } from '../../../src/islands/editor/editor.ts';
import { readCommands } from '../../../src/islands/outbox/commands.ts';
import { readDrafts } from '../../../src/islands/outbox/drafts.ts';
import type { QueuedCommandView } from '../../../src/islands/outbox/outbox.ts';
import { sendCommands } from '../../../src/islands/outbox/send-commands.ts';
import type { DeskUpdate } from '../../../src/lib/domain/updates.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { Refused, refusal } from '../../../src/lib/i18n/refusals.ts';
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
