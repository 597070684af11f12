import { createHash } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OwnedBackend, serviceClient, startOwnedBackend } from '../../support/backend.ts';
import {
  call,
  createLiveCoverage,
  createUsers,
  type Newsroom,
  type People,
  paragraph,
} from '../../support/newsroom.ts';
import { makePhoto } from '../../support/photos.ts';
import { startTelegram, type TelegramServer, telegramEdit, telegramMessage } from '../../support/telegram.ts';

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
});
afterAll(async () => {
  await backend?.stop();
  await telegram?.stop();
});

beforeEach(async () => {
  // A person makes ten codes an hour.
  await backend.sql('delete from private.filing_codes returning channel');
  await backend.sql(`update public.coverages set state = 'ended' where state = 'live' returning id`);
  newsroom = await createLiveCoverage(people);
});

const PUBLIC_URL = 'https://news.example/functions/v1/receive-filing';

type Said = { status: number; data: Record<string, unknown> };
async function ask(client: SupabaseClient, body: object): Promise<Said> {
  const { data, error, response } = await client.functions.invoke('receive-filing', { body });
  return { status: response?.status ?? 0, data: error ? await error.context.json() : data };
}
const connect = () => ask(people.owner.client, { act: 'connect', token: telegram.token, url: PUBLIC_URL });

type Answer = { status: number; text?: string; chat?: number };

/** Delivers an update to the webhook, as Telegram does. */
async function deliver(
  update: object,
  secret: string | undefined = telegram.webhook()?.secret_token,
): Promise<Answer> {
  const response = await fetch(`${backend.url}/functions/v1/receive-filing/telegram`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(secret !== undefined && { 'x-telegram-bot-api-secret-token': secret }),
    },
    body: JSON.stringify(update),
  });
  const answer = await response.json();
  if (answer.method !== undefined) expect(answer.method).toBe('sendMessage');
  return { status: response.status, text: answer.text, chat: answer.chat_id };
}

let senders = 1_000;
/** Links a new chat to a person. @returns the id of the sender */
async function linked(person = people.reporter, language = 'en'): Promise<number> {
  const from = ++senders;
  const code = newCode();
  await makeCode(person.client, code, language);
  expect((await deliver(telegramMessage(from, `/start ${code}`))).text).toMatch(/linked|vinculado/);
  return from;
}
const CHARACTERS = 'BCDFGHJKMNPQRSTVWXYZ23456789';
const newCode = () =>
  Array.from({ length: 8 }, () => CHARACTERS[Math.floor(Math.random() * CHARACTERS.length)]).join('');
const makeCode = (client: SupabaseClient, code: string, language = 'en') =>
  call(client, 'make_filing_code', {
    channel: 'telegram',
    code_hash: createHash('sha256').update(code).digest('hex'),
    language,
  });

type Stored = {
  id: string;
  state: string;
  headline: string | null;
  body: unknown;
  version: number;
  key_event: boolean;
};
const updates = () =>
  backend.sql<Stored>(
    `select id, state, headline, body, version, key_event from public.updates
     where coverage_id = '${newsroom.coverage.id}' order by number nulls last, created_at`,
  );
const body = (...lines: string[]) => lines.map(paragraph);
const refusals = () =>
  backend.sql<{ reason: string; number: number }>(
    'select reason, number from private.filing_refusals order by reason',
  );

