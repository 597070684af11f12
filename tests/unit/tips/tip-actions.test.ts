import { expect, test, vi } from 'vitest';
import { type DeskBackend, idempotencyKeys, NO_BACKEND } from '../../../src/islands/desk/backend.ts';
import { runTipAction } from '../../../src/islands/tip-queue/actions.ts';
import { makeTipQueue } from '../../../src/islands/tip-queue/tip-queue.ts';
import type { QueueTip } from '../../../src/lib/data/tip-queue.ts';
import type { ErrorCode } from '../../../src/lib/domain/errors.ts';
import type { TipState } from '../../../src/lib/domain/tips.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { tipQueue as words } from '../../../src/lib/i18n/en/tip-queue.ts';
import { Refused, refusal } from '../../../src/lib/i18n/refusals.ts';
import { queueTip } from '../../support/fake-desk.ts';

const me = { id: 'me', display_name: 'Me', role: 'moderator' } as const;

/** A queue with a fake backend, and the calls that it received. */
function queueOf(
  tips: QueueTip[],
  answers: (ErrorCode | { version: number; state?: TipState; assigned_to?: string })[],
) {
  const book = idempotencyKeys();
  const asked: { idempotency_key: string; action: string; args: unknown }[] = [];
  const backend: DeskBackend = {
    ...NO_BACKEND,
    read: () => Promise.reject(new Refused(refusal('unavailable'))),
    async execute(action, args) {
      const idempotency_key = book.keyFor(action, args);
      asked.push({ idempotency_key, action, args });
      const next = answers.shift() ?? 'unavailable';
      if (typeof next !== 'string') {
        book.settle(action, args);
        return { state: 'new', held: false, assigned_to: null, ...next };
      }
      book.settle(action, args, next);
      throw new Refused(refusal(next, { version: 9 }));
    },
  };
  const queue = makeTipQueue(english, me, { deskPath: 'tips' }, backend);
  queue.setServedTips(tips, { new: 1, mine: 0, in_review: 0, held: 0 });
  return { queue, asked };
}

test('repeats an unanswered command with the same key, even if the tip has changed', async () => {
  const tip = queueTip();
  const { queue, asked } = queueOf([tip], ['unavailable', { version: 2, state: 'declined' }]);
  await expect(runTipAction(english, queue, tip, { kind: 'decline' })).rejects.toThrow('unavailable');
  expect(queue.$tips.get()).toEqual([tip]);
  await runTipAction(english, queue, { ...tip, version: 2, state: 'declined' }, { kind: 'decline' });
  expect(new Set(asked.map(({ idempotency_key }) => idempotency_key)).size).toBe(1);
  expect(asked.map(({ args }) => args)).toEqual([asked[0]?.args, asked[0]?.args]);
  // Another command gets another key and the current version.
  await runTipAction(english, queue, { ...tip, version: 2 }, { kind: 'take' }).catch(() => {});
  expect(asked[2]).toMatchObject({ action: 'review_tip', args: { version: 2 } });
});

test('uses a new key after a final refusal', async () => {
  const tip = queueTip();
  const { queue, asked } = queueOf([tip], ['conflict', { version: 3 }]);
  await expect(runTipAction(english, queue, tip, { kind: 'take' })).rejects.toThrow('conflict');
  await runTipAction(english, queue, { ...tip, version: 2 }, { kind: 'take' });
  expect(asked[0]?.idempotency_key).not.toBe(asked[1]?.idempotency_key);
  expect(asked[1]).toMatchObject({ args: { version: 2 } });
});

test('shows a result at once, and offers to take it back', async () => {
  vi.useFakeTimers();
  const [one, two] = [queueTip(), queueTip()];
  const { queue } = queueOf(
    [two, one],
    [
      { version: 2, state: 'in_review', assigned_to: 'me' },
      { version: 2, state: 'spam' },
    ],
  );
  await runTipAction(english, queue, one, { kind: 'take' });
  expect(queue.list.$list.get().rows).toMatchObject([{}, { state: 'in_review', assigned: { name: 'Me' } }]);
  expect(queue.$announcement.get()).toBe(words.said.take);
  await runTipAction(english, queue, two, { kind: 'spam' });
  expect(queue.list.$list.get().rows).toMatchObject([{ id: one.id }]);
  expect(queue.$done.get()).toMatchObject([{ id: two.id, kind: 'spam', tip: { version: 2 } }]);
  vi.useRealTimers();
});
