import type { KyselyPlugin } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Engine } from '../../../../packages/embedded-supabase/src/engine/engine.ts';
import { openEngine } from '../../../../packages/embedded-supabase/src/engine/open.ts';
import {
  openMessageFeed,
  readRecentMessages,
  type StoredMessage,
} from '../../../../packages/embedded-supabase/src/realtime/messages.ts';
import { dataEnvironment, ENGINE, newDataFolder, removeData } from '../../../support/data-folders.ts';
import { PROBE_SCHEMA } from '../probe.ts';

/* Messages that are sent inside the database arrive in the backend. */

/** A busy machine may be slow. */
const SOON = { timeout: 20_000 };

let engine: Engine;
let received: StoredMessage[] = [];
beforeAll(async () => {
  const data = await newDataFolder(PROBE_SCHEMA);
  engine = await openEngine({ data, databaseUrl: dataEnvironment(data).DATABASE_URL }, () => {});
  const feed = await openMessageFeed(engine, (message) => received.push(message));
  return async () => {
    await feed.close();
    await engine.close();
    await removeData(data);
  };
});
beforeEach(() => {
  received = [];
});

/** Sends numbered messages in one transaction. */
const send = (from: number, to = from, more = '', topic = 'site') =>
  engine.exec(sending(from, to, more, topic));

const sending = (from: number, to: number, more = '', topic = 'site') =>
  `select realtime.send(jsonb_build_object('n', n${more}), 'change', '${topic}') from generate_series(${from}, ${to}) n`;

const json = (payload: StoredMessage['payload'] = '') => JSON.parse(String(payload));

const numbers = () => received.map(({ payload }) => json(payload).n);

/** Sends a last message and waits for it. @returns all messages before it */
async function everything(): Promise<unknown[]> {
  await send(-1);
  await vi.waitFor(() => expect(numbers()).toContain(-1), SOON);
  return numbers().slice(0, -1);
}

const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);

test('a message arrives unchanged', async () => {
  await engine.exec(`select realtime.send('{"words": "Flöde \\n"}', 'A change', 'coverage:ö', false)`);
  await vi.waitFor(() => expect(received).toHaveLength(1), SOON);
  const [{ payload, ...message }] = received as [StoredMessage];
  expect(message).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    topic: 'coverage:ö',
    event: 'A change',
    private: false,
  });
  expect(json(payload)).toEqual({ id: message.id, words: 'Flöde \n' });
});

test('a rolled back message is not sent', async () => {
  const undone = engine.transaction(async (session) => {
    await session.exec(sending(1, 3));
    throw new Error('Undone on purpose.');
  });
  await expect(undone).rejects.toThrow('Undone on purpose.');
  expect(await everything()).toEqual([]);
});

test('200 messages of one transaction arrive in order, before later ones', async () => {
  await send(1, 200);
  await Promise.all([send(201), send(201)]);
  expect(await everything()).toEqual([...upTo(200), 201, 201]);
});

test('a message of a megabyte arrives completely and in order', async () => {
  await engine.exec(
    [sending(1, 1), sending(2, 3, ", 'words', repeat('ö', 500000)"), sending(4, 4)].join(';'),
  );
  await send(5);
  expect(await everything()).toEqual(upTo(5));
  expect(json(received[2]?.payload).words).toBe('ö'.repeat(500_000));
});

test('a message without visibility is private, whatever its size', async () => {
  for (const length of [10, 10_000]) {
    await engine.exec(
      `select realtime.send(jsonb_build_object('words', repeat('x', ${length})), 'change', 'unsaid', null)`,
    );
  }
  await vi.waitFor(() => expect(received.map((message) => message.private)).toEqual([true, true]), SOON);
  expect(await readRecentMessages(engine, 'unsaid', Date.now() - 60_000, 25)).toHaveLength(2);
});

test('messages around the size limit of notifications arrive', async () => {
  for (const length of [7_600, 7_700, 7_800, 7_900, 8_000]) {
    await send(length, length, `, 'words', repeat('x', ${length})`);
  }
  await everything();
  expect(received.slice(0, -1).map(({ payload }) => json(payload).words.length)).toEqual([
    7_600, 7_700, 7_800, 7_900, 8_000,
  ]);
});

test('bytes of any length arrive unchanged and in order, and can be replayed', async () => {
  const lengths = [0, 3, 5_000, 6_000, 500_000];
  for (const length of lengths) {
    await engine.exec(
      `select realtime.send_binary(decode(repeat('00ff0a', ${length}), 'hex'), 'bytes', 'raw', false)`,
    );
  }
  await vi.waitFor(() => expect(received).toHaveLength(lengths.length), SOON);
  const bytes = lengths.map((length) => Buffer.from('00ff0a'.repeat(length), 'hex'));
  expect(received.map(({ payload }) => Buffer.compare(payload as Buffer, bytes.shift() as Buffer))).toEqual(
    lengths.map(() => 0),
  );
  expect(received[1]).toMatchObject({ topic: 'raw', event: 'bytes', private: false });
  await engine.exec(`select realtime.send_binary('\\x00ff', 'bytes', 'raw')`);
  expect(await readRecentMessages(engine, 'raw', Date.now() - 60_000, 25)).toMatchObject([
    { event: 'bytes', payload: Buffer.from([0, 255]) },
  ]);
});