describe('the connection', () => {
  it('is refused to editors, and for a wrong token, an address without https and errors of Telegram', async () => {
    const { owner, editor } = people;
    const args = { act: 'connect', token: telegram.token, url: PUBLIC_URL };
    for (const act of ['connect', 'test', 'disconnect'])
      expect(await ask(editor.client, { ...args, act, text: 'a' })).toMatchObject({ status: 403 });
    const refused = async (more: object) => (await ask(owner.client, { ...args, ...more })).data.reason;
    expect(await refused({ token: 'abc' })).toBe('filing_token_form');
    expect(await refused({ url: 'http://news.example' })).toBe('filing_needs_https');
    expect(await refused({ token: `1234:${'B'.repeat(35)}` })).toBe('telegram_token_refused');
    telegram.fail('server_error');
    expect(await refused({})).toBe('telegram_unreachable');
    telegram.fail('too_many_requests');
    const { data, response } = await owner.client.functions.invoke('receive-filing', { body: args });
    expect([data, response?.status, response?.headers.get('retry-after')]).toEqual([null, 429, '17']);
    telegram.fail('no_answer');
    expect(await refused({})).toBe('telegram_unreachable');
    expect(telegram.calls).toEqual([]);
    expect(await backend.sql('select from private.filing_channels')).toEqual([]);
  });

  it('sets the webhook with a secret, and stores the token encrypted', async () => {
    expect(await connect()).toEqual({ status: 200, data: { account: '@desk_bot' } });
    expect(telegram.webhook()).toMatchObject({
      url: `${PUBLIC_URL}/telegram`,
      max_connections: 1,
      allowed_updates: ['message', 'edited_message'],
    });
    expect(telegram.webhook()?.secret_token).toMatch(/^[\w-]{43}$/);
    const stored = JSON.stringify(await backend.sql('select * from private.filing_channels'));
    expect(stored).not.toContain(telegram.token);
    expect(stored).not.toContain(telegram.webhook()?.secret_token);
  });

  it('sends a test to the chat of the owner, after the owner has linked one', async () => {
    const test = () => ask(people.owner.client, { act: 'test', text: 'A test.' });
    expect((await test()).data.reason).toBe('filing_chat_missing');
    const from = await linked(people.owner);
    expect((await test()).status).toBe(200);
    expect(telegram.calls.at(-1)).toEqual({
      method: 'sendMessage',
      parameters: { chat_id: String(from), text: 'A test.' },
    });
    telegram.fail('blocked_by_user');
    expect((await test()).data.reason).toBe('telegram_chat_closed');
  });
});

describe('a delivery', () => {
  it('is refused without the secret, and counted', async () => {
    const from = await linked();
    for (const secret of ['', 'wrong', `${telegram.webhook()?.secret_token}x`]) {
      expect((await deliver(telegramMessage(from, 'Forged.'), secret)).status).toBe(403);
    }
    expect(await updates()).toEqual([]);
    expect(await refusals()).toContainEqual({ reason: 'forged', number: 3 });
    const log = await backend.sql(`select from public.audit_log where action = 'refuse_forged_filing'`);
    expect(log).toHaveLength(1);
  });

  it('is refused if it is too large, and ignored if it comes from a group or a bot', async () => {
    const from = await linked();
    expect((await deliver(telegramMessage(from, 'x'.repeat(300_000)))).status).toBe(413);
    const group = { chat: { id: -5, type: 'group' } };
    const bot = { from: { id: from, is_bot: true, first_name: 'Bot' } };
    for (const more of [group, bot])
      expect(await deliver(telegramMessage(from, 'Not here.', more))).toEqual({ status: 200 });
    for (const odd of [{}, { message: 1 }, { message: { text: 'a' } }, { channel_post: {} }])
      expect((await deliver(odd)).status).toBe(200);
    expect(await updates()).toEqual([]);
  });

  it('of an unlinked sender is answered with the address of the account page, and stored as a count only', async () => {
    const sent = telegramMessage(77, 'SECRET WORDS');
    expect((await deliver(sent)).text).toContain('/account');
    expect(await updates()).toEqual([]);
    expect(await refusals()).toContainEqual({ reason: 'unlinked', number: 1 });
    expect(await backend.sql('select from private.filed_messages where waiting is not null')).toEqual([]);
  });

  it('with a code links its sender once', async () => {
    const code = newCode();
    await makeCode(people.editor.client, code, 'es');
    const sent = telegramMessage(78, `${code.slice(0, 4)}-${code.slice(4).toLowerCase()}`);
    expect((await deliver(sent)).text).toContain('vinculado');
    expect((await deliver(sent)).text).toContain('vinculado');
    expect((await deliver(telegramMessage(79, code))).text).toContain('wrong, used or older');
    expect((await deliver(telegramMessage(78, 'El agua sube.'))).text).toContain('En la mesa');
    expect((await deliver(telegramMessage(79, 'Water.'))).text).toContain('/account');
    // Guesses are limited.
    for (let guess = 0; guess < 4; guess++) await deliver(telegramMessage(79, newCode()));
    expect((await deliver(telegramMessage(79, newCode()))).text).toContain('Too many');
  });
});

