import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import {
  createCoverageIn,
  errorOf,
  openTestDatabase,
  SERVER,
  type TestDatabase,
  VISITOR,
} from '../../support/database.ts';

type Caller = Claims & { sub: string };
type Notice = { id: number; kind: string; number: number | null; note: string | null; sender: string };

let database: TestDatabase;
let owner: Caller;
let editor: Caller;
let reporter: Caller;
let coverage_id: string;
let sender: string;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

beforeAll(async () => {
  database = await openTestDatabase();
  owner = await database.createUser('owner');
  editor = await database.createUser('editor');
});
afterAll(() => database?.close());

/** Each test has its own live coverage, and a reporter with a chat. */
beforeEach(async () => {
  await database.rows(`update public.coverages set state = 'ended' where state = 'live'`);
  await database.rows('delete from private.filing_notices');
  await connect('@desk_bot');
  coverage_id = (await createCoverageIn(database, 'live')).coverage_id;
  reporter = await database.createUser('reporter');
  sender = await linked(reporter);
});

const connect = (account: string) =>
  database.call(owner, [
    'connect_filing_channel',
    { channel: 'telegram', account, token: 'x'.repeat(60), delivery_hash: sha256('secret') },
  ]);

/** Links a new chat to a person. */
async function linked(who: Caller): Promise<string> {
  const [chat, code] = [randomUUID(), randomUUID()];
  const args = { channel: 'telegram', code_hash: sha256(code), language: 'es' };
  await database.call(who, ['make_filing_code', args]);
  await database.call(SERVER, [
    'link_filing_sender',
    { channel: 'telegram', sender: chat, name: '@ana', code },
  ]);
  return chat;
}

const content = (words: string) => ({ body: [{ type: 'paragraph', runs: [{ text: words }] }] });
const START = Date.now() - 3_600_000;
const written = (second: number) => new Date(START + second * 1000).toISOString();

/** Files a message. @returns the id of its update */
async function file(words = 'Water rises.', { id = randomUUID(), ...more }: MessageOptions = {}) {
  await fileOutcome(words, { id, ...more });
  return id;
}

type MessageOptions = { from?: string; id?: string; second?: number; options?: object };

/** Files a message. @returns the answer */
async function fileOutcome(
  words: string,
  { from = sender, id = randomUUID(), second = 1, options = {} }: MessageOptions,
) {
  return (await database.call(SERVER, [
    'file_message',
    {
      channel: 'telegram',
      sender: from,
      message_id: id,
      written_at: written(second),
      content: { headline: null, key_event: false, ...content(words) },
      options: { reference: '17', text: words, ...options },
    },
  ])) as { outcome: string };
}

const publish = (who: Caller, update_id: string, version = 1) =>
  database.call(who, [
    'publish_update',
    { coverage_id, update_id, content: content('Water rises.'), version },
  ]);
const correct = (who: Caller, update_id: string, version: number, kind = 'correction') =>
  database.call(who, [
    'correct_update',
    { update_id, version, content: content('Water falls.'), note: 'It fell.', kind },
  ]);
const withdraw = (who: Caller, update_id: string) =>
  database.call(who, ['withdraw_update', { update_id, reason: 'It was wrong.' }]);

const claim = async () =>
  ((await database.call(SERVER, ['claim_filing_notices', { channel: 'telegram' }])) as { notices: Notice[] })
    .notices;
const record = (results: object[]) => database.call(SERVER, ['record_filing_notices', { results }]);
const states = () =>
  database.rows<{ kind: string; state: string; attempts: number }>(
    'select kind, state, attempts from private.filing_notices order by id',
  );
const due = () => database.call(SERVER, ['filing_notices_due', {}]);

/** Sends all notices, and returns their kinds in order. */
async function sendAll(): Promise<Notice[]> {
  const sent: Notice[] = [];
  for (let batch = await claim(); batch.length > 0; batch = await claim()) {
    sent.push(...batch);
    await record(batch.map(({ id }) => ({ id, outcome: 'sent' })));
  }
  return sent;
}

