import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { accessTokens } from '../../../src/islands/outbox/access-tokens.ts';
import {
  addCommand,
  deleteCommand,
  holdCommand,
  readCommands,
  reopenedScope,
  retryCommand,
} from '../../../src/islands/outbox/commands.ts';
import { deleteDraft, readDrafts, saveDraft, setDevicePerson } from '../../../src/islands/outbox/drafts.ts';
import type { NewCommand } from '../../../src/islands/outbox/entries.ts';
import { makeOutbox } from '../../../src/islands/outbox/outbox.ts';
import type { Send } from '../../../src/islands/outbox/rpc.ts';
import { commandSender } from '../../../src/islands/outbox/rpc.ts';
import { sendCommands } from '../../../src/islands/outbox/send-commands.ts';
import { startSending } from '../../../src/islands/outbox/start-sending.ts';
import type { ErrorCode } from '../../../src/lib/domain/errors.ts';
import { Refused, refusal } from '../../../src/lib/i18n/refusals.ts';
import { eventually } from '../../support/eventually.ts';

const person = () => crypto.randomUUID();
const pressed = (me: string, more: Partial<NewCommand<null>> = {}): NewCommand<null> => ({
  edited: null,
  id: crypto.randomUUID(),
  person: me,
  coverage: 'c',
  slug: 's',
  subject: crypto.randomUUID(),
  kind: 'publish',
  title: 'Words',
  base: { version: null, command: null },
  calls: [{ action: 'publish_update', args: {}, isVersioned: true }],
  ...more,
});
const states = async (me: string) => (await readCommands(me)).map(({ state }) => state);

/** A newsroom that fails with these errors in sequence, and then succeeds. */
const failing = (codes: ErrorCode[]): Send => {
  const left = [...codes];
  return async () => {
    const code = left.shift();
    if (code) throw new Refused(refusal(code));
    return { version: 1, number: 1, state: 'published' };
  };
};

test('retries a fault after a long time offline, without showing it', async () => {
  const me = person();
  await addCommand(pressed(me));
  const send = failing([...Array<ErrorCode>(9).fill('unavailable'), 'internal']);
  for (let tries = 0; tries < 10; tries += 1)
    expect(await sendCommands(me, send)).toEqual({ pauseReason: 'line' });
  await sendCommands(me, send);
  expect(await states(me)).toEqual(['done']);
});

test('a command that may have succeeded cannot be cancelled after a retry', async () => {
  const me = person();
  const { id } = await addCommand(pressed(me));
  const send = failing(Array<ErrorCode>(5).fill('internal'));
  for (let tries = 0; tries < 5; tries += 1) await sendCommands(me, send);
  expect(await states(me)).toEqual(['refused']);
  await retryCommand(id);
  expect(await deleteCommand(id)).toBeUndefined();
  expect(await holdCommand(id)).toBeUndefined();
});

const page = () => new Response('<p>Room number?</p>', { headers: { 'Content-Type': 'text/html' } });
const token = (person = 'me') =>
  Response.json({
    access_token: `x.${btoa(JSON.stringify({ sub: person }))}.x`,
    expires_at: Date.now() / 1000 + 3600,
  });

test.for([
  ['a page of its own', page, page],
  ['a page of its own to the press alone', token, page],
  ['nothing to the press', token, () => new Response(null, { status: 204 })],
] as const)('a line that answers with %s has sent nothing', async ([, tokens, answer]) => {
  const me = person();
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal('location', { origin: 'http://newsroom.test' });
  vi.stubGlobal('fetch', async (input: RequestInfo | URL) =>
    String(input).includes('/api/token') ? tokens() : answer(),
  );
  await addCommand(pressed(me));
  const send = commandSender({ publicUrl: '/', publishableKey: 'x' }, accessTokens('me'));
  expect(await sendCommands(me, send)).toEqual({ pauseReason: 'line' });
  expect(await states(me)).toEqual(['waiting']);
});

test("sends nothing under another person's session", async () => {
  const me = person();
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal('location', { origin: 'http://newsroom.test' });
  const requested: string[] = [];
  vi.stubGlobal('fetch', async (input: RequestInfo | URL) => {
    requested.push(String(input));
    return String(input).includes('/api/token') ? token('you') : Response.json({ version: 1 });
  });
  await addCommand(pressed(me));
  const send = commandSender({ publicUrl: '/', publishableKey: 'x' }, accessTokens('me'));
  expect(await sendCommands(me, send)).toEqual({ pauseReason: 'session' });
  expect(requested).toEqual(['/api/token']);
  expect(await states(me)).toEqual(['waiting']);
});

