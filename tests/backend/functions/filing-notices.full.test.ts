import { createHash, randomUUID } from 'node:crypto';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startDeliveryScheduler } from '../../../src/lib/server/delivery-scheduler.ts';
import { createFilingNoticeClient } from '../../../src/lib/server/filing-notices.ts';
import { type OwnedBackend, serviceClient, startOwnedBackend } from '../../support/backend.ts';
import { call, createLiveCoverage, createUsers, type Newsroom, type People } from '../../support/newsroom.ts';
import { startTelegram, type TelegramServer } from '../../support/telegram.ts';

let backend: OwnedBackend;
let telegram: TelegramServer;
let people: People;
let newsroom: Newsroom;

beforeAll(async () => {
  telegram = await startTelegram();
  backend = await startOwnedBackend({
    EMBEDDED_SUPABASE_FUNCTION_VARIABLES: JSON.stringify({ STOPPRESS_TELEGRAM_API: telegram.url }),
  });
  people = await createUsers({ ...backend, service: serviceClient(backend) });
  const url = 'https://news.example/functions/v1/receive-filing';
  const body = { act: 'connect', token: telegram.token, url };
  expect((await people.owner.client.functions.invoke('receive-filing', { body })).error).toBeNull();
});
afterAll(async () => {
  await backend?.stop();
  await telegram?.stop();
});

beforeEach(async () => {
  await backend.sql('delete from private.filing_codes returning channel');
  await backend.sql('delete from private.filing_notices returning id');
  await backend.sql(`update public.coverages set state = 'ended' where state = 'live' returning id`);
  newsroom = await createLiveCoverage(people);
  telegram.calls.length = 0;
});

const server = async (name: string, args: object) => {
  const { data, error } = await serviceClient(backend).rpc(name, args);
  expect(error).toBeNull();
  return data;
};

let chats = 5_000;
/** Links a new chat to the reporter. @returns its id */
async function linked(language = 'en'): Promise<number> {
  const [chat, code] = [++chats, randomUUID()];
  const code_hash = createHash('sha256').update(code).digest('hex');
  await call(people.reporter.client, 'make_filing_code', { channel: 'telegram', code_hash, language });
  const sender = { channel: 'telegram', sender: String(chat), name: '@ana', code };
  expect(await server('link_filing_sender', sender)).toMatchObject({ outcome: 'linked' });
  return chat;
}

const content = (text: string) => ({ body: [{ type: 'paragraph', runs: [{ text }] }] });

/** Files a message with this number in a chat, and has an editor publish it. @returns its update */
async function published(chat: number, reference = '17'): Promise<string> {
  const update_id = randomUUID();
  await server('file_message', {
    channel: 'telegram',
    sender: String(chat),
    message_id: update_id,
    written_at: new Date(Date.now() - 60_000 + telegram.calls.length).toISOString(),
    content: { headline: null, key_event: false, ...content('Water.') },
    options: { reference, text: 'Water.' },
  });
  const args = { coverage_id: newsroom.coverage.id, update_id, version: 1, content: content('Water.') };
  await call(people.editor.client, 'publish_update', args);
  return update_id;
}

const send = () => createFilingNoticeClient(backend).deliver();
const sent = () =>
  telegram.calls.filter(({ method }) => method === 'sendMessage').map(({ parameters }) => parameters);
const states = () =>
  backend.sql<{ state: string; wait: number; attempts: number }>(
    `select state, attempts, ceil(extract(epoch from due_at - now()))::integer as wait
     from private.filing_notices order by id`,
  );
const makeDue = () => backend.sql('update private.filing_notices set due_at = now() returning id');