describe('a notice', () => {
  it('is claimed and recorded by the server only', async () => {
    for (const who of [VISITOR, reporter, editor, owner]) {
      for (const call of [
        ['filing_notices_due', {}],
        ['claim_filing_notices', { channel: 'telegram' }],
        ['record_filing_notices', { results: [] }],
      ] as const)
        expect(await errorOf(database.call(who, [call[0], call[1]]))).toMatchObject({ code: '42501' });
    }
  });

  it('is not made of what the sender does, or for updates that were not filed', async () => {
    const trusted = await linked(editor);
    const own = await file('Mine.', { from: trusted });
    await publish(editor, own);
    await correct(editor, own, 2);
    const spiked = await file();
    await database.call(reporter, ['spike_update', { update_id: spiked, version: 1 }]);
    await database.call(editor, [
      'publish_update',
      { coverage_id, update_id: randomUUID(), content: content('Written at the desk.') },
    ]);
    expect(await states()).toEqual([]);
    expect(await due()).toBeNull();
  });

  it('tells what an editor did, in order, with number and note', async () => {
    const id = await file();
    await publish(editor, id);
    await correct(editor, id, 2);
    await correct(editor, id, 3, 'clarification');
    await withdraw(editor, id);
    const discarded = await file('Second.', { second: 2 });
    await database.call(editor, ['spike_update', { update_id: discarded, version: 1 }]);
    expect(await due()).toBe(0);
    expect(await sendAll()).toMatchObject([
      { kind: 'published', number: 1, note: null, sender, language: 'es', reference: '17' },
      { kind: 'corrected', number: 1, note: 'It fell.' },
      { kind: 'clarified', number: 1, note: 'It fell.' },
      { kind: 'withdrawn', number: 1, note: 'It was wrong.' },
      { kind: 'spiked', number: null, note: null },
    ]);
    expect(await sendAll()).toEqual([]);
  });

  it('is not made by a revision without a note', async () => {
    const id = await file();
    await publish(editor, id);
    await sendAll();
    await database.call(editor, [
      'revise_update',
      { update_id: id, version: 2, content: content('Water rises slowly.') },
    ]);
    expect(await claim()).toEqual([]);
  });

  it('is not claimed twice, and not sent again when its result is lost', async () => {
    const id = await file();
    await publish(editor, id);
    expect(await claim()).toHaveLength(1);
    expect(await claim()).toEqual([]);
    await withdraw(editor, id);
    // The order of a chat is kept, so the next one waits.
    expect(await claim()).toEqual([]);
    await database.rows(`update private.filing_notices set claimed_at = now() - interval '3 minutes'`);
    expect(await claim()).toMatchObject([{ kind: 'withdrawn' }]);
    expect(await states()).toMatchObject([{ state: 'failed' }, { state: 'sending' }]);
  });

  it('is tried again later, and given up after five attempts', async () => {
    await publish(editor, await file());
    for (let attempt = 1; attempt <= 5; attempt++) {
      const [notice] = await claim();
      await record([{ id: notice?.id, outcome: 'again' }]);
      expect(await claim()).toEqual([]);
      expect(await states()).toMatchObject([{ state: attempt < 5 ? 'queued' : 'failed', attempts: attempt }]);
      await database.rows('update private.filing_notices set due_at = now()');
    }
    expect(await due()).toBeNull();
  });

  it('waits as long as the channel asks, like those of all chats, without an attempt if it was not tried', async () => {
    const other = await linked(await database.createUser('reporter'));
    await publish(editor, await file());
    await publish(editor, await file('Other.', { from: other }));
    const claimed = await claim();
    expect(claimed).toHaveLength(2);
    await record([
      { id: claimed[0]?.id, outcome: 'again', retry_after: 900 },
      { id: claimed[1]?.id, outcome: 'later', retry_after: 900 },
    ]);
    expect(await states()).toMatchObject([{ attempts: 1 }, { attempts: 0 }]);
    expect(await due()).toBeGreaterThan(890);
    expect(await claim()).toEqual([]);
  });

  it('that failed delays those of all chats when its result says so', async () => {
    const id = await file();
    await publish(editor, id);
    await withdraw(editor, id);
    const [notice] = await claim();
    await record([{ id: notice?.id, outcome: 'failed', retry_after: 30 }]);
    expect(await states()).toMatchObject([{ state: 'failed' }, { state: 'queued' }]);
    expect(await due()).toBeGreaterThan(20);
    expect(await claim()).toEqual([]);
  });

  it('ends with all others of a chat that has blocked the bot, and with no other chat', async () => {
    const other = await linked(await database.createUser('reporter'));
    const id = await file();
    await publish(editor, id);
    await withdraw(editor, id);
    await publish(editor, await file('Other.', { from: other }));
    const [blocked, second] = await claim();
    expect([blocked?.sender, second?.sender]).toEqual([sender, other]);
    await record([
      { id: blocked?.id, outcome: 'closed' },
      { id: second?.id, outcome: 'sent' },
    ]);
    expect(await states()).toMatchObject([{ state: 'failed' }, { state: 'failed' }, { state: 'sent' }]);
    await record([{ id: blocked?.id, outcome: 'again' }]);
    expect(await states()).toMatchObject([{ state: 'failed' }, { state: 'failed' }, { state: 'sent' }]);
  });

  it('is not sent to a contributor who was removed from the coverage of the update', async () => {
    const contributor = await database.createUser('contributor');
    const member = { coverage_id, person_id: contributor.sub };
    await database.call(editor, ['set_coverage_member', member]);
    const id = await file('Theirs.', { from: await linked(contributor) });
    const other = (await createCoverageIn(database, 'live')).coverage_id;
    await database.call(editor, ['set_coverage_member', { ...member, coverage_id: other }]);
    await database.call(editor, ['set_coverage_member', { ...member, expires_at: written(0) }]);
    await publish(editor, id);
    expect(await claim()).toEqual([]);
    expect(await states()).toMatchObject([{ kind: 'published', state: 'failed' }]);
  });

  it('replies to no message of another bot', async () => {
    const id = await file();
    await publish(editor, id);
    await connect('@other_bot');
    expect(await sendAll()).toMatchObject([{ kind: 'published', sender, reference: null }]);
    await connect('@desk_bot');
    await correct(editor, id, 2);
    expect(await sendAll()).toMatchObject([{ kind: 'corrected', sender, reference: '17' }]);
  });

  it('is not sent to a person who was deactivated or unlinked, or whose message is forgotten', async () => {
    await publish(editor, await file());
    await database.call(SERVER, ['set_active', { person_id: reporter.sub, active: false }]);
    expect(await claim()).toEqual([]);
    expect(await states()).toMatchObject([{ state: 'failed' }]);
    const other = await database.createUser('reporter');
    const from = await linked(other);
    const [first, second] = [await file('One.', { from }), await file('Two.', { from, second: 2 })];
    await database.rows('delete from private.filed_messages where id = $1', [first]);
    await publish(editor, first);
    await publish(editor, second);
    const [row] = await database.rows<{ id: string }>(
      'select id from private.filing_senders where sender = $1',
      [from],
    );
    await database.call(other, ['unlink_filing_sender', { sender_id: row?.id }]);
    expect(await claim()).toEqual([]);
  });
});

