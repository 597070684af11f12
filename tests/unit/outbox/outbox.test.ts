import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  addCommand,
  deleteCommand,
  deleteUnsentDraft,
  readCommands,
  readPendingCommands,
} from '../../../src/islands/outbox/commands.ts';
import { draftChange, readDrafts, saveDraft, saveOnLeaving } from '../../../src/islands/outbox/drafts.ts';
import type { BaseVersion, Draft } from '../../../src/islands/outbox/entries.ts';
import { retryDelay } from '../../../src/islands/outbox/retry.ts';
import type { Send } from '../../../src/islands/outbox/rpc.ts';
import { sendCommands } from '../../../src/islands/outbox/send-commands.ts';
import type { ErrorCode } from '../../../src/lib/domain/errors.ts';
import type { CommandKind } from '../../../src/lib/domain/updates.ts';
import { Refused, refusal } from '../../../src/lib/i18n/refusals.ts';

/** Without IndexedDB the outbox uses memory, with the same steps. */
const person = () => crypto.randomUUID();

type Made = {
  person: string;
  subject?: string;
  kind?: CommandKind;
  base?: BaseVersion;
  draft?: Draft;
  words?: string;
};

/** Queues a command with one call, or with two: submitting saves first. */
function press({ person, subject = crypto.randomUUID(), kind = 'publish', base, draft, words = '' }: Made) {
  const actions = kind === 'submit' ? ['save_update', 'submit_update'] : [`${kind}_update`];
  const calls = actions.map((action) => ({ action, args: { words }, isVersioned: true }));
  return addCommand(
    {
      id: crypto.randomUUID(),
      person,
      coverage: 'c',
      slug: 's',
      subject,
      kind,
      title: words,
      edited: { words },
      base: base ?? { version: null, command: null },
      calls,
    },
    { draft: draft ?? null },
  );
}

/** A fake newsroom that records calls and returns the next version. */
function newsroom(refuse: (words: string, nth: number) => ErrorCode | undefined = () => undefined) {
  const got: { action: string; words: string; version: unknown; idempotency_key: unknown }[] = [];
  const send: Send = async (action, { words, version, idempotency_key }) => {
    got.push({ action, words: String(words), version, idempotency_key });
    const code = refuse(String(words), got.length);
    if (code) throw new Refused(refusal(code));
    return { version: Number(version ?? 0) + 1, number: 7, state: 'published' };
  };
  return { got, send };
}

const inputOf = (person: string, id: string, form: unknown) => ({
  person,
  coverage: 'c',
  scope: 'new',
  id,
  form,
  before: null,
});
const draftOf = (person: string, id: string, form: unknown, seen: Draft | null = null) =>
  saveDraft(inputOf(person, id, form), seen);

describe('the order', () => {
  test('sends commands in order, and a refused one blocks only its own update', async () => {
    const me = person();
    const { got, send } = newsroom((words) => (words === 'bad' ? 'bad_state' : undefined));
    await press({ person: me, subject: 'a', words: 'bad' });
    await press({ person: me, subject: 'b', words: 'second' });
    await press({ person: me, subject: 'a', kind: 'change', words: 'after the bad one' });
    await press({ person: me, subject: 'c', words: 'third' });
    expect(await sendCommands(me, send)).toEqual({ pauseReason: null });
    expect(got.map(({ words }) => words)).toEqual(['bad', 'second', 'third']);
    expect((await readPendingCommands(me)).map(({ title, state }) => [title, state])).toEqual([
      ['bad', 'refused'],
      ['after the bad one', 'waiting'],
    ]);
  });

  test('stops at a lost connection, and repeats with the same idempotency key', async () => {
    const me = person();
    const { got, send } = newsroom((_, nth) => (nth === 2 ? 'unavailable' : undefined));
    for (const words of ['one', 'two', 'three']) await press({ person: me, words });
    expect(await sendCommands(me, send)).toEqual({ pauseReason: 'line' });
    await sendCommands(me, send);
    expect(got.map(({ words }) => words)).toEqual(['one', 'two', 'two', 'three']);
    expect(got[1]?.idempotency_key).toBe(got[2]?.idempotency_key);
    expect(await readPendingCommands(me)).toEqual([]);
  });

  test('sends each command once with two concurrent senders', async () => {
    const me = person();
    const { got, send } = newsroom();
    for (const words of ['one', 'two']) await press({ person: me, words });
    await Promise.all([sendCommands(me, send), sendCommands(me, send)]);
    expect(got.map(({ words }) => words)).toEqual(['one', 'two']);
  });

  test('sends and reads commands of their own person only', async () => {
    const [me, you] = [person(), person()];
    const { got, send } = newsroom();
    await press({ person: me, words: 'mine' });
    await sendCommands(you, send);
    expect(got).toEqual([]);
    expect(await readCommands(you)).toEqual([]);
    expect(await readDrafts(you)).toEqual([]);
  });

  test('keeps commands when the session ends, and shows a fault after several tries', async () => {
    const me = person();
    await press({ person: me, words: 'kept' });
    expect(await sendCommands(me, newsroom(() => 'signed_out').send)).toEqual({ pauseReason: 'session' });
    const faulty = newsroom(() => 'internal');
    let tries = 0;
    while ((await readPendingCommands(me))[0]?.state === 'waiting' && tries < 10) {
      await sendCommands(me, faulty.send);
      tries += 1;
    }
    expect(tries).toBeLessThan(10);
    expect(new Set(faulty.got.map(({ idempotency_key }) => idempotency_key)).size).toBe(1);
    expect((await readPendingCommands(me))[0]?.refusal?.code).toBe('internal');
  });
});