test('keeps a draft that changed while its earlier text was queued', async () => {
  const me = person();
  const words = { person: me, coverage: 'c', scope: 'new', id: 'u', before: null };
  const draft = await saveDraft({ ...words, form: 'sent' }, null);
  await saveDraft({ ...words, form: 'typed since' }, draft);
  await addCommand(pressed(me, { subject: 'u' }), { draft });
  expect((await readDrafts(me)).map(({ form }) => form)).toEqual(['typed since']);
});

test('keeps text in memory when the device stores nothing', async () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.resetModules();
  vi.stubGlobal('indexedDB', {
    open() {
      throw new DOMException('', 'QuotaExceededError');
    },
  });
  const { isDurable } = await import('../../../src/islands/outbox/store.ts');
  const drafts = await import('../../../src/islands/outbox/drafts.ts');
  const me = person();
  await drafts.saveDraft(
    { person: me, coverage: 'c', scope: 'new', id: 'u', form: 'words', before: null },
    null,
  );
  expect((await drafts.readDrafts(me)).map(({ form }) => form)).toEqual(['words']);
  expect(isDurable()).toBe(false);
});

test('treats a photo as stored while the device cannot be read', async () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.resetModules();
  vi.stubGlobal('indexedDB', {
    open() {
      throw new DOMException('', 'UnknownError');
    },
  });
  const { openPhotoStore } = await import('../../../src/islands/photos/photo-store.ts');
  expect(await openPhotoStore(person()).has('photo')).toBe(true);
});

test('changes of a command that was sent meanwhile use the version that it created', async () => {
  const me = person();
  const { id, subject } = await addCommand(pressed(me));
  await sendCommands(me, failing([]));
  const next = await addCommand(
    pressed(me, { subject, kind: 'change', base: { version: null, command: id } }),
  );
  expect(next.base).toEqual({ version: 1, command: null });
});

test('changes of a refused command go with it', async () => {
  const me = person();
  const { id, subject } = await addCommand(pressed(me));
  await sendCommands(me, failing(['bad_state']));
  await saveDraft(
    { person: me, coverage: 'c', scope: reopenedScope(id), id: subject, form: 'more', before: null },
    null,
  );
  await deleteCommand(id);
  expect(await readDrafts(me)).toEqual([]);
});

/** A page without events. */
function stubPage(): void {
  // Registered last, so that it runs before what the test registers.
  onTestFinished(() => void vi.unstubAllGlobals());
  const quiet = { addEventListener: () => {}, removeEventListener: () => {} };
  vi.stubGlobal('window', quiet);
  vi.stubGlobal('document', {
    ...quiet,
    visibilityState: 'visible',
    documentElement: { lang: 'en', dataset: {} },
  });
  vi.stubGlobal('reportError', () => undefined);
}

test('continues sending when the browser fails a lock', async () => {
  stubPage();
  const { locks } = navigator;
  const request = vi.spyOn(locks, 'request').mockRejectedValueOnce(new DOMException('', 'AbortError'));
  onTestFinished(() => request.mockRestore());
  const me = person();
  await addCommand(pressed(me));
  const delivering = startSending(me, failing([]));
  onTestFinished(delivering.stop);
  await eventually(() => expect(request).toHaveBeenCalled());
  delivering.sendNow();
  await expect.poll(() => states(me)).toEqual(['done']);
});

test('sends nothing while the device belongs to another person', async () => {
  stubPage();
  const me = person();
  await setDevicePerson(person());
  onTestFinished(() => setDevicePerson(null));
  const outbox = makeOutbox({ person: me, coverage: { id: 'c', slug: 's' }, send: failing([]) });
  onTestFinished(outbox.start());
  await outbox.add(pressed(me), {});
  await expect.poll(() => outbox.$pauseReason.get()).toBe('session');
  expect(await states(me)).toEqual(['waiting']);
  await setDevicePerson(me);
  await expect.poll(() => states(me)).toEqual(['done']);
});

test('reports that a withdrawal waits behind a refused change', async () => {
  stubPage();
  const me = person();
  const outbox = makeOutbox({ person: me, coverage: { id: 'c', slug: 's' }, send: failing(['conflict']) });
  onTestFinished(outbox.start());
  await outbox.add(pressed(me, { subject: 'u', kind: 'change' }), {});
  await expect.poll(() => states(me)).toEqual(['refused']);
  expect(await outbox.addAndWait(pressed(me, { subject: 'u', kind: 'withdraw' }))).toBeUndefined();
});