describe('the message as it was sent', () => {
  const texts = (who: Claims, update_id: string) =>
    database.call(who, ['read_filed_texts', { update_id }]) as Promise<{ text: string }[]>;
  const channelOf = (who: Claims, id: string) =>
    database.as(who, async (session) => {
      const query = 'select filed_by from public.desk_updates where id = $1';
      return (await session.query<{ filed_by: string | null }>(query, [id])).rows[0]?.filed_by;
    });

  it('is read with its edits by readers of the desk only', async () => {
    const id = await file('/key Water rises.');
    await file('/key Water falls.', { id, second: 2 });
    // A repeated delivery is no edit.
    await file('/key Water falls.', { id, second: 2 });
    for (const who of [editor, reporter])
      expect((await texts(who, id)).map(({ text }) => text)).toEqual([
        '/key Water rises.',
        '/key Water falls.',
      ]);
    const [reader, contributor] = [await database.createUser(), await database.createUser('contributor')];
    for (const who of [reader, contributor]) {
      expect(await texts(who, id)).toEqual([]);
      expect(await channelOf(who, id)).toBeUndefined();
    }
    for (const who of [VISITOR, SERVER])
      expect(await errorOf(texts(who, id))).toMatchObject({ code: '42501' });
    expect(await channelOf(editor, id)).toBe('telegram');
  });

  it('is removed with a redacted version, and after seven days', async () => {
    const [id, other] = [await file(), await file('Other.', { second: 2 })];
    await publish(editor, id);
    await correct(editor, id, 2);
    await database.call(editor, ['redact_revision', { update_id: id, version: 2, reason: 'A name.' }]);
    expect(await texts(editor, id)).toEqual([]);
    expect(await texts(editor, other)).toHaveLength(1);
    await database.rows(`update private.filed_messages set received_at = now() - interval '8 days'`);
    await database.rows('select private.delete_old_filing()');
    expect(await texts(editor, other)).toEqual([]);
    expect(await channelOf(editor, other)).toBeNull();
  });

  it('is removed from all messages of an album with a redacted version, and an edit brings nothing back', async () => {
    const id = randomUUID();
    const [first, second] = ['17', '18'].map((reference) => ({ reference, is_album: true }));
    await file('A secret.', { id, options: first });
    await file('The rest.', { id, options: second, second: 2 });
    await publish(editor, id, 2);
    await correct(editor, id, 3);
    await database.call(editor, ['redact_revision', { update_id: id, version: 2, reason: 'A name.' }]);
    const stored = () =>
      database.rows<{ parts: Record<string, { content: unknown }>; texts: unknown[] }>(
        'select parts, texts from private.filed_messages where id = $1',
        [id],
      );
    const nothing = [{ texts: [], parts: { 17: { content: null }, 18: { content: null } } }];
    expect(await stored()).toMatchObject(nothing);
    const edit = { id, options: first, second: 3 };
    expect(await fileOutcome('The secret again.', edit)).toMatchObject({ outcome: 'changed' });
    expect(await stored()).toMatchObject(nothing);
    expect(await texts(editor, id)).toEqual([]);
    // The messages are still known, so a repeated delivery files nothing.
    await file('The rest.', { id, options: second, second: 2 });
    expect(
      await database.rows('select version from public.updates where coverage_id = $1', [coverage_id]),
    ).toEqual([{ version: 4 }]);
  });

  it('does not come back with an edit in a chat that publishes at once', async () => {
    await database.rows('update private.filing_senders set publishes = true where sender = $1', [sender]);
    const id = await file('A secret.');
    await file('Water falls.', { id, second: 2 });
    await database.call(editor, ['redact_revision', { update_id: id, version: 1, reason: 'A name.' }]);
    const answer = await fileOutcome('The secret again.', { id, second: 3 });
    expect(answer).toMatchObject({ outcome: 'changed' });
    expect(await texts(editor, id)).toEqual([]);
    expect(await database.rows('select version from public.updates where id = $1', [id])).toEqual([
      { version: 2 },
    ]);
  });

  it('is part of the own data of its person, and of no other', async () => {
    await file('Only mine.');
    const own = async (who: Caller) => JSON.stringify(await database.call(who, ['my_data', {}]));
    expect(await own(reporter)).toContain('"text":"Only mine."');
    expect(
      JSON.stringify((JSON.parse(await own(editor)) as { filed_messages: unknown }).filed_messages),
    ).toBe('[]');
  });
});