describe('versions', () => {
  test('sends a change of a queued command over the version that it created', async () => {
    const me = person();
    const { got, send } = newsroom();
    const first = await press({ person: me, subject: 'u', kind: 'submit', words: 'draft' });
    await press({ person: me, subject: 'u', base: { version: null, command: first.id }, words: 'final' });
    await sendCommands(me, send);
    expect(got.map(({ action, version }) => [action, version])).toEqual([
      ['save_update', undefined],
      ['submit_update', 1],
      ['publish_update', 2],
    ]);
  });

  test('does not repeat a finished step when the next one failed', async () => {
    const me = person();
    const { got, send } = newsroom((_, nth) => (nth === 2 ? 'unavailable' : undefined));
    await press({ person: me, kind: 'submit', words: 'draft' });
    await sendCommands(me, send);
    await sendCommands(me, send);
    expect(got.map(({ action, version }) => [action, version])).toEqual([
      ['save_update', undefined],
      ['submit_update', 1],
      ['submit_update', 1],
    ]);
  });

  test('replaces a queued draft until it was tried, and continues from it then', async () => {
    const me = person();
    const { got, send } = newsroom();
    let draft = await draftOf(me, 'u', 'one');
    await press({ person: me, subject: 'u', kind: 'auto', draft, words: 'one' });
    [draft] = (await readDrafts(me)) as [Draft];
    await press({ person: me, subject: 'u', kind: 'auto', draft, words: 'two' });
    expect((await readPendingCommands(me)).map(({ title }) => title)).toEqual(['two']);
    await sendCommands(me, send);
    [draft] = (await readDrafts(me)) as [Draft];
    expect(draft.base).toEqual({ version: 1, command: null });
    await press({ person: me, subject: 'u', draft, words: 'three' });
    expect(await readDrafts(me)).toEqual([]);
    await sendCommands(me, send);
    expect(got.map(({ action, words, version }) => [action, words, version])).toEqual([
      ['auto_update', 'two', undefined],
      ['publish_update', 'three', 1],
    ]);
  });
});

describe('taking back', () => {
  test('works until the first try, and later commands use the earlier base', async () => {
    const me = person();
    const base = { version: 4, command: null };
    const first = await press({ person: me, subject: 'u', kind: 'change', base, words: 'first' });
    const after = { version: null, command: first.id };
    await press({ person: me, subject: 'u', kind: 'change', base: after, words: 'second' });
    expect((await deleteCommand(first.id))?.edited).toEqual({ words: 'first' });
    const { got, send } = newsroom(() => 'unavailable');
    await sendCommands(me, send);
    expect(got.map(({ words, version }) => [words, version])).toEqual([['second', 4]]);
    const [second] = await readPendingCommands(me);
    expect(await deleteCommand(second?.id ?? '')).toBeUndefined();
  });
});

describe('discarding a new update', () => {
  const autosaved = async (me: string) => {
    const draft = await draftOf(me, 'u', 'begun');
    await press({ person: me, subject: 'u', kind: 'auto', draft, words: 'begun' });
    return draft;
  };

  test('deletes its unsent autosave, also when more was typed since', async () => {
    const me = person();
    const more = await draftOf(me, 'u', 'begun and continued', await autosaved(me));
    expect(await deleteUnsentDraft(more)).toBe(true);
    expect([await readDrafts(me), await readCommands(me)]).toEqual([[], []]);
  });

  test('deletes nothing when the autosave was tried, and the update is spiked after it', async () => {
    const me = person();
    const draft = await autosaved(me);
    await sendCommands(me, newsroom(() => 'unavailable').send);
    expect(await deleteUnsentDraft(draft)).toBe(false);
    await press({ person: me, subject: 'u', kind: 'spike', draft });
    const { got, send } = newsroom();
    await sendCommands(me, send);
    expect(got.map(({ action, version }) => [action, version])).toEqual([
      ['auto_update', undefined],
      ['spike_update', 1],
    ]);
  });

  test('leaves the version that another page has written since, and its autosave', async () => {
    const me = person();
    const draft = await autosaved(me);
    await draftOf(me, 'u', 'continued elsewhere', draft);
    expect(await deleteUnsentDraft(draft)).toBe(true);
    expect((await readDrafts(me)).map(({ form }) => form)).toEqual(['continued elsewhere']);
    expect(await readPendingCommands(me)).toHaveLength(1);
  });
});

