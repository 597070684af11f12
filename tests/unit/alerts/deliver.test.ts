import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AdminClient, deliver } from '../../../supabase/functions/deliver-alerts/deliver.ts';
import type {
  Delivery,
  DeliveryOutcome,
  FollowRequest,
} from '../../../supabase/functions/deliver-alerts/delivery.ts';

// The process reads the same clock as the test.
beforeAll(() => {
  vi.useFakeTimers();
});
afterAll(() => {
  vi.useRealTimers();
});

const deliveries = (channel: Delivery['channel'], count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `${channel} ${at}`, channel }));

/** A backend that returns these deliveries, and these answers to other calls. */
function backendOf(
  claimed: ReturnType<typeof deliveries>,
  begin: (ids: string[]) => { data: string[] | null; error: { message: string } | null },
  requests: Pick<FollowRequest, 'id'>[] = [],
  claim: () => object = () => ({ data: claimed, error: null }),
) {
  const recorded: (DeliveryOutcome & { id: string })[] = [];
  const retried: string[] = [];
  const answers: Record<string, (given: { ids: string[]; results: typeof recorded }) => object> = {
    claim_follow_requests: () => ({ data: requests, error: null }),
    retry_follow_requests({ ids }) {
      retried.push(...ids);
      return { data: null, error: null };
    },
    claim_deliveries: claim,
    begin_deliveries: ({ ids }) => begin(ids),
    record_deliveries({ results }) {
      recorded.push(...results);
      return { data: {}, error: null };
    },
  };
  const rpc = (name: string, given: Parameters<(typeof answers)[string]>[0]) => ({
    abortSignal: () => Promise.resolve(answers[name]?.(given)),
  });
  return { backend: { rpc } as unknown as AdminClient, recorded, retried };
}

/** @param ms duration of a group by channel @returns senders that record size and time limit of each group */
function channelsOf(ms: Record<Delivery['channel'], number> = { push: 0, mail: 0 }) {
  const groups: Record<Delivery['channel'], number[]> = { push: [], mail: [] };
  const timeLimits: number[] = [];
  const channel = (channel: Delivery['channel']) => async (group: Delivery[], until: number) => {
    groups[channel].push(group.length);
    timeLimits.push(until - performance.now());
    await new Promise((resolve) => setTimeout(resolve, ms[channel]));
    return new Map(group.map(({ id }): [string, DeliveryOutcome] => [id, { outcome: 'sent' }]));
  };
  return { groups, timeLimits, channels: { push: channel('push'), mail: channel('mail') } };
}

/** Sends no links, because none are requested. */
const sendNoLinks = async () => new Map<string, DeliveryOutcome>();

test('sends mails in small groups, and finishes each group within its lease', async () => {
  const { backend, recorded } = backendOf([...deliveries('push', 30), ...deliveries('mail', 15)], (data) => ({
    data,
    error: null,
  }));
  const { groups, timeLimits, channels } = channelsOf();
  const counts = deliver(backend, channels, sendNoLinks);
  await vi.runAllTimersAsync();
  expect(await counts).toMatchObject({ claimed: 45, sent: 45 });
  expect(groups).toEqual({ push: [20, 10], mail: [6, 6, 3] });
  expect(Math.max(...timeLimits)).toBeLessThanOrEqual(40_000);
  expect(recorded).toHaveLength(45);
});

test('ends a call on time with a slow mail server, leaves the rest, and still sends new pushes', async () => {
  const { backend } = backendOf([...deliveries('push', 20), ...deliveries('mail', 40)], (data) => ({
    data,
    error: null,
  }));
  const { groups, channels } = channelsOf({ push: 100, mail: 8_000 });
  const counts = deliver(backend, channels, sendNoLinks);
  const start = performance.now();
  await vi.runAllTimersAsync();
  expect(await counts).toMatchObject({ claimed: 60, sent: 32, more: true });
  expect(groups).toEqual({ push: [20], mail: [6, 6] });
  expect(performance.now() - start).toBeLessThan(20_000);
});

test('records mails as not sent if it is unknown whether they were begun', async () => {
  const { backend, recorded } = backendOf(deliveries('mail', 8), () => ({
    data: null,
    error: { message: 'no answer' },
  }));
  const { groups, channels } = channelsOf();
  const failed = expect(deliver(backend, channels, sendNoLinks)).rejects.toThrow('no answer');
  await vi.runAllTimersAsync();
  await failed;
  expect(groups.mail).toEqual([]);
  expect(recorded).toEqual(
    deliveries('mail', 6).map(({ id }) => ({ id, outcome: 'again', error: 'not begun' })),
  );
});

test('sends requested links although the deliveries cannot be claimed or begun', async () => {
  const requests = [{ id: 'a' }];
  const failure = { data: null, error: { message: 'no answer' } };
  for (const claim of [() => failure, undefined]) {
    const { backend, retried } = backendOf(deliveries('push', 1), () => failure, requests, claim);
    const { channels } = channelsOf();
    const failed = expect(
      deliver(
        backend,
        channels,
        async () =>
          new Promise((resolve) => setTimeout(() => resolve(new Map([['a', { outcome: 'again' }]])), 30_000)),
      ).finally(() => expect(retried).toEqual(['a'])),
    ).rejects.toThrow('no answer');
    await vi.runAllTimersAsync();
    await failed;
  }
});

test('sends requested links before alerts by mail, and repeats those that were not accepted', async () => {
  const requests = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
  const { backend, retried } = backendOf(deliveries('mail', 1), (data) => ({ data, error: null }), requests);
  const { groups, channels } = channelsOf();
  const counts = deliver(backend, channels, async (sent) => {
    expect(sent).toEqual(requests);
    expect(groups.mail).toEqual([]);
    return new Map<string, DeliveryOutcome>([
      ['a', { outcome: 'sent' }],
      ['b', { outcome: 'again', error: 'mail 451' }],
      ['c', { outcome: 'refused', error: 'mail 550' }],
    ]);
  });
  await vi.runAllTimersAsync();
  expect(await counts).toMatchObject({ claimed: 1, sent: 1, more: true });
  expect(retried).toEqual(['b']);
});
