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
/** The messages of an album of three photos. One has the caption. */
function album(caption = 'THE QUAY\nAt noon.', captioned = 'two') {
  const media_group_id = String(++albums);
  return ['one', 'two', 'three'].map((file_id) => {
    const photo = [{ file_id: 'small' }, { file_id }];
    const more = { text: undefined, photo, media_group_id };
    return telegramMessage(from, '', file_id === captioned ? { ...more, caption } : more);
  }) as [Sent, Sent, Sent];
}
type Sent = ReturnType<typeof telegramMessage>;

/** The edit of a caption. */
function captionEdit(message: Sent, caption: string) {
  const edit = telegramEdit(message, '');
  Object.assign(edit.edited_message, { text: undefined, caption });
  return edit;
}

const reply = (to: Sent, text = '/delete') => telegramMessage(from, text, { reply_to_message: to.message });

const trust = () =>
  backend.sql(`update private.filing_senders set publishes = true where sender = '${from}' returning id`);

/** An editor saves the first update of the coverage with another headline. */
async function changeAtDesk() {
  const [stored] = await updates();
  const { data } = await people.editor.client
    .from('desk_updates')
    .select('body')
    .eq('id', stored?.id)
    .single();
  const content = { headline: 'By the desk', body: data?.body };
  const args = { coverage_id: newsroom.coverage.id, update_id: stored?.id, version: stored?.version };
  return call(people.editor.client, 'save_update', { ...args, content });
}

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
     from public.updates u where u.coverage_id = '${newsroom.coverage.id}' order by u.number nulls last, u.created_at`,
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
    await changeAtDesk();
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
    expect((await deliver(captionEdit(messages[1], 'The quay at one.'))).text).toBe('Changed.');
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
    expect((await deliver(reply(messages[2]))).text).toContain('Deleted.');
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

describe('an album whose caption is a correction', () => {
  it.each(['one', 'two', 'three'])(
    'waits for the desk with its words when they are on photo %s, and its other photos are an update',
    async (captioned) => {
      await newsroom.publish();
      const answers: (string | undefined)[] = [];
      const messages = album('/correct 1 Water stands.', captioned);
      for (const message of [...messages, ...messages]) answers.push((await deliver(message)).text);
      expect(answers.filter((text) => text?.includes('Your correction of no. 1'))).toHaveLength(2);
      const others = ['one', 'two', 'three'].filter((file) => file !== captioned);
      const stored = await updates();
      expect(stored).toHaveLength(3);
      expect(stored).toContainEqual(expect.objectContaining({ state: 'submitted', words: 'Water stands.' }));
      expect(stored).toContainEqual(expect.objectContaining({ state: 'submitted', files: others }));
    },
  );

  it('is published for a trusted sender, and its other photos wait as an update', async () => {
    await newsroom.publish();
    await trust();
    const [first, ...others] = album('/correct 1 Water stands.', 'one');
    expect((await deliver(first)).text).toContain('Correction published, no. 1.');
    expect((await deliver(others[0])).text).toContain('With the desk');
    await deliver(others[1]);
    expect(await updates()).toMatchObject([
      { state: 'published', words: 'Water stands.' },
      { state: 'submitted', files: ['two', 'three'] },
    ]);
  });
});

describe('an album that is not filed as it was sent', () => {
  it.each([
    ['#no-such-coverage At noon.', 'no such coverage'],
    ['/publish At noon.', '/publish is no command'],
    ['/correct At noon.', '/correct 41'],
    [`#a${'x'.repeat(5)} ${'A long text. '.repeat(900)}`, 'no such coverage'],
    [`${'x'.repeat(5_000)}\n`.repeat(5), 'could not be filed'],
  ])('is refused as a whole, with one answer, when its first caption is refused', async (caption, answer) => {
    const messages = album(caption, 'one');
    for (let times = 0; times < 2; times++) {
      expect((await deliver(messages[0])).text).toContain(answer);
      for (const message of messages.slice(1)) expect((await deliver(message)).text).toBeUndefined();
    }
    expect(await updates()).toEqual([]);
    // An edit would file one photo of three.
    const edit = captionEdit(messages[0], 'At noon.');
    expect((await deliver(edit)).text).toBe('This album was not stored. Send the whole album again.');
    expect((await deliver(captionEdit(messages[2], 'At one.'))).text).toContain(
      'Send the whole album again.',
    );
    expect(await updates()).toEqual([]);
  });

  it('keeps its photos when only a later caption is refused', async () => {
    await createLiveCoverage(people);
    const messages = album('#no-such-coverage At noon.');
    expect((await deliver(messages[0])).text).toContain('For which coverage?');
    expect((await deliver(messages[1])).text).toContain('no such coverage');
    expect((await deliver(messages[2])).text).toBeUndefined();
    await deliver(telegramMessage(from, '2'));
    expect(await updates()).toMatchObject([{ words: null, files: ['one', 'three'] }]);
  });

  it('waits when its caption is the number of a coverage, so that no photo is lost', async () => {
    await createLiveCoverage(people);
    await deliver(telegramMessage(from, 'Which one?'));
    for (const message of album('2', 'one')) await deliver(message);
    await deliver(telegramMessage(from, '2'));
    expect(await updates()).toMatchObject([
      { words: 'Which one?' },
      { words: '2', files: ['one', 'two', 'three'] },
    ]);
  });

  it('stays a draft when it waits for a coverage', async () => {
    await createLiveCoverage(people);
    const messages = album('/draft At noon.', 'one');
    for (const message of messages) await deliver(message);
    await deliver(telegramMessage(from, '2'));
    expect(await updates()).toMatchObject([
      { state: 'draft', words: 'At noon.', files: ['one', 'two', 'three'] },
    ]);
  });

  it('of a trusted sender that begins with a video is published, and each photo waits as an update', async () => {
    await trust();
    const [first, ...others] = album('At noon.', 'one');
    Object.assign(first.message, { photo: undefined, video: { file_id: 'film' } });
    expect((await deliver(first)).text).toContain('Live, no. 1.');
    for (let times = 0; times < 2; times++)
      for (const message of others) expect((await deliver(message)).text).toContain('With the desk');
    expect(await updates()).toMatchObject([
      { state: 'published', words: 'At noon.', version: 1 },
      { state: 'submitted', files: ['two'] },
      { state: 'submitted', files: ['three'] },
    ]);
  });
});

