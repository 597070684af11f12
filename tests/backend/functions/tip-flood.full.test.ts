import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { serviceClient, startBackend, type TestBackend } from '../../support/backend.ts';
import { createUser, type Person } from '../../support/newsroom.ts';
import { readWholeQueue, sendTipFlood } from '../../support/tips.ts';

let backend: TestBackend;
let moderator: Person;
beforeAll(async () => {
  backend = await startBackend();
  moderator = await createUser({ ...backend, service: serviceClient(backend) }, 'moderator');
});
afterAll(() => backend.stop());

/** `npm run bench tips` sends five hundred tips of a hundred senders. */
test('stores every tip once when many senders behind three addresses send at the same time, one of them too much', async () => {
  const sent = await sendTipFlood(
    backend,
    { senders: 40, addresses: 3, tips: 200, tipsOfFirstSender: 100 },
    '203.0.113',
  );
  expect(sent.filter(({ status }) => status !== 200)).toEqual([]);
  const [open, held] = await Promise.all(
    ['open', 'held'].map((view) => readWholeQueue(moderator.client, view)),
  );
  const ids = (tips: { id: string }[] = []) => tips.map(({ id }) => id).sort();
  expect(ids([...(open ?? []), ...(held ?? [])])).toEqual(ids(sent));
  expect(ids(open)).toEqual(ids(sent.filter((tip) => !tip.held)));

  const ofOne = sent.filter(({ sender, held }) => sender === 0 && !held);
  expect(ofOne.length).toBeLessThanOrEqual(LIMITS.tips_per_hour);
  // The excess of one sender does not use up the limit of its address.
  expect(sent.filter(({ sender, held }) => sender > 0 && held)).toEqual([]);
});