describe('a correction by chat', () => {
  const OPTIONS = {
    notes: { en: 'Corrected.', es: 'Corregida.' },
    desk_notes: { en: 'Correction of no. 1.' },
  };
  const propose = (from: string, number: number, { id = randomUUID(), options = {} } = {}) =>
    database.call(SERVER, [
      'correct_filed_update',
      {
        channel: 'telegram',
        sender: from,
        message_id: id,
        written_at: written(9),
        number,
        content: { headline: null, key_event: false, ...content('Water stands.') },
        options: { ...OPTIONS, ...options },
      },
    ]) as Promise<{ outcome: string }>;
  const trust = (from: string) =>
    database.rows('update private.filing_senders set publishes = true where sender = $1', [from]);
  const updates = () =>
    database.rows<{ number: number | null; state: string; words: string; version: number }>(
      `select number, state, version, desk_note, body -> 0 -> 'runs' -> 0 ->> 'text' as words
       from public.updates where coverage_id = $1 order by number nulls last, created_at`,
      [coverage_id],
    );

  it('is refused to unlinked and inactive senders and to people, and stores nothing', async () => {
    const id = await file();
    await publish(editor, id);
    expect(await propose('nobody', 1)).toMatchObject({ outcome: 'unlinked' });
    await database.call(SERVER, ['set_active', { person_id: reporter.sub, active: false }]);
    expect(await propose(sender, 1)).toMatchObject({ outcome: 'inactive' });
    const args = {
      channel: 'telegram',
      sender,
      message_id: id,
      written_at: written(1),
      number: 1,
      content: {},
    };
    for (const who of [VISITOR, reporter, owner])
      expect(await errorOf(database.call(who, ['correct_filed_update', args]))).toMatchObject({
        code: '42501',
      });
    expect(await updates()).toMatchObject([{ number: 1, version: 2, words: 'Water rises.' }]);
  });

  it('does not find updates of other people, withdrawn ones, or numbers that do not exist, with one answer', async () => {
    const other = await database.createUser('reporter');
    await publish(editor, await file('Theirs.', { from: await linked(other) }));
    const withdrawn = await file('Mine.', { second: 2 });
    await publish(editor, withdrawn);
    await withdraw(editor, withdrawn);
    await trust(sender);
    for (const number of [1, 2, 99, 0])
      expect(await propose(sender, number)).toEqual({ outcome: 'unknown_update', number, language: 'es' });
    expect(await updates()).toMatchObject([{ version: 2 }, { state: 'withdrawn' }]);
  });

  it('is published at once for a trusted sender, once, with a note for readers', async () => {
    await publish(editor, await file());
    await trust(sender);
    const id = randomUUID();
    for (let times = 0; times < 2; times++)
      expect(await propose(sender, 1, { id })).toMatchObject({ outcome: 'corrected', number: 1 });
    expect(await updates()).toMatchObject([{ number: 1, version: 3, words: 'Water stands.' }]);
    const notes = await database.rows(
      `select note, created_by from public.update_revisions where kind = 'correction' order by created_at desc limit 1`,
    );
    expect(notes).toEqual([{ note: 'Corrected.', created_by: reporter.sub }]);
    // Their own correction makes no notice.
    expect((await sendAll()).map(({ kind }) => kind)).toEqual(['published']);
  });

  it('of any other sender waits at the desk as an update with a note', async () => {
    const contributor = await database.createUser('contributor');
    await database.call(editor, ['set_coverage_member', { coverage_id, person_id: contributor.sub }]);
    const from = await linked(contributor);
    await trust(from);
    await publish(editor, await file('Water rises.', { from }));
    expect(await propose(from, 1)).toMatchObject({ outcome: 'proposed', number: 1 });
    expect(await updates()).toMatchObject([
      { number: 1, version: 2, words: 'Water rises.' },
      { state: 'submitted', words: 'Water stands.', desk_note: 'Correction of no. 1.' },
    ]);
  });

  it('that the desk spikes after it has copied the text makes no notice of that', async () => {
    await publish(editor, await file());
    const id = randomUUID();
    expect(await propose(sender, 1, { id })).toMatchObject({ outcome: 'proposed' });
    const [stored] = await database.rows<{ id: string }>(
      'select id from public.updates where coverage_id = $1 and number = 1',
      [coverage_id],
    );
    await correct(editor, String(stored?.id), 2);
    await database.call(editor, ['spike_update', { update_id: id, version: 1 }]);
    expect((await sendAll()).map(({ kind }) => kind)).toEqual(['published', 'corrected']);
  });

  it('of an editor corrects any update, and the chat of its writer receives a notice', async () => {
    await publish(editor, await file());
    await sendAll();
    const from = await linked(editor);
    await trust(from);
    expect(await propose(from, 1, { options: { note: 'It stood.' } })).toMatchObject({
      outcome: 'corrected',
    });
    expect(await sendAll()).toMatchObject([{ kind: 'corrected', note: 'It stood.', sender }]);
  });

  it('names its coverage when several are live', async () => {
    await publish(editor, await file());
    await createCoverageIn(database, 'live');
    expect(await propose(sender, 1)).toMatchObject({ outcome: 'name_coverage' });
    const [row] = await database.rows<{ slug: string }>('select slug from public.coverages where id = $1', [
      coverage_id,
    ]);
    expect(await propose(sender, 1, { options: { slug: 'no-such-thing' } })).toMatchObject({
      outcome: 'unknown_coverage',
    });
    expect(await propose(sender, 1, { options: { slug: row?.slug } })).toMatchObject({ outcome: 'proposed' });
  });
});