describe('a late photo of an album', () => {
  const texts = (id: string | undefined) =>
    backend.sql(
      `select t ->> 'text' as text from private.filed_messages m, jsonb_array_elements(m.texts) t where m.id = '${id}'`,
    );

  it('is deleted alone, and the update with the changes of the desk is not', async () => {
    const messages = album('At noon.', 'one');
    await deliver(messages[0]);
    await deliver(messages[1]);
    await changeAtDesk();
    await deliver(messages[2]);
    for (let times = 0; times < 2; times++)
      expect((await deliver(reply(messages[2]))).text).toContain('Deleted.');
    expect(await updates()).toMatchObject([
      { state: 'submitted', headline: 'By the desk' },
      { state: 'spiked', files: ['three'] },
    ]);
    expect((await deliver(reply(messages[1]))).text).toContain(
      'The desk has changed or scheduled this update',
    );
    expect(await updates()).toMatchObject([{ state: 'submitted' }, { state: 'spiked' }]);
  });

  it('stays an update of its own when it is edited, and its text is no text of the album', async () => {
    const messages = album('At noon.', 'one');
    Object.assign(messages[2].message, { caption: 'At two.' });
    await deliver(messages[0]);
    await deliver(messages[1]);
    await backend.sql(
      `update public.photos set alt = 'The quay.' where coverage_id = '${newsroom.coverage.id}' returning id`,
    );
    const [stored] = await updates();
    const { id: update_id, version } = stored ?? {};
    const { data } = await people.editor.client
      .from('desk_updates')
      .select('body')
      .eq('id', update_id)
      .single();
    const scheduled = (await call(people.editor.client, 'schedule_update', {
      coverage_id: newsroom.coverage.id,
      update_id,
      version,
      content: { body: data?.body },
      scheduled_for: new Date(Date.now() + 3_600_000).toISOString(),
    })) as { version: number };
    await deliver(messages[2]);
    expect(await texts(update_id)).toEqual([{ text: 'At noon.' }]);
    await call(people.editor.client, 'unschedule_update', { update_id, version: scheduled.version });
    expect((await deliver(captionEdit(messages[2], 'At three.'))).text).toBe('Changed.');
    expect(await updates()).toMatchObject([
      { words: 'At noon.', files: ['one', 'two'] },
      { words: 'At three.', files: ['three'] },
    ]);
  });
});