test('rows that are no broadcasts are ignored', async () => {
  await engine.exec("insert into realtime.messages (topic, extension) values ('site', 'broadcast')");
  await engine.exec(
    "insert into realtime.messages (topic, extension, event) values ('site', 'presence', 'x')",
  );
  expect(await everything()).toEqual([]);
});

test('notifications of other programs are ignored', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  await engine.exec("notify realtime, 'not ours'");
  await engine.exec(`notify realtime, '{\n}'`);
  expect(await everything()).toEqual([]);
  expect(log).toHaveBeenCalledTimes(2);
  log.mockRestore();
});

test('a message that cannot be delivered does not delay the next one', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const fine: string[] = [];
  const failing = await openMessageFeed(engine, ({ event, payload }) => {
    if (json(payload).n === 1) throw new Error('Not deliverable.');
    fine.push(event);
  });
  await send(1, 2);
  await vi.waitFor(() => expect(fine).toEqual(['change']), SOON);
  await failing.close();
  expect(log).toHaveBeenCalledTimes(1);
  log.mockRestore();
});

test('messages of a lost connection arrive before the first one of the next connection', async () => {
  const numbers: number[] = [];
  let isLost = true;
  // The new connection brings its first notice before it reports that it listens.
  const renewed: Engine = {
    ...engine,
    listen: (channel, onNotice) =>
      engine.listen(
        channel,
        (notice) => {
          if (!isLost) onNotice(notice);
        },
        () => {},
      ),
  };
  const feed = await openMessageFeed(renewed, ({ payload }) => numbers.push(json(payload).n));
  await send(1, 30);
  await vi.waitFor(() => expect(received).toHaveLength(30), SOON);
  isLost = false;
  await send(31);
  await vi.waitFor(() => expect(numbers).toContain(31), SOON);
  await feed.close();
  expect(numbers).toEqual(upTo(31));
});

/** A feed that loses notices at will. `check` searches for missed messages; `queries` counts what it asks the database. */
async function openLossyFeed() {
  const feed = { arrived: [] as number[], loses: false, queries: 0, check: () => {}, close: async () => {} };
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      feed.queries += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const lossy: Engine = {
    ...engine,
    db: engine.db.withPlugin(counting),
    listen(channel, onNotice, onListening) {
      feed.check = onListening;
      return engine.listen(
        channel,
        (notice) => {
          if (!feed.loses) onNotice(notice);
        },
        () => {},
      );
    },
  };
  const { close } = await openMessageFeed(lossy, ({ payload }) => feed.arrived.push(json(payload).n));
  return Object.assign(feed, { close });
}

test('a check for missed messages asks the database once while none is missing', async () => {
  const feed = await openLossyFeed();
  await send(1, 60);
  await vi.waitFor(() => expect(feed.arrived).toHaveLength(60), SOON);
  feed.queries = 0;
  feed.check();
  await vi.waitFor(() => expect(feed.queries).toBe(1), SOON);
  await send(61);
  await vi.waitFor(() => expect(feed.arrived).toContain(61), SOON);
  await feed.close();
  expect(feed.arrived).toEqual(upTo(61));
  expect(feed.queries).toBe(1);
});

test.each([30, 1_000])(
  'messages whose notice was lost arrive at the next check, after %i others',
  async (others) => {
    const feed = await openLossyFeed();
    await send(1, others);
    await vi.waitFor(() => expect(feed.arrived).toHaveLength(others), SOON);
    feed.loses = true;
    await send(others + 1, others + 45);
    await vi.waitFor(() => expect(received).toHaveLength(others + 45), SOON);
    feed.check();
    await vi.waitFor(() => expect(feed.arrived).toHaveLength(others + 45), SOON);
    await feed.close();
    expect(feed.arrived).toEqual(upTo(others + 45));
  },
);

test('the last messages of a channel can be replayed, oldest first, up to 25', async () => {
  const began = Date.now();
  await send(1, 40, '', 'coverage:replayed');
  await engine.exec(
    `select realtime.send('{}', 'change', 'coverage:replayed', false); insert into realtime.messages (topic, extension) values ('coverage:replayed', 'broadcast')`,
  );
  const again = async (since: number, limit: number) =>
    (await readRecentMessages(engine, 'coverage:replayed', since, limit)).map(
      ({ payload }) => json(payload).n,
    );
  // The database's clock may differ.
  expect(await again(began - 60_000, 3)).toEqual([38, 39, 40]);
  expect(await again(began - 60_000, 1000)).toEqual(upTo(40).slice(-25));
  expect(await again(Date.now() + 60_000, 25)).toEqual([]);
});

describe.skipIf(ENGINE !== 'postgres')('after a broken connection to the server', () => {
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query ilike 'listen %'`;

  test('messages committed meanwhile arrive', async () => {
    await send(1);
    await engine.exec(`${cut}; ${sending(2, 60)}`);
    await send(61, 62, ", 'words', repeat('x', 10000)");
    await vi.waitFor(() => expect(numbers()).toContain(62), SOON);
    expect(await everything()).toEqual(upTo(62));
  });

  test('all messages arrive once and in order after repeated breaks', async () => {
    for (let n = 1; n <= 300; n++) {
      if (n % 60 === 0) await engine.exec(cut);
      await send(n);
    }
    await vi.waitFor(() => expect(numbers()).toContain(300), SOON);
    expect(await everything()).toEqual(upTo(300));
  });
});