test('keeps the text of two pages that write one draft', async () => {
  const me = person();
  const seen = await draftOf(me, 'u', 'begun');
  await draftOf(me, 'u', 'gone on with', seen);
  const mine = await draftOf(me, 'u', 'otherwise', seen);
  await draftOf(me, 'u', 'otherwise indeed', mine);
  expect((await readDrafts(me)).map(({ form }) => form)).toEqual(['gone on with', 'otherwise indeed']);
});

test('keeps its own base when another page changed the draft on top of a newer version', async () => {
  const me = person();
  const on = (version: number) => ({ base: { version, command: null } });
  const seen = await saveDraft({ ...inputOf(me, 'u', 'begun'), ...on(1) }, null);
  const theirs = await saveDraft({ ...inputOf(me, 'u', 'theirs'), ...on(2) }, seen);
  const mine = await draftOf(me, 'u', 'mine', seen);
  expect(mine.base.version).toBe(1);
  await press({ person: me, subject: 'u', kind: 'auto', draft: theirs });
  await sendCommands(me, () => Promise.reject(new Refused(refusal('conflict', { version: 3 }))));
  // The conflict of the other page's autosave is not its own.
  expect((await draftOf(me, 'u', 'mine, too', seen)).refusal).toBeNull();
});

describe('a page that is left before its last change is stored', () => {
  /** Local storage in memory. Its keys are properties, as in a browser. */
  function stubLocalStorage(): void {
    const methods = {
      getItem: (key: string) => stored[key] ?? null,
      setItem: (key: string, value: string) => Object.assign(stored, { [key]: value }),
      removeItem: (key: string) => delete stored[key],
    };
    const stored: Record<string, string> = Object.create(methods);
    vi.stubGlobal('localStorage', stored);
    onTestFinished(() => {
      vi.unstubAllGlobals();
    });
  }
  const formsOf = async (me: string) => (await readDrafts(me)).map(({ form }) => form);

  test('has its text in the draft when drafts are read next, for that person alone', async () => {
    stubLocalStorage();
    const [me, you] = [person(), person()];
    const seen = await draftOf(me, 'u', 'begun');
    localStorage.setItem('stoppress.change.broken', '{');
    localStorage.setItem('stoppress.change.other', '{}');
    saveOnLeaving(draftChange(inputOf(me, 'u', 'begun and ended'), seen, 'last'));
    expect(await formsOf(you)).toEqual([]);
    expect(await formsOf(me)).toEqual(['begun and ended']);
    expect(Object.keys(localStorage)).toEqual(['stoppress.change.broken', 'stoppress.change.other']);
  });

  test('has one draft, also when the change before it or the change itself was stored after all', async () => {
    stubLocalStorage();
    const me = person();
    const seen = await draftOf(me, 'u', 'begun');
    saveOnLeaving(draftChange(inputOf(me, 'u', 'begun and ended'), seen, 'last', 'running'));
    await saveDraft(inputOf(me, 'u', 'begun and'), seen, 'running');
    expect(await formsOf(me)).toEqual(['begun and ended']);
    saveOnLeaving(draftChange(inputOf(me, 'u', 'begun and ended'), seen, 'last'));
    expect(await formsOf(me)).toEqual(['begun and ended']);
  });

  test('keeps the text of another page that changed the draft since', async () => {
    stubLocalStorage();
    const me = person();
    const seen = await draftOf(me, 'u', 'begun');
    await draftOf(me, 'u', 'elsewhere', seen);
    saveOnLeaving(draftChange(inputOf(me, 'u', 'here'), seen, 'last'));
    expect(await formsOf(me)).toEqual(['elsewhere', 'here']);
  });
});

test('pauses grow up to a minute, with randomness', () => {
  expect([1, 2, 3, 7, 50].map((tries) => retryDelay(tries, 1))).toEqual([1000, 2000, 4000, 60_000, 60_000]);
  expect(retryDelay(1, 0)).toBe(500);
});