describe('a message', () => {
  it('becomes an update with headline, text and place', async () => {
    const from = await linked();
    const bold = { entities: [{ type: 'bold', offset: 0, length: 5 }] };
    await deliver(telegramMessage(from, 'WATER AT THE QUAY\nIt rises.\n\nThe gate is shut.'));
    await deliver(telegramMessage(from, '*Second*\nText.'));
    await deliver(telegramMessage(from, 'Third\nText.', bold));
    await deliver(telegramMessage(from, 'Plain line\nText.'));
    await deliver(telegramMessage(from, '/key ONLY CAPITALS'));
    const location = { latitude: 53.3498123, longitude: -6.26031 };
    const venue = { location, title: 'Harrow Bridge', address: 'Quay 1' };
    expect((await deliver(telegramMessage(from, '', { text: undefined, location, venue }))).text).toContain(
      'With the desk',
    );
    expect(await updates()).toMatchObject([
      { headline: 'WATER AT THE QUAY', body: body('It rises.', 'The gate is shut.'), state: 'submitted' },
      { headline: 'Second', body: body('Text.') },
      { headline: 'Third', body: body('Text.') },
      { headline: null, body: body('Plain line', 'Text.') },
      { headline: null, body: body('ONLY CAPITALS'), key_event: true },
      { body: [{ type: 'map', name: 'Harrow Bridge', latitude: 53.34981, longitude: -6.26031 }] },
    ]);
  });

  it('that is a command or a file is answered and files nothing', async () => {
    const from = await linked();
    for (const [text, part] of [
      ['?', '/draft before the text'],
      ['/publish now', '/publish is no command'],
      ['/draft', 'nothing to file'],
      ['#no-such-coverage Text', 'no such coverage'],
    ] as const)
      expect((await deliver(telegramMessage(from, text))).text).toContain(part);
    const video = { text: undefined, video: { file_id: 'a' } };
    expect((await deliver(telegramMessage(from, '', video))).text).toContain('nothing to file');
    expect(await updates()).toEqual([]);
    const caption = { ...video, caption: 'Seen from the bridge.' };
    expect((await deliver(telegramMessage(from, '', caption))).text).toContain('cannot be filed here');
    expect(await deliver(telegramMessage(from, '/draft Not yet.'))).toMatchObject({
      text: expect.stringContaining('draft'),
    });
    expect(await updates()).toMatchObject([{ state: 'submitted' }, { state: 'draft' }]);
  });

  it('with a correction is answered with what became of it', async () => {
    const from = await linked();
    expect((await deliver(telegramMessage(from, '/correct Text.'))).text).toContain('/correct 41');
    expect((await deliver(telegramMessage(from, '/correct 1 Text.'))).text).toContain('no published no. 1');
    await newsroom.publish({ body: body('Water rises.') });
    const sent = telegramMessage(from, '/correct 1 Water falls.');
    for (let times = 0; times < 2; times++)
      expect((await deliver(sent)).text).toContain('Your correction of no. 1 is with the desk');
    await backend.sql(
      `update private.filing_senders set publishes = true where sender = '${from}' returning id`,
    );
    expect((await deliver(telegramMessage(from, '/correct 1 Water falls.'))).text).toBe(
      'Correction published, no. 1.',
    );
    expect(await updates()).toMatchObject([
      { state: 'published', body: body('Water falls.') },
      { state: 'submitted', body: body('Water falls.') },
    ]);
  });

  it('with a correction is not changed by an edit, and no message becomes one by an edit', async () => {
    const from = await linked();
    await newsroom.publish({ body: body('Water rises.') });
    const answers = async (sent: ReturnType<typeof telegramMessage>) => {
      await deliver(sent);
      const edits = ['/correct 1 Water falls.', 'Water stands.'].map((text) => telegramEdit(sent, text));
      const texts: (string | undefined)[] = [];
      for (const edit of edits) texts.push((await deliver(edit)).text);
      return texts;
    };
    const refused = 'Not changed. Send the command again in a new message.';
    expect(await answers(telegramMessage(from, '/correct 1 Water ran.'))).toEqual([refused, 'Changed.']);
    expect(await answers(telegramMessage(from, 'The gate is open.'))).toEqual([refused, 'Changed.']);
    await backend.sql(
      `update private.filing_senders set publishes = true where sender = '${from}' returning id`,
    );
    expect(await answers(telegramMessage(from, '/correct 1 Water runs.'))).toEqual([refused, refused]);
    expect(await updates()).toMatchObject([
      { state: 'published', body: body('Water runs.') },
      { state: 'submitted', body: body('Water stands.') },
      { state: 'submitted', body: body('Water stands.') },
    ]);
  });

  it('that was edited is a new version', async () => {
    const from = await linked();
    const sent = telegramMessage(from, 'Water rises.');
    await deliver(sent);
    // Within the same second.
    expect((await deliver(telegramEdit(sent, 'Water falls.'))).text).toBe('Changed.');
    expect(await updates()).toMatchObject([{ version: 2, body: body('Water falls.') }]);
  });

  it('is filed after the reply with the number of a coverage', async () => {
    const other = await createLiveCoverage(people);
    const from = await linked();
    expect((await deliver(telegramMessage(from, 'Which one?'))).text).toMatch(/\n1 .+\n2 /);
    const reply = telegramMessage(from, '2');
    expect((await deliver(reply)).text).toContain('Your message is filed.');
    await deliver(reply);
    expect((await deliver(telegramMessage(from, `#${other.coverage.slug} Other.`))).text).toContain(
      'With the desk',
    );
    expect(await updates()).toMatchObject([{ body: body('Which one?') }]);
  });

  it('is answered with its number when a trusted sender publishes', async () => {
    const from = await linked();
    await backend.sql(
      `update private.filing_senders set publishes = true where sender = '${from}' returning id`,
    );
    expect((await deliver(telegramMessage(from, 'Live.'))).text).toBe('Live, no. 1.');
  });
});