describe('notices about filed updates', () => {
  it('are sent for the server only', async () => {
    await published(await linked());
    const anonymous = createClient(backend.url, backend.publishableKey);
    for (const client of [anonymous, people.owner.client]) {
      const { data, response } = await client.functions.invoke('receive-filing', { body: {} });
      expect([data, (response?.status ?? 0) >= 400]).toEqual([null, true]);
    }
    expect(sent()).toEqual([]);
  });

  it('reply to the message in the language of the chat, once, as plain text with the address of the update', async () => {
    const [english, spanish] = [await linked(), await linked('es')];
    const update_id = await published(english);
    await published(spanish, '18');
    const both = await Promise.all([send(), send()]);
    expect(both.map(({ claimed }) => claimed).reduce((one, other) => one + other)).toBe(2);
    await call(people.editor.client, 'withdraw_update', { update_id, reason: 'It was *wrong*.' });
    await send();
    await send();
    const link = expect.stringMatching(new RegExp(`/live/${newsroom.coverage.slug}/1$`));
    expect(sent().sort((one, other) => Number(one.chat_id) - Number(other.chat_id))).toMatchObject([
      { chat_id: english, reply_parameters: { message_id: 17 }, text: link },
      { chat_id: english, text: expect.stringMatching(/^No\. 1 was withdrawn: It was \*wrong\*\.\n/) },
      { chat_id: spanish, reply_parameters: { message_id: 18 }, text: expect.stringContaining('Publicada') },
    ]);
    for (const parameters of sent()) expect(Object.keys(parameters)).not.toContain('parse_mode');
  });

  it('are sent by the scheduler when an editor acts', async () => {
    const chat = await linked();
    const client = createFilingNoticeClient(backend);
    const due = vi.fn(client.secondsUntilDue);
    const stop = startDeliveryScheduler({ ...client, secondsUntilDue: due }, undefined, 0);
    // The scheduler has checked and would check again in half a minute.
    await vi.waitFor(() => expect(due).toHaveResolvedWith(null), 15_000);
    await published(chat);
    await vi.waitFor(() => expect(sent()).toHaveLength(1), 15_000);
    await stop();
  });

  it.each(['getMe', 'sendMessage'])(
    'wait as long as Telegram asks when it limits %s, all of them',
    async (method) => {
      await published(await linked());
      await published(await linked());
      telegram.fail('too_many_requests', method);
      expect(await send()).toMatchObject({ more: false });
      expect(sent()).toEqual([]);
      const waiting = await states();
      expect(waiting).toMatchObject([{ state: 'queued' }, { state: 'queued' }]);
      for (const { wait } of waiting) expect(wait).toBeGreaterThan(12);
      expect(await send()).toEqual({ claimed: 0, more: false });
      await makeDue();
      await send();
      expect(sent()).toHaveLength(2);
    },
  );

  it('are sent again after a fault of Telegram', async () => {
    await published(await linked());
    telegram.fail('server_error', 'sendMessage');
    await send();
    expect(await states()).toMatchObject([{ state: 'queued', attempts: 1 }]);
    expect((await states())[0]?.wait).toBeGreaterThan(40);
    await makeDue();
    await send();
    expect(sent()).toHaveLength(1);
  });

  it('are not sent again after an error that is not of Telegram, because the chat may have them', async () => {
    await published(await linked());
    telegram.fail('proxy_error', 'sendMessage');
    await send();
    expect(await states()).toMatchObject([{ state: 'failed' }]);
    await makeDue();
    expect(await send()).toEqual({ claimed: 0, more: false });
    expect(sent()).toEqual([]);
  });

  it.each(['proxy_error', 'no_answer'] as const)(
    'stop at the first lost answer (%s), and all others wait without an attempt',
    async (fault) => {
      const chat = await linked();
      await published(chat);
      await published(await linked());
      // This one waits for the first of its chat.
      await published(chat, '18');
      telegram.fail(fault, 'sendMessage');
      expect(await send()).toEqual({ claimed: 2, more: false });
      expect(sent()).toEqual([]);
      const [lost, ...waiting] = await states();
      expect(lost).toMatchObject({ state: 'failed' });
      for (const notice of waiting) {
        expect(notice).toMatchObject({ state: 'queued', attempts: 0 });
        expect(notice.wait).toBeGreaterThan(10);
      }
      await makeDue();
      await send();
      expect(sent()).toHaveLength(2);
    },
  );

  it('are not sent again when the answer is lost, because the chat may have them', async () => {
    await published(await linked());
    telegram.fail('no_answer', 'sendMessage');
    await send();
    expect(await states()).toMatchObject([{ state: 'failed' }]);
    // Nothing is lost while Telegram does not answer at all.
    await published(await linked());
    telegram.fail('no_answer', 'getMe');
    await send();
    await makeDue();
    await send();
    expect(sent()).toHaveLength(1);
  });

  it('end quietly for a chat that has blocked the bot', async () => {
    const chat = await linked();
    await published(chat);
    await published(chat, '18');
    telegram.fail('blocked_by_user', 'sendMessage');
    await send();
    await makeDue();
    expect(await send()).toEqual({ claimed: 0, more: false });
    expect(sent()).toEqual([]);
    expect(await states()).toMatchObject([{ state: 'failed' }, { state: 'failed' }]);
  });
});
