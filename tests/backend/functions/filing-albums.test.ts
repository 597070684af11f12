import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OwnedBackend, serviceClient, startOwnedBackend } from '../../support/backend.ts';
import { call, createLiveCoverage, createUsers, type Newsroom, type People } from '../../support/newsroom.ts';
import { makePhoto } from '../../support/photos.ts';
import { startTelegram, type TelegramServer, telegramEdit, telegramMessage } from '../../support/telegram.ts';

let backend: OwnedBackend;
let telegram: TelegramServer;
let people: People;
let newsroom: Newsroom;
let from: number;

beforeAll(async () => {
  telegram = await startTelegram();
  backend = await startOwnedBackend({
    EMBEDDED_SUPABASE_FUNCTION_VARIABLES: JSON.stringify({ STOPPRESS_TELEGRAM_API: telegram.url }),
  });
  people = await createUsers({ ...backend, service: serviceClient(backend) });
  const url = 'https://news.example/functions/v1/receive-filing';
  const body = { act: 'connect', token: telegram.token, url };
  expect((await people.owner.client.functions.invoke('receive-filing', { body })).error).toBeNull();
  for (const file of ['one', 'two', 'three']) telegram.files.set(file, await makePhoto(40, 30));
});
afterAll(async () => {
  await backend?.stop();
  await telegram?.stop();
});

let chats = 9_000;
beforeEach(async () => {
  await backend.sql('delete from private.filing_codes returning channel');
  await backend.sql(`update public.coverages set state = 'ended' where state = 'live' returning id`);
  newsroom = await createLiveCoverage(people);
  from = ++chats;
  const code = randomUUID();
  const code_hash = createHash('sha256').update(code).digest('hex');
  await call(people.reporter.client, 'make_filing_code', { channel: 'telegram', code_hash, language: 'en' });
  const sender = { channel: 'telegram', sender: String(from), name: '@ana', code };
  expect((await serviceClient(backend).rpc('link_filing_sender', sender)).error).toBeNull();
});

async function deliver(update: object): Promise<{ status: number; text?: string }> {
  const response = await fetch(`${backend.url}/functions/v1/receive-filing/telegram`, {
    method: 'POST',
    headers: { 'x-telegram-bot-api-secret-token': telegram.webhook()?.secret_token ?? '' },
    body: JSON.stringify(update),
  });
  return { status: response.status, text: (await response.json()).text };
}

let albums = 0;
/** The messages of an album of three photos. The second has the caption. */
function album(caption = 'THE QUAY\nAt noon.') {
  const media_group_id = String(++albums);
  return ['one', 'two', 'three'].map((file_id) => {
    const photo = [{ file_id: 'small' }, { file_id }];
    const more = { text: undefined, photo, media_group_id };
    return telegramMessage(from, '', file_id === 'two' ? { ...more, caption } : more);
  }) as [Sent, Sent, Sent];
}
type Sent = ReturnType<typeof telegramMessage>;

/** Updates of the coverage, with the files of their photos in order, and whether the photos have arrived. */
const updates = () =>
  backend.sql<{
    id: string;
    state: string;
    headline: string | null;
    files: string[] | null;
    version: number;
  }>(
    `select u.id, u.state, u.headline, u.version, u.body -> 0 -> 'runs' -> 0 ->> 'text' as words,
       (select json_agg(coalesce((select e ->> 'file' from private.filed_messages m, jsonb_array_elements(private.filed_photos(m)) e
            where e ->> 'id' = b.block ->> 'photo' limit 1), '') || case when exists (select from storage.objects o
            where o.name = 'incoming/' || (b.block ->> 'photo')) then '' else ' missing' end order by b.n)
        from jsonb_array_elements(u.body) with ordinality b(block, n) where b.block ->> 'type' = 'photo') as files
     from public.updates u where u.coverage_id = '${newsroom.coverage.id}' order by u.created_at`,
  );

const WHOLE = {
  state: 'submitted',
  headline: 'THE QUAY',
  words: 'At noon.',
  files: ['one', 'two', 'three'],
};