describe('a photo', () => {
  const photos = () =>
    backend.sql<{ id: string; state: string; uploaded_by: string; bytes: number | null }>(
      `select p.id, p.state, p.uploaded_by, (o.metadata ->> 'size')::integer as bytes
       from public.photos p left join storage.objects o on o.bucket_id = 'photos' and o.name = 'incoming/' || p.id
       where p.coverage_id = '${newsroom.coverage.id}'`,
    );
  const sent = (from: number, file_id: string, caption?: string, file_size?: number) =>
    telegramMessage(from, '', {
      text: undefined,
      caption,
      photo: [{ file_id: 'small' }, { file_id, file_size }],
    });

  it('is stored once for the usual processing, and its update waits for an editor', async () => {
    const from = await linked();
    await backend.sql(
      `update private.filing_senders set publishes = true where sender = '${from}' returning id`,
    );
    const file = await makePhoto(40, 30);
    telegram.files.set('quay', file);
    const message = sent(from, 'quay', 'THE QUAY');
    for (let times = 0; times < 2; times++)
      expect((await deliver(message)).text).toBe('With the desk: “The river rises at Harrow Bridge”.');
    const [photo, ...others] = await photos();
    expect(others).toEqual([]);
    expect(photo).toMatchObject({ state: 'uploading', uploaded_by: people.reporter.id, bytes: file.length });
    expect(await updates()).toMatchObject([
      { state: 'submitted', headline: 'THE QUAY', body: [{ type: 'photo', photo: photo?.id }] },
    ]);
    const edit = telegramEdit(message, '');
    Object.assign(edit.edited_message, { text: undefined, caption: 'The quay at noon.' });
    expect((await deliver(edit)).text).toBe('Changed.');
    expect(await updates()).toMatchObject([
      { headline: null, body: [...body('The quay at noon.'), { type: 'photo', photo: photo?.id }] },
    ]);
  });

  it.each(['too_many_requests', 'server_error', 'download_failed'] as const)(
    'is fetched at the next delivery after the fault %s, into one update',
    async (fault) => {
      const from = await linked();
      telegram.files.set('late', await makePhoto(40, 30));
      const message = sent(from, 'late', 'Late.');
      telegram.fail(fault);
      expect((await deliver(message)).status).toBe(fault === 'too_many_requests' ? 429 : 503);
      expect((await deliver(message)).text).toContain('With the desk');
      expect(await updates()).toHaveLength(1);
      expect(await photos()).toMatchObject([{ bytes: expect.any(Number) }]);
    },
  );

  it('that has expired or is too large is reported, and the text is filed', async () => {
    const from = await linked();
    expect((await deliver(sent(from, 'expired', 'Words.'))).text).toMatch(
      /With the desk.*\n.*could not be fetched/,
    );
    expect((await deliver(sent(from, 'huge', 'More words.', 21 * 1024 * 1024))).text).toContain(
      'larger than 20 MB',
    );
    telegram.files.set('large', Buffer.alloc(21 * 1024 * 1024));
    expect((await deliver(sent(from, 'large'))).text).toBe(
      'The photo is larger than 20 MB. Send a smaller one, or add it at the desk.',
    );
    expect(await photos()).toEqual([]);
    expect(await updates()).toMatchObject([{ body: body('Words.') }, { body: body('More words.') }]);
  });

  it('that is no image is refused', async () => {
    const from = await linked();
    telegram.files.set('text', Buffer.from('<svg onload=alert(1)>'));
    expect((await deliver(sent(from, 'text', 'Words.'))).text).toContain('could not be fetched');
    expect(await photos()).toMatchObject([{ state: 'refused', bytes: null }]);
  });

  it('of a message that waited is fetched after the choice', async () => {
    await createLiveCoverage(people);
    const from = await linked();
    telegram.files.set('waits', await makePhoto(40, 30));
    expect((await deliver(sent(from, 'waits'))).text).toContain('For which coverage?');
    expect(await photos()).toEqual([]);
    await deliver(telegramMessage(from, '2'));
    expect(await photos()).toMatchObject([{ bytes: expect.any(Number) }]);
  });

  it('of an unlinked sender is not requested from Telegram', async () => {
    const calls = telegram.calls.length;
    expect((await deliver(sent(80, 'quay', 'Words.'))).text).toContain('/account');
    expect(telegram.calls).toHaveLength(calls);
  });
});

