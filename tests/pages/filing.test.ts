import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { account as accountWords } from '../../src/lib/i18n/en/accounts.ts';
import { errorMessages } from '../../src/lib/i18n/en/database-errors.ts';
import { filing as words } from '../../src/lib/i18n/en/integrations.ts';
import { filing as spanish } from '../../src/lib/i18n/es/integrations.ts';
import { type CookieJar, hiddenField, redirectOf, signInWithCookies } from '../support/http-client.ts';
import { call, callServer, type People } from '../support/newsroom.ts';
import { telegramMessage } from '../support/telegram.ts';
import { test as base } from '../support/test.ts';

// The tests connect the only bot of the site.
const test = base.extend('ownSite', true);

const PATH = '/desk/site/filing';

/** Connects a bot, as the edge function does. */
const connect = ({ owner }: People, delivery_hash = 'a'.repeat(64)) =>
  call(owner.client, 'connect_filing_channel', {
    channel: 'telegram',
    account: '@desk_bot',
    token: 'x'.repeat(60),
    delivery_hash,
  });

const pageOf = async (jar: CookieJar, path: string) => (await jar.get(path)).text();

test('an owner enters a token, learns what is wrong with it, and does not see it again', async ({
  site,
  people,
}) => {
  const editor = await signInWithCookies(site.url, people.editor);
  expect((await editor.get(PATH)).status).toBe(403);
  const jar = await signInWithCookies(site.url, people.owner);
  expect(await pageOf(jar, PATH)).toContain(words.site.connect);
  const wrong = await jar.post(PATH, { act: 'connect', token: 'my-wrong-token' });
  expect(wrong.status).toBe(422);
  const page = await wrong.text();
  expect(page).toContain(errorMessages.filing_token_form);
  expect(page).not.toContain('my-wrong-token');
  const token = `123456789:${'A'.repeat(35)}`;
  const plain = await jar.post(PATH, { act: 'connect', token });
  expect(plain.status).toBe(409);
  expect(await plain.text()).toContain(errorMessages.filing_needs_https);
  expect((await jar.post(PATH, { act: 'other' })).status).toBe(422);

  await connect(people);
  const connected = await pageOf(jar, PATH);
  expect(connected).toContain(words.site.connected('@desk_bot'));
  expect(connected).not.toContain('name="token"');
  // The token of this test was not encrypted by the function.
  const test = await jar.post(PATH, { act: 'test' });
  expect(await test.text()).toContain(errorMessages.filing_token_lost);
});

test('a person makes a code, links a chat, and unlinks it; an owner decides about it', async ({
  site,
  people,
}) => {
  await connect(people);
  const reader = await signInWithCookies(site.url, people.reader);
  expect(await pageOf(reader, '/account')).not.toContain(words.account.title);
  const jar = await signInWithCookies(site.url, people.reporter);
  expect(await pageOf(jar, '/account')).toContain(words.account.title);
  const made = await jar.post('/account', { form: 'filing_code', channel: 'telegram' });
  expect(made.status).toBe(200);
  const page = await made.text();
  const [, code = ''] = /href="https:\/\/t\.me\/desk_bot\?start=([A-Z0-9]{8})"/.exec(page) ?? [];
  expect(page).toContain(`value="${code.slice(0, 4)}-${code.slice(4)}"`);
  expect(await pageOf(jar, '/account')).not.toContain(code);
  expect((await jar.post('/account', { form: 'filing_code', channel: 'pigeon' })).status).toBe(422);

  const sender = { channel: 'telegram', sender: randomUUID(), name: '@<b>ana', code };
  expect(await callServer(site.service, 'link_filing_sender', sender)).toMatchObject({ outcome: 'linked' });
  const owner = await signInWithCookies(site.url, people.owner);
  const listed = await pageOf(owner, PATH);
  expect(listed).toContain('@&lt;b&gt;ana');
  const id = hiddenField(listed, 'sender');
  expect(await (await owner.post(PATH, { act: 'trust', sender: id })).text()).toContain(
    words.site.done.trusted,
  );
  expect(await pageOf(owner, PATH)).toContain(words.site.publishes);
  expect(await (await owner.post(PATH, { act: 'distrust', sender: id })).text()).toContain(
    words.site.done.distrusted,
  );
  const other = await signInWithCookies(site.url, people.editor);
  expect((await other.post('/account', { form: 'filing_sender', sender: id })).status).toBe(404);
  const unlinked = await jar.post('/account', { form: 'filing_sender', sender: id });
  expect(redirectOf(unlinked)).toEqual([303, '/account?done=filing_sender']);
  expect(await pageOf(jar, '/account?done=filing_sender')).toContain(accountWords.done.filing_sender);
  expect(await pageOf(owner, PATH)).not.toContain('@&lt;b&gt;ana');
  expect((await owner.post(PATH, { act: 'unlink', sender: id })).status).toBe(404);
});

test('takes deliveries at the address of the site, and shows the update at the desk', async ({
  site,
  newsroom,
}) => {
  const { people, coverage } = newsroom;
  const secret = randomUUID();
  await connect(people, createHash('sha256').update(secret).digest('hex'));
  const code = 'BCDFGH23';
  const code_hash = createHash('sha256').update(code).digest('hex');
  await call(people.reporter.client, 'make_filing_code', { channel: 'telegram', code_hash, language: 'en' });
  const deliver = (text: string, sent: string) =>
    fetch(`${site.url}/functions/v1/receive-filing/telegram`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': sent },
      body: JSON.stringify(telegramMessage(41, text)),
    });
  expect((await deliver(`/start ${code}`, 'wrong')).status).toBe(403);
  expect(await (await deliver(`/start ${code}`, secret)).json()).toMatchObject({
    method: 'sendMessage',
    chat_id: 41,
  });
  await deliver(`#${coverage.slug} WATER AT THE QUAY\nIt rises.`, secret);
  const jar = await signInWithCookies(site.url, people.editor);
  expect(await pageOf(jar, `/desk/${coverage.slug}`)).toContain('WATER AT THE QUAY');
});

test('shows how many messages were refused, in both languages', async ({ site, people }) => {
  await connect(people);
  for (const reason of ['forged', 'unlinked', 'unlinked'])
    await callServer(site.service, 'refuse_filing', { channel: 'telegram', reason });
  const jar = await signInWithCookies(site.url, people.owner);
  const page = await pageOf(jar, PATH);
  expect(page).toContain(words.site.refused('2', words.site.reasons.unlinked));
  expect(page).toContain(words.site.refused('2', words.site.reasons.forged));
  await call(people.owner.client, 'save_site', { content: { language: 'es' } });
  await expect.poll(() => pageOf(jar, PATH)).toContain(spanish.site.refusals);
  const log = await pageOf(jar, '/desk/people/log');
  expect(log).toContain('rechazó mensajes de chats sin vincular');
});