test('stores commands while the sentences of an earlier refusal are loading', async () => {
  stubPage();
  const sentences = '../../../src/lib/i18n/en/database-errors.ts';
  const loading = Promise.withResolvers<object>();
  vi.doMock(sentences, () => loading.promise);
  onTestFinished(() => void vi.doUnmock(sentences));
  const me = person();
  await addCommand(pressed(me, { subject: 'u' }));
  const reason = refusal('bad_state', { reason: 'update_not_draft' });
  await sendCommands(me, () => Promise.reject(new Refused(reason)));
  const outbox = makeOutbox({ person: me, coverage: { id: 'c', slug: 's' }, send: failing([]) });
  await outbox.add(pressed(me), {});
  expect(outbox.$commands.get().map(({ step }) => step)).toEqual(['needs_you', 'on_device']);
  const renders: number[] = [];
  onTestFinished(outbox.$commands.listen((commands) => renders.push(commands.length)));
  loading.resolve({ errorMessages: {} });
  await expect.poll(() => renders).toEqual([2]);
});

describe('the mended text of a refused command', () => {
  const mendedOf = ({ id, subject }: NewCommand, me: string) => ({
    person: me,
    coverage: 'c',
    scope: reopenedScope(id),
    id: subject,
    form: 'mended',
    before: null,
  });

  test('is opened instead of sending the old text again', async () => {
    const me = person();
    const command = await addCommand(pressed(me));
    await sendCommands(me, failing(['bad_state']));
    const outbox = makeOutbox({ person: me, coverage: { id: 'c', slug: 's' }, send: failing([]) });
    const draft = await saveDraft(mendedOf(command, me), null);
    expect(await outbox.retry(command.id)).toBe('open');
    expect(await states(me)).toEqual(['refused']);
    await deleteDraft(draft);
    expect(await outbox.retry(command.id)).toBe('sent');
    expect(await states(me)).toEqual(['waiting']);
  });

  test.for([
    ['publish', 'u', 'u'],
    ['summary', 'c/summary', 'summary'],
  ] as const)(
    'becomes a draft of its own when another page has sent the old one: %s',
    async ([kind, subject, scope]) => {
      const me = person();
      const command = await addCommand(pressed(me, { kind, subject }));
      await sendCommands(me, failing(['bad_state']));
      await retryCommand(command.id);
      const seen = await saveDraft(mendedOf(command, me), null);
      await sendCommands(me, failing([]));
      const moved = { scope, base: { version: 1, command: null } };
      expect(await readDrafts(me)).toMatchObject([{ ...moved, form: 'mended' }]);
      // The panel is still open.
      await saveDraft({ ...mendedOf(command, me), form: 'mended more' }, seen);
      expect(await readDrafts(me)).toMatchObject([{ ...moved, form: 'mended more' }]);
    },
  );
});

describe('the undo of a publication', () => {
  /** Sends one command. @returns its view, as the desk shows it */
  async function sendOne(me: string, kind: NewCommand<null>['kind'], state: string) {
    const outbox = makeOutbox({
      person: me,
      coverage: { id: 'c', slug: 's' },
      send: async () => ({ version: 1, number: 1, state }),
    });
    vi.stubGlobal('window', new EventTarget());
    onTestFinished(() => void vi.unstubAllGlobals());
    onTestFinished(outbox.start());
    const { id } = await addCommand(pressed(me, { kind }));
    outbox.sendNow();
    await expect.poll(() => outbox.$commands.get().find((view) => view.id === id)?.number).toBe(1);
    return outbox;
  }

  test.each([
    ['publish', 'published', true],
    ['publish', 'scheduled', false],
    ['change', 'published', false],
  ] as const)('is offered after %s that left the update %s: %s', async (kind, state, isOffered) => {
    const outbox = await sendOne(person(), kind, state);
    expect(outbox.$commands.get().map(({ undoUntil }) => undoUntil !== undefined)).toEqual([isOffered]);
  });

  test('is offered for ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const outbox = await sendOne(person(), 'publish', 'published');
    await vi.advanceTimersByTimeAsync(9_000);
    expect(outbox.$commands.get()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2_000);
    await expect.poll(() => outbox.$commands.get()).toEqual([]);
  });
});
