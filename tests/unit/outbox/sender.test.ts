import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { delayAfter, failedAttempt, isTemporary } from '../../../src/islands/outbox/retry.ts';
import {
  type AttemptResult,
  makeSender,
  withFreeLock,
  withLock,
} from '../../../src/islands/outbox/sender.ts';
import type { ErrorCode } from '../../../src/lib/domain/errors.ts';
import { refusal } from '../../../src/lib/i18n/refusals.ts';

const unavailable = () => failedAttempt(refusal('unavailable'));
const passed = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('document', { visibilityState: 'visible', documentElement: { lang: 'en', dataset: {} } });
  vi.stubGlobal('reportError', vi.fn());
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Attempts that answer with the results in turn, then with `done`. */
function attempts(...results: AttemptResult[]) {
  const ids: string[] = [];
  const attempt = async (id: string) => {
    ids.push(id);
    return results.shift() ?? 'done';
  };
  return { ids, attempt };
}

describe('the sender of the outbox', () => {
  it('sends entries in order, one at a time, and resolves when each is done', async () => {
    const { ids, attempt } = attempts();
    const sender = makeSender({ attempt });
    await Promise.all([sender.add('one'), sender.add('two')]);
    expect(ids).toEqual(['one', 'two']);
  });

  it('sends other entries while a failed one waits, then retries it', async () => {
    const { ids, attempt } = attempts(unavailable());
    const sender = makeSender({ attempt });
    const ended = Promise.all([sender.add('one'), sender.add('two')]);
    await passed(1000);
    await ended;
    expect(ids).toEqual(['one', 'two', 'one']);
  });

  it('repeats an entry that is added again during its attempt', async () => {
    const { ids, attempt } = attempts();
    const sender = makeSender({ attempt });
    void sender.add('one');
    void sender.add('one');
    await passed(0);
    expect(ids).toEqual(['one', 'one']);
  });

  it('retries at once when the page is shown or the connection returns', async () => {
    const { ids, attempt } = attempts(unavailable(), unavailable(), unavailable());
    const sender = makeSender({ attempt, firstRetryMs: 3_600_000 });
    sender.start();
    void sender.add('one');
    for (const event of ['online', 'focus', 'pageshow']) {
      await passed(0);
      window.dispatchEvent(new Event(event));
    }
    await passed(0);
    expect(ids).toHaveLength(4);
  });

  it('waits as long as the backend asked, also when the connection returns', async () => {
    const limited = { ...refusal('rate_limited'), retryAfter: 20 };
    const { ids, attempt } = attempts(failedAttempt(limited));
    const sender = makeSender({ attempt });
    sender.start();
    void sender.add('one');
    await passed(0);
    window.dispatchEvent(new Event('online'));
    sender.retryNow();
    await passed(19_000);
    expect(ids).toEqual(['one']);
    await passed(1000);
    expect(ids).toEqual(['one', 'one']);
  });

  it('stops the running attempt while it is paused, and repeats it afterwards', async () => {
    const signals: AbortSignal[] = [];
    const sender = makeSender({
      attempt: (_, signal) => {
        signals.push(signal);
        if (signals.length > 1) return Promise.resolve('done' as const);
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(unavailable())));
      },
    });
    void sender.add('one');
    const resume = sender.pause();
    await passed(600_000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    resume();
    await passed(0);
    expect(signals).toHaveLength(2);
  });

  it('resolves a removed entry only after its attempt has ended', async () => {
    const answer = Promise.withResolvers<AttemptResult>();
    const sender = makeSender({ attempt: () => answer.promise });
    let hasEnded = false;
    const ended = sender.add('one').then(() => {
      hasEnded = true;
    });
    sender.remove('one');
    await passed(0);
    expect(hasEnded).toBe(false);
    answer.resolve(unavailable());
    await ended;
  });

  it('reports an unexpected error and goes on sending', async () => {
    let calls = 0;
    const sender = makeSender({
      async attempt() {
        calls += 1;
        if (calls === 1) throw new Error('unexpected');
        return 'done';
      },
    });
    const ended = sender.add('one');
    await passed(1000);
    await ended;
    expect(reportError).toHaveBeenCalledOnce();
  });
});

describe('the locks of the outbox', () => {
  it('let one tab send at a time', async () => {
    const first = Promise.withResolvers<void>();
    const order: string[] = [];
    const held = withLock('photo.one', async () => {
      await first.promise;
      order.push('first');
    });
    expect(await withFreeLock('photo.one', async () => 'sent')).toBe('elsewhere');
    const second = withLock('photo.one', async () => void order.push('second'));
    first.resolve();
    await Promise.all([held, second]);
    expect(order).toEqual(['first', 'second']);
  });
});

describe('the retry rules', () => {
  it.each<ErrorCode>(['unavailable', 'internal', 'rate_limited', 'signed_out'])('retry %s', (code) => {
    expect(isTemporary(refusal(code)), code).toBe(true);
  });

  it.each<ErrorCode>(['conflict', 'forbidden', 'invalid', 'too_large', 'not_found'])('end at %s', (code) => {
    expect(isTemporary(refusal(code))).toBe(false);
  });

  it('wait a minute while signed out, and at most an hour for the backend', () => {
    expect(delayAfter(failedAttempt(refusal('signed_out')), 1)).toBe(60_000);
    expect(delayAfter(failedAttempt({ ...refusal('rate_limited'), retryAfter: 86_400 }), 1)).toBe(3_600_000);
  });
});
