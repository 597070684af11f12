import type { SupabaseContext } from '@supabase/server';
import { dataOf } from '../_shared/refusals.ts';
import type { Delivery, DeliveryOutcome, FollowRequest } from './delivery.ts';

export type AdminClient = SupabaseContext['supabaseAdmin'];

/** Result of a call. `more`: calling again at once may find more deliveries. */
export type DeliveryCounts = { claimed: number; sent: number; again: number; dropped: number; more: boolean };

/**
 * Sends a group of deliveries over one channel.
 * @param until deadline by `performance.now()`
 * @returns outcomes by delivery id. A missing outcome is unknown.
 */
type SendGroup = (group: Delivery[], until: number) => Promise<Map<string, DeliveryOutcome>>;

/**
 * Mails the links of these requests.
 * @param until deadline by `performance.now()`
 * @returns outcomes by request id. A missing outcome is unknown.
 */
type SendLinks = (requests: FollowRequest[], until: number) => Promise<Map<string, DeliveryOutcome>>;

/** Maximum number of deliveries in one claim, because the database does nothing else meanwhile. */
const CLAIM_SIZE = 60;
/**
 * Number of deliveries sent together, which is the number with unknown outcome if the process is killed. Pushes of a
 * group are sent at once, mails a few at a time.
 */
const GROUP_SIZES: Record<Delivery['channel'], number> = { push: 20, mail: 6 };
/** Milliseconds after which no new group is started. */
const BUDGET_MS = 15_000;
/**
 * Milliseconds from starting a group to its deadline. The lease is 60 s, and the outcomes must be recorded within it.
 */
const GROUP_MS = 40_000;

/**
 * Claims due deliveries and sends them. The channels run independently, so that a slow mail server does not delay
 * pushes.
 */
export async function deliver(
  backend: AdminClient,
  channels: Record<Delivery['channel'], SendGroup>,
  sendLinks: SendLinks,
): Promise<DeliveryCounts> {
  const end = performance.now() + BUDGET_MS;
  const requests: FollowRequest[] = await throttled((signal) =>
    dataOf(backend.rpc('claim_follow_requests', { max_rows: GROUP_SIZES.mail }).abortSignal(signal)),
  );
  const claiming = claim(backend);
  const counts = { sent: 0, again: 0, dropped: 0 };
  const errors = new Map<string, number>();

  async function send(channel: Delivery['channel']): Promise<void> {
    const waiting = (await claiming).filter((delivery) => delivery.channel === channel);
    while (waiting.length > 0 && performance.now() < end) {
      const group = waiting.splice(0, GROUP_SIZES[channel]);
      const { begun, until } = await begin(backend, group);
      if (begun.length === 0) continue;
      const outcomes = await channels[channel](begun, until);
      await record(backend, outcomes);
      for (const { outcome, error } of outcomes.values()) {
        counts[outcome === 'sent' ? 'sent' : outcome === 'again' ? 'again' : 'dropped'] += 1;
        if (error) errors.set(error, (errors.get(error) ?? 0) + 1);
      }
    }
  }

  /** People wait for these mails, so they go out before alerts by mail. */
  async function sendRequestedLinks(): Promise<void> {
    if (requests.length === 0) return;
    const outcomes = await sendLinks(requests, performance.now() + GROUP_MS);
    const ids = requests.map(({ id }) => id).filter((id) => outcomes.get(id)?.outcome === 'again');
    for (const { error } of outcomes.values()) if (error) errors.set(error, (errors.get(error) ?? 0) + 1);
    if (ids.length > 0) {
      await throttled((signal) => dataOf(backend.rpc('retry_follow_requests', { ids }).abortSignal(signal)));
    }
  }

  // Requests are handed out once, so their links are also sent when the deliveries cannot be claimed or begun.
  const results = await Promise.allSettled([send('push'), sendRequestedLinks().then(() => send('mail'))]);
  for (const [error, count] of errors) console.error(`not told: ${count} × ${error}`);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  const claimed = (await claiming).length;
  return { claimed, ...counts, more: claimed + requests.length > 0 };
}

/** Maximum number of claims in a row that may be empty because all due alerts were withdrawn. */
const MAX_CLAIMS = 20;

async function claim(backend: AdminClient): Promise<Delivery[]> {
  for (let round = 1; ; round++) {
    const claimed: Delivery[] = await throttled((signal) =>
      dataOf(backend.rpc('claim_deliveries', { max_rows: CLAIM_SIZE }).abortSignal(signal)),
    );
    if (claimed.length > 0 || round === MAX_CLAIMS) return claimed;
    const due: number | null = await throttled((signal) =>
      dataOf(backend.rpc('alerts_due').abortSignal(signal)),
    );
    if (due !== 0) return claimed;
  }
}

/** Marks the deliveries of a group as started. @returns those that may still be sent, and the deadline of the group */
async function begin(backend: AdminClient, group: Delivery[]): Promise<{ begun: Delivery[]; until: number }> {
  const ids = group.map(({ id }) => id);
  let until = 0;
  try {
    const begun: string[] = await throttled((signal) => {
      until = performance.now() + GROUP_MS;
      return dataOf(backend.rpc('begin_deliveries', { ids }).abortSignal(signal));
    });
    return { begun: group.filter(({ id }) => begun.includes(id)), until };
  } catch (error) {
    // The deliveries may be marked as started although the response was lost. Without a record, a mail would count as
    // unknown.
    await record(backend, new Map(ids.map((id) => [id, { outcome: 'again', error: 'not begun' }])));
    throw error;
  }
}

/** Pauses between attempts to record outcomes, in milliseconds. */
const RETRY_PAUSES_MS = [200, 1_000, 3_000];

async function record(backend: AdminClient, outcomes: Map<string, DeliveryOutcome>): Promise<void> {
  if (outcomes.size === 0) return;
  const results = [...outcomes].map(([id, outcome]) => ({ id, ...outcome }));
  for (const pause of [...RETRY_PAUSES_MS, undefined]) {
    try {
      return await throttled((signal) =>
        dataOf(backend.rpc('record_deliveries', { results }).abortSignal(signal)),
      );
    } catch (error) {
      if (pause === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** The pause after a call is this many times as long as the call. */
const PAUSE_FACTOR = 6;
/** Maximum pause in milliseconds: a remote database is slow without being busy. */
const MAX_PAUSE_MS = 250;
/** Timeout of a call in milliseconds. It keeps one call from blocking the others. */
export const CALL_TIMEOUT_MS = 15_000;

/** A call. The signal is aborted on timeout. */
type Work<Result> = (signal: AbortSignal) => Promise<Result>;

/** Returns a function that runs calls one after the other, with pauses in which the database can serve others. */
export function throttle(now = () => performance.now()): <Result>(work: Work<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  let freeAt = 0;
  return (work) => {
    const done = last.then(async () => {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, freeAt - now())));
      const began = now();
      try {
        return await withTimeout(work);
      } finally {
        freeAt = now() + Math.min((now() - began) * PAUSE_FACTOR, MAX_PAUSE_MS);
      }
    });
    last = done.catch(() => undefined);
    return done;
  };
}

/** Rejects on timeout even if the work ignores its signal. */
async function withTimeout<Result>(work: Work<Result>): Promise<Result> {
  const control = new AbortController();
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    timeout.reject(new Error('The database did not answer in time.'));
    control.abort();
  }, CALL_TIMEOUT_MS);
  try {
    return await Promise.race([work(control.signal), timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Leaves the database idle between calls, so that readers and writers are served first. Shared by all calls. */
const throttled = throttle();
