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
type Outcome = Record<string, unknown> & { outcome: string };

let database: TestDatabase;
let owner: Caller;
let editor: Caller;
let reporter: Caller;
beforeAll(async () => {
  database = await openTestDatabase();
  owner = await database.createUser('owner');
  editor = await database.createUser('editor');
});
afterAll(() => database?.close());

/** Each test has its own reporter, sender and live coverages. */
beforeEach(async () => {
  await database.rows(`update public.coverages set state = 'ended' where state = 'live'`);
  await database.rows('delete from private.filing_refusals');
  reporter = await database.createUser('reporter');
  await connect();
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const connect = (who: Claims = owner) =>
  database.call(who, [
    'connect_filing_channel',
    { channel: 'telegram', account: '@desk_bot', token: 'x'.repeat(60), delivery_hash: sha256('secret') },
  ]);

const makeCode = async (who: Caller, code = randomUUID()) => {
  const args = { channel: 'telegram', code_hash: sha256(code), language: 'es' };
  await database.call(who, ['make_filing_code', args]);
  return code;
};
const link = (sender: string, code: string) =>
  database.call(SERVER, [
    'link_filing_sender',
    { channel: 'telegram', sender, name: '@ana', code },
  ]) as Promise<Outcome | null>;

/** Links a new sender to a person. */
async function linked(who: Caller = reporter): Promise<string> {
  const sender = randomUUID();
  expect(await link(sender, await makeCode(who))).toMatchObject({ outcome: 'linked', language: 'es' });
  return sender;
}

const start = Date.now() - 3_600_000;
const at = (second: number) => new Date(start + second * 1000).toISOString();
const text = (words: string) => ({
  headline: null,
  body: [{ type: 'paragraph', runs: [{ text: words }] }],
  key_event: false,
});
type Filed = { id?: string; second?: number; words?: string; options?: object; content?: unknown };
const file = (
  sender: string,
  { id = randomUUID(), second = 1, words = 'Water rises.', options = {}, content = text(words) }: Filed = {},
) =>
  database.call(SERVER, [
    'file_message',
    { channel: 'telegram', sender, message_id: id, written_at: at(second), content, options },
  ]) as Promise<Outcome>;

const live = async () => (await createCoverageIn(database, 'live')).coverage_id;
const slugOf = async (id: string) =>
  (await database.rows<{ slug: string }>('select slug from public.coverages where id = $1', [id]))[0]?.slug;
const updatesOf = (coverage: string) =>
  database.rows<{ id: string; state: string; version: number; words: string; author: string }>(
    `select id, state, version, author, body -> 0 -> 'runs' -> 0 ->> 'text' as words from public.updates
     where coverage_id = $1 order by created_at, id`,
    [coverage],
  );
const refusals = () => database.rows('select reason, number from private.filing_refusals order by reason');
const logged = (action: string) =>
  database.rows('select created_by, person_id from public.audit_log where action = $1', [action]);

describe('the connection', () => {
  it('is made, read and ended by owners only, and no person reads the token', async () => {
    for (const who of [reporter, editor, VISITOR]) {
      const code = who === VISITOR ? '42501' : 'forbidden';
      expect(await errorOf(connect(who))).toMatchObject({ code });
      expect(await errorOf(database.call(who, ['read_filing', {}]))).toMatchObject({ code });
      expect(
        await errorOf(database.call(who, ['remove_filing_channel', { channel: 'telegram' }])),
      ).toMatchObject({ code });
    }
    expect(await database.rows('select account from private.filing_channels')).toHaveLength(1);
    const read = await database.call(owner, ['read_filing', {}]);
    expect(read).toMatchObject({ channels: [{ channel: 'telegram', account: '@desk_bot' }] });
    expect(JSON.stringify(read)).not.toContain('xxxx');
    for (const who of [owner, VISITOR]) {
      for (const call of [
        ['filing_connection', { channel: 'telegram' }],
        ['filing_senders_of', { channel: 'telegram', person_id: reporter.sub }],
        ['link_filing_sender', { channel: 'telegram', sender: '1', name: 'a', code: 'b' }],
        [
          'file_message',
          { channel: 'telegram', sender: '1', message_id: randomUUID(), written_at: at(1), content: null },
        ],
        ['refuse_filing', { channel: 'telegram', reason: 'forged' }],
      ] as const)
        expect(await errorOf(database.call(who, [call[0], call[1]]))).toMatchObject({ code: '42501' });
    }
  });

  it('refuses a token that was not encrypted', async () => {
    const args = { channel: 'telegram', account: '@a', token: '123:abc', delivery_hash: sha256('a') };
    expect(await errorOf(database.call(owner, ['connect_filing_channel', args]))).toMatchObject({
      code: 'invalid',
      field: 'token',
    });
  });
});

describe('a code', () => {
  it('links one sender, once', async () => {
    const code = await makeCode(reporter);
    expect(await link('first', code)).toMatchObject({ outcome: 'linked' });
    // A repeated delivery gets the same answer.
    expect(await link('first', code)).toMatchObject({ outcome: 'linked' });
    expect(await link('second', code)).toEqual({ outcome: 'wrong_code' });
    expect(await refusals()).toEqual([{ reason: 'code', number: 1 }]);
    expect(await logged('refuse_code_filing')).toHaveLength(1);
    expect(await database.rows(`select from private.filing_senders where sender = 'second'`)).toEqual([]);
  });

  it('does not take a chat over from another person, and stays usable', async () => {
    const sender = await linked();
    const other = await database.createUser('reporter');
    const code = await makeCode(other);
    expect(await link(sender, code)).toEqual({ outcome: 'other_person', language: 'es' });
    expect(
      await database.rows('select person_id from private.filing_senders where sender = $1', [sender]),
    ).toEqual([{ person_id: reporter.sub }]);
    const [named] = await database.rows<{ display_name: string }>(
      'select display_name from public.people where id = $1',
      [other.sub],
    );
    expect(await link('own', code)).toEqual({
      outcome: 'linked',
      language: 'es',
      person: named?.display_name,
    });
  });

  it('is refused when it is wrong, expired or replaced', async () => {
    const [replaced, code] = [await makeCode(reporter), await makeCode(reporter)];
    await database.rows(`update private.filing_codes set expires_at = now() - interval '1 second'`);
    for (const wrong of ['wrong', replaced, code])
      expect(await link('late', wrong)).toEqual({ outcome: 'wrong_code' });
    expect(await database.rows(`select from private.filing_senders where sender = 'late'`)).toEqual([]);
  });

  it('is made only by people who may write, ten times an hour', async () => {
    for (const role of ['reader', 'moderator'] as const) {
      const person = await database.createUser(role);
      expect(await errorOf(makeCode(person))).toMatchObject({ code: 'forbidden' });
      expect(await database.call(person, ['my_filing', {}])).toBeNull();
    }
    for (let made = 0; made < 10; made++) await makeCode(reporter);
    expect(await errorOf(makeCode(reporter))).toMatchObject({ code: 'bad_state' });
  });

  it('is of no use when its person was deactivated', async () => {
    const code = await makeCode(reporter);
    await database.call(SERVER, ['set_active', { person_id: reporter.sub, active: false }]);
    expect(await link('inactive', code)).toEqual({ outcome: 'wrong_code' });
  });
});

describe('senders who may not file', () => {
  it('stores nothing but a count of an unlinked sender', async () => {
    const coverage = await live();
    const id = randomUUID();
    expect(await file('nobody', { id })).toEqual({ outcome: 'unlinked' });
    await file('nobody');
    expect(await refusals()).toEqual([{ reason: 'unlinked', number: 2 }]);
    expect(await database.rows('select from private.filed_messages where id = $1', [id])).toEqual([]);
    expect(await updatesOf(coverage)).toEqual([]);
    expect(await logged('refuse_unlinked_filing')).toHaveLength(1);
  });

  it('stops a deactivated person at once, and stores nothing but a count', async () => {
    const coverage = await live();
    const sender = await linked();
    expect(await file(sender)).toMatchObject({ outcome: 'filed' });
    await database.call(SERVER, ['set_active', { person_id: reporter.sub, active: false }]);
    expect(await file(sender)).toEqual({ outcome: 'inactive', language: 'es' });
    expect(await updatesOf(coverage)).toHaveLength(1);
    expect(await refusals()).toEqual([{ reason: 'inactive', number: 1 }]);
    const [count] = await database.rows(
      'select count(*)::integer as n from private.filed_messages m join private.filing_senders s on s.id = m.sender_id where s.sender = $1',
      [sender],
    );
    expect(count).toEqual({ n: 1 });
  });

  it('stops a contributor when the membership expires', async () => {
    const [coverage_id, other] = [await live(), await live()];
    const contributor = await database.createUser('contributor');
    await database.call(editor, ['set_coverage_member', { coverage_id, person_id: contributor.sub }]);
    const sender = await linked(contributor);
    expect(await file(sender)).toMatchObject({ outcome: 'filed', state: 'submitted' });
    expect(await file(sender, { options: { slug: await slugOf(other) } })).toMatchObject({
      outcome: 'unknown_coverage',
    });
    await database.rows(`update public.coverage_members set expires_at = now() where person_id = $1`, [
      contributor.sub,
    ]);
    expect(await file(sender)).toMatchObject({ outcome: 'inactive' });
    expect(await updatesOf(coverage_id)).toHaveLength(1);
    expect(await updatesOf(other)).toEqual([]);
  });

  it('stops a sender that was unlinked by its person or by an owner, and by no other', async () => {
    await live();
    for (const who of [reporter, owner]) {
      const sender = await linked();
      const [row] = await database.rows<{ id: string }>(
        'select id from private.filing_senders where sender = $1',
        [sender],
      );
      const sender_id = row?.id;
      expect(await errorOf(database.call(editor, ['unlink_filing_sender', { sender_id }]))).toMatchObject({
        code: 'not_found',
      });
      expect(await file(sender)).toMatchObject({ outcome: 'filed' });
      await database.call(who, ['unlink_filing_sender', { sender_id }]);
      expect(await file(sender)).toEqual({ outcome: 'unlinked' });
    }
    expect(await logged('unlink_filing_sender')).toHaveLength(2);
  });

  it('forgets the senders and codes of a deleted account', async () => {
    await linked();
    await makeCode(reporter);
    await database.call(SERVER, ['delete_account', { person_id: reporter.sub }]);
    for (const table of ['filing_senders', 'filing_codes'])
      expect(
        await database.rows(`select from private.${table} where person_id = $1`, [reporter.sub]),
      ).toEqual([]);
  });
});

describe('a message', () => {
  it('becomes one submitted update of its person, also when it is delivered again', async () => {
    const coverage = await live();
    const sender = await linked();
    const id = randomUUID();
    const first = await file(sender, { id });
    expect(first).toMatchObject({ outcome: 'filed', state: 'submitted', language: 'es' });
    expect(await file(sender, { id })).toEqual(first);
    expect(await updatesOf(coverage)).toEqual([
      { id, state: 'submitted', version: 1, words: 'Water rises.', author: reporter.sub },
    ]);
    // Also when nothing remembers the message any more.
    await database.rows('delete from private.filed_messages where id = $1', [id]);
    await file(sender, { id });
    expect(await updatesOf(coverage)).toHaveLength(1);
    // The message of another person does not pass for it.
    const other = await linked(await database.createUser('reporter'));
    await database.rows('delete from private.filed_messages where id = $1', [id]);
    expect(await errorOf(file(other, { id }))).toBeTruthy();
  });

  it('has the order in which it was written, not that of its delivery', async () => {
    const coverage = await live();
    const sender = await linked();
    for (const second of [3, 1, 2]) await file(sender, { second, words: `Message ${second}` });
    expect((await updatesOf(coverage)).map(({ words }) => words)).toEqual([
      'Message 1',
      'Message 2',
      'Message 3',
    ]);
  });

  it('stays a draft on request', async () => {
    const coverage = await live();
    const sender = await linked();
    expect(await file(sender, { options: { is_draft: true } })).toMatchObject({ state: 'draft' });
    expect(await updatesOf(coverage)).toMatchObject([{ state: 'draft' }]);
  });

  it('is published at once for a trusted sender whose person may publish, and for no other', async () => {
    const coverage_id = await live();
    const contributor = await database.createUser('contributor');
    await database.call(editor, ['set_coverage_member', { coverage_id, person_id: contributor.sub }]);
    const states = [];
    for (const who of [reporter, contributor]) {
      const sender = await linked(who);
      const [row] = await database.rows<{ id: string }>(
        'select id from private.filing_senders where sender = $1',
        [sender],
      );
      const trust = { sender_id: row?.id, publishes: true };
      for (const other of [reporter, editor])
        expect(await errorOf(database.call(other, ['set_filing_trust', trust]))).toMatchObject({
          code: 'forbidden',
        });
      expect(await file(sender)).toMatchObject({ state: 'submitted' });
      await database.call(owner, ['set_filing_trust', trust]);
      states.push((await file(sender)).state);
    }
    expect(states).toEqual(['published', 'submitted']);
  });

  it('is refused with the reason of the rule that it breaks, and stores nothing', async () => {
    const coverage = await live();
    const sender = await linked();
    const body = Array.from({ length: 41 }, () => text('a').body[0]);
    expect(await errorOf(file(sender, { content: { ...text('a'), body } }))).toMatchObject({
      code: 'invalid',
    });
    expect(await updatesOf(coverage)).toEqual([]);
  });
});

describe('an edited message', () => {
  it('is a new version of the update, also when it is delivered before the message', async () => {
    const coverage = await live();
    const sender = await linked();
    const id = randomUUID();
    await file(sender, { id, second: 1 });
    expect(await file(sender, { id, second: 5, words: 'Water falls.' })).toMatchObject({
      outcome: 'edited',
    });
    // An older edit that is late changes nothing.
    await file(sender, { id, second: 4, words: 'Water stands.' });
    const early = randomUUID();
    await file(sender, { id: early, second: 9, words: 'Edited first.' });
    await file(sender, { id: early, second: 8, words: 'Before.' });
    expect(await updatesOf(coverage)).toMatchObject([
      { id, version: 2, words: 'Water falls.', state: 'submitted' },
      { id: early, version: 1, words: 'Edited first.' },
    ]);
  });

  it('does not overwrite what the desk has changed', async () => {
    const coverage_id = await live();
    const sender = await linked();
    const id = randomUUID();
    await file(sender, { id, second: 1 });
    const content = { body: text('The desk knows better.').body };
    await database.call(editor, ['save_update', { coverage_id, update_id: id, content, version: 1 }]);
    expect(await file(sender, { id, second: 2, words: 'Mine.' })).toMatchObject({ outcome: 'changed' });
    expect(await updatesOf(coverage_id)).toMatchObject([{ words: 'The desk knows better.' }]);
  });

  it('changes a published update only for a trusted sender', async () => {
    const coverage_id = await live();
    const sender = await linked();
    const id = randomUUID();
    await file(sender, { id, second: 1 });
    const content = { body: text('Water rises.').body };
    await database.call(editor, ['publish_update', { coverage_id, update_id: id, content, version: 1 }]);
    expect(await file(sender, { id, second: 2, words: 'Mine.' })).toMatchObject({
      outcome: 'live',
      number: 1,
    });
    expect(await updatesOf(coverage_id)).toMatchObject([{ words: 'Water rises.' }]);
    await database.rows('update private.filing_senders set publishes = true where sender = $1', [sender]);
    expect(await file(sender, { id, second: 3, words: 'Mine.' })).toMatchObject({ outcome: 'edited' });
    expect(await updatesOf(coverage_id)).toMatchObject([{ words: 'Mine.', state: 'published' }]);
  });
});

describe('the choice of a coverage', () => {
  it('is requested with several live coverages, remembered for 12 hours, and files what waits in order', async () => {
    const [first, second] = [await live(), await live()];
    await database.rows('update public.coverages set published_at = $2 where id = $1', [first, at(0)]);
    const sender = await linked();
    const late = { id: randomUUID(), second: 2, words: 'Second.' };
    expect(await file(sender, late)).toMatchObject({
      outcome: 'choose',
      coverages: [{}, {}].map(() => expect.any(String)),
    });
    expect(await file(sender, late)).toMatchObject({ outcome: 'choose' });
    await file(sender, { second: 1, words: 'First.' });
    expect([...(await updatesOf(first)), ...(await updatesOf(second))]).toEqual([]);
    const choice = { id: randomUUID(), second: 3, words: '2', options: { choice: 2 } };
    const chosen = await file(sender, choice);
    expect(chosen).toMatchObject({ outcome: 'chosen', filed: 2, state: 'submitted' });
    // The repeated choice is no message.
    expect(await file(sender, choice)).toEqual(chosen);
    expect(await updatesOf(second)).toEqual([]);
    expect(await updatesOf(first)).toMatchObject([{ words: 'First.' }, { words: 'Second.' }]);
    expect(await file(sender, { second: 4, words: 'Third.' })).toMatchObject({ outcome: 'filed' });
    expect(await updatesOf(first)).toHaveLength(3);
    await database.rows(`update private.filing_senders set chosen_until = now() - interval '1 second'`);
    expect(await file(sender, { second: 5 })).toMatchObject({ outcome: 'choose' });
  });

  it('is made by the slug in the message, too', async () => {
    const [first] = [await live(), await live()];
    const sender = await linked();
    expect(await file(sender, { options: { slug: 'no-such-thing' } })).toMatchObject({
      outcome: 'unknown_coverage',
    });
    expect(await file(sender, { options: { slug: await slugOf(first) } })).toMatchObject({
      outcome: 'filed',
    });
    expect(await file(sender, { second: 2 })).toMatchObject({ outcome: 'filed' });
    expect(await updatesOf(first)).toHaveLength(2);
  });

  it('is not requested without a live coverage, and no more than 20 messages wait', async () => {
    const sender = await linked();
    expect(await file(sender)).toMatchObject({ outcome: 'no_coverage' });
    await live();
    await live();
    const first = randomUUID();
    for (let sent = 0; sent < 20; sent++)
      await file(sender, { ...(sent === 0 && { id: first }), second: sent });
    expect(await file(sender)).toMatchObject({ outcome: 'too_many_waiting' });
    // The question stays open for messages that still wait.
    const offered = () =>
      database.rows<{ open: boolean }>(
        'select offered is not null as open from private.filing_senders where sender = $1',
        [sender],
      );
    await database.rows(
      `update private.filed_messages set received_at = now() - interval '13 hours' where id = $1`,
      [first],
    );
    await database.rows('select private.delete_old_filing()');
    expect(await offered()).toEqual([{ open: true }]);
    await database.rows(`update private.filed_messages set received_at = now() - interval '13 hours'`);
    await database.rows('select private.delete_old_filing()');
    expect(await database.rows('select from private.filed_messages where waiting is not null')).toEqual([]);
    expect(await offered()).toEqual([{ open: false }]);
  });
});

describe('the record of an album', () => {
  afterAll(() => database?.rows('drop function if exists public.require_lock cascade'));

  it('is changed only while its coverage is locked, as a redaction does, so that both can happen at once', async () => {
    await live();
    const sender = await linked();
    // The xmax of a row is the transaction that locked it last.
    await database.rows(`create function public.require_lock() returns trigger language plpgsql as $$
      begin
        if not exists (select from public.coverages c join public.updates u on u.coverage_id = c.id
            where u.id = new.id and c.xmax::text = txid_current()::text) then raise 'The coverage is not locked.'; end if;
        return new;
      end $$`);
    await database.rows(`create trigger require_lock before update of parts on private.filed_messages
      for each row when (old.version is not null and old.parts <> '{}') execute function public.require_lock()`);
    const id = randomUUID();
    const options = { is_album: true, own_id: randomUUID() };
    await file(sender, { id, options: { ...options, reference: '1' } });
    const further = { id, second: 2, options: { ...options, reference: '2', own_id: randomUUID() } };
    expect(await file(sender, further)).toMatchObject({ outcome: 'added' });
  });
});