describe('a deletion by chat', () => {
  const remove = (from: string, message_id: string) =>
    database.call(SERVER, [
      'delete_filed_update',
      { channel: 'telegram', sender: from, message_id },
    ]) as Promise<{
      outcome: string;
    }>;
  const stateOf = async (id: string) =>
    (await database.rows<{ state: string }>('select state from public.updates where id = $1', [id]))[0]
      ?.state;

  it('is refused for messages of other chats and of senders who may not file, and to people', async () => {
    const id = await file();
    const other = await linked(await database.createUser('reporter'));
    expect(await remove(other, id)).toMatchObject({ outcome: 'unknown_message' });
    expect(await remove(sender, randomUUID())).toMatchObject({ outcome: 'unknown_message' });
    expect(await remove('nobody', id)).toMatchObject({ outcome: 'unlinked' });
    const args = { channel: 'telegram', sender, message_id: id };
    for (const who of [VISITOR, reporter, owner])
      expect(await errorOf(database.call(who, ['delete_filed_update', args]))).toMatchObject({
        code: '42501',
      });
    await database.call(SERVER, ['set_active', { person_id: reporter.sub, active: false }]);
    expect(await remove(sender, id)).toMatchObject({ outcome: 'inactive' });
    expect(await stateOf(id)).toBe('submitted');
  });

  it('does not spike an update that the desk has changed', async () => {
    const id = await file();
    const change = { coverage_id, update_id: id, content: content('By the desk.'), version: 1 };
    await database.call(editor, ['save_update', change]);
    expect(await remove(sender, id)).toEqual({ outcome: 'kept', language: 'es' });
    expect(await stateOf(id)).toBe('submitted');
  });

  it('spikes a submitted update, and makes no notice', async () => {
    const id = await file();
    for (let times = 0; times < 2; times++)
      expect(await remove(sender, id)).toEqual({ outcome: 'deleted', language: 'es' });
    expect(await stateOf(id)).toBe('spiked');
    expect(await states()).toEqual([]);
  });

  it('does not change an update that readers have seen or that is scheduled', async () => {
    const id = await file();
    await publish(editor, id);
    expect(await remove(sender, id)).toMatchObject({ outcome: 'published', number: 1 });
    expect(await stateOf(id)).toBe('published');
    const scheduled = await file('Later.', { second: 2 });
    const scheduled_for = new Date(Date.now() + 3_600_000).toISOString();
    const args = { coverage_id, update_id: scheduled, content: content('Later.'), scheduled_for, version: 1 };
    await database.call(editor, ['schedule_update', args]);
    expect(await remove(sender, scheduled)).toMatchObject({ outcome: 'kept' });
    expect(await stateOf(scheduled)).toBe('scheduled');
  });

  it('drops a message that waits for the choice of a coverage, also when it is delivered again', async () => {
    await createCoverageIn(database, 'live');
    const id = await file('/key Waits.');
    expect(await remove(sender, id)).toMatchObject({ outcome: 'deleted' });
    expect(await remove(sender, id)).toMatchObject({ outcome: 'deleted' });
    await file('/key Waits.', { id, second: 3 });
    expect(
      await database.rows('select waiting, texts from private.filed_messages where id = $1', [id]),
    ).toEqual([{ waiting: null, texts: [] }]);
  });
});