describe('an album', () => {
  it.each([[[0, 1, 2]], [[2, 0, 1]], [[1, 1, 2, 0, 0]], [[2, 1, 0, 2, 1, 0]]])(
    'is one update with its photos in order when it is delivered as %j, with one answer',
    async (order) => {
      const messages = album();
      const texts: (string | undefined)[] = [];
      const seen = new Set<number>();
      for (const index of order) {
        const { text, status } = await deliver(messages[index as 0]);
        expect(status).toBe(200);
        if (!seen.has(index)) texts.push(text);
        seen.add(index);
      }
      expect(texts).toEqual([expect.stringContaining('With the desk'), undefined, undefined]);
      expect(await updates()).toMatchObject([WHOLE]);
    },
  );

  it('is one update when its messages are delivered at once', async () => {
    const messages = album();
    const answers = await Promise.all([...messages, messages[0]].map(deliver));
    for (const { status } of answers) expect(status).toBe(200);
    expect(await updates()).toMatchObject([WHOLE]);
  });

  it.each(['too_many_requests', 'download_failed'] as const)(
    'has each photo once when Telegram fails with %s and delivers again',
    async (fault) => {
      const messages = album();
      await deliver(messages[0]);
      telegram.fail(fault);
      expect((await deliver(messages[1])).status).toBeGreaterThan(400);
      await deliver(messages[1]);
      await deliver(messages[2]);
      expect(await updates()).toMatchObject([WHOLE]);
    },
  );

  it('that the desk has changed meanwhile stays as it is, and a late photo is an update of its own, once', async () => {
    const messages = album();
    await deliver(messages[0]);
    await deliver(messages[1]);
    const [stored] = await updates();
    const { data } = await people.editor.client
      .from('desk_updates')
      .select('body')
      .eq('id', stored?.id)
      .single();
    const args = {
      coverage_id: newsroom.coverage.id,
      update_id: stored?.id,
      version: stored?.version,
      content: { headline: 'By the desk', body: data?.body },
    };
    await call(people.editor.client, 'save_update', args);
    for (let times = 0; times < 2; times++)
      expect((await deliver(messages[2])).text).toContain('With the desk');
    expect(await updates()).toMatchObject([
      { headline: 'By the desk', files: ['one', 'two'] },
      { headline: null, files: ['three'] },
    ]);
  });

  it('has a changed caption when its message is edited', async () => {
    const messages = album();
    for (const message of messages) await deliver(message);
    const edit = telegramEdit(messages[1], '');
    Object.assign(edit.edited_message, { text: undefined, caption: 'The quay at one.' });
    expect((await deliver(edit)).text).toBe('Changed.');
    expect(await updates()).toMatchObject([{ ...WHOLE, headline: null, words: 'The quay at one.' }]);
  });

  it('waits for the choice of a coverage as one message', async () => {
    await createLiveCoverage(people);
    const messages = album();
    expect((await deliver(messages[0])).text).toContain('For which coverage?');
    expect((await deliver(messages[1])).text).toBeUndefined();
    expect((await deliver(telegramMessage(from, '2'))).text).toContain('Your message is filed.');
    expect((await deliver(messages[2])).text).toBeUndefined();
    expect(await updates()).toMatchObject([WHOLE]);
  });

  it('is deleted by a reply to one of its messages, while it is not published', async () => {
    const messages = album();
    for (const message of messages) await deliver(message);
    expect((await deliver(telegramMessage(from, '/delete'))).text).toContain('Reply with /delete');
    const reply = telegramMessage(from, '/delete', { reply_to_message: messages[2].message });
    expect((await deliver(reply)).text).toContain('Deleted.');
    expect(await updates()).toMatchObject([{ ...WHOLE, state: 'spiked' }]);
  });

  it('of an unlinked sender is not stored, and its files are not requested', async () => {
    from = ++chats;
    const calls = telegram.calls.length;
    for (const message of album()) expect((await deliver(message)).text).toContain('/account');
    expect(telegram.calls).toHaveLength(calls);
    expect(await updates()).toEqual([]);
  });
});