it('makes one update of each of 120 messages, in order, with every fault of the delivery', async () => {
  const from = [await linked(), await linked(people.editor), await linked(people.owner)];
  const sent = Array.from({ length: 120 }, (_, n) => ({
    text: `Message ${n}`,
    update: telegramMessage(from[n % 3] as number, `Message ${n}`),
  }));
  const expected = sent.map(({ text }) => text);
  // Neighbours change places, each fifth is delivered twice at once, and each seventh loses its answer.
  const deliveries = sent.flatMap((one, n) => (n % 5 === 0 ? [one, one] : [one]));
  for (let n = 0; n + 1 < deliveries.length; n += 4)
    [deliveries[n], deliveries[n + 1]] = [deliveries[n + 1] as never, deliveries[n] as never];
  for (let n = 0; n < deliveries.length; n += 4) {
    await Promise.all(
      deliveries.slice(n, n + 4).map(async ({ update }, k) => {
        if ((n + k) % 7 === 0) {
          const signal = AbortSignal.timeout(5 + k);
          await fetch(`${backend.url}/functions/v1/receive-filing/telegram`, {
            method: 'POST',
            headers: { 'x-telegram-bot-api-secret-token': telegram.webhook()?.secret_token ?? '' },
            body: JSON.stringify(update),
            signal,
          }).catch(() => {});
        }
        for (let answer = await deliver(update); answer.status !== 200; answer = await deliver(update));
      }),
    );
  }
  // Telegram repeats some much later.
  for (const { update } of sent.slice(0, 10)) await deliver(update);
  const stored = (await updates()).map(({ body }) => body);
  expect(stored).toEqual(expected.map((text) => body(text)));
});

describe('the end', () => {
  it('stops a deactivated person at once, and all deliveries after the connection has ended', async () => {
    const from = await linked(people.editor);
    await call(people.owner.client, 'set_active', { person_id: people.editor.id, active: false });
    expect((await deliver(telegramMessage(from, 'Still here.'))).text).toContain('may not write');
    const secret = telegram.webhook()?.secret_token;
    expect((await ask(people.owner.client, { act: 'disconnect' })).status).toBe(200);
    expect(telegram.webhook()).toBeUndefined();
    expect((await deliver(telegramMessage(from, 'Nobody is here.'), secret)).status).toBe(403);
    expect(await updates()).toEqual([]);
  });
});
