import { serviceClient } from '../support/backend.ts';
import { createUser } from '../support/newsroom.ts';
import { startProcess } from '../support/processes.ts';
import { readWholeQueue, sendTipFlood } from '../support/tips.ts';
import type { Bench } from './bench.ts';
import { percentile } from './figures.ts';
import { newFolder } from './newsroom.ts';

const FLOOD = { senders: 100, addresses: 3, tips: 500, tipsOfFirstSender: 200 };
/** Seconds after which a sender without a response tries again. */
const LONGEST_SILENCE_S = 30;

/** Many concurrent senders of tips, one of them far above its limit. */
export const tips: Bench = {
  head: 'seconds',
  about:
    `${FLOOD.tips} tips at once from ${FLOOD.senders} senders behind ${FLOOD.addresses} addresses, by the function, over HTTP; one of them sends ` +
    `${FLOOD.tipsOfFirstSender}.\nIn seconds from sending a tip to its receipt. None is refused, each is in the queue once; else the bench fails.`,
  async run(endings) {
    const backend = await startProcess({ EMBEDDED_SUPABASE_DATA: await newFolder(endings) });
    endings.add(backend, () => backend.stop());
    const moderator = await createUser({ ...backend, service: serviceClient(backend) }, 'moderator');
    const began = performance.now();
    const sent = await sendTipFlood(backend, FLOOD, '203.0.113');
    const whole = (performance.now() - began) / 1000;
    const queued = await Promise.all(['open', 'held'].map((view) => readWholeQueue(moderator.client, view)));
    const queuedIds = queued.flat().map(({ id }) => id);
    const lost = sent.filter(({ id, status }) => status !== 200 || !queuedIds.includes(id)).length;
    if (lost > 0 || queuedIds.length !== sent.length || new Set(queuedIds).size !== queuedIds.length) {
      throw new Error(
        `${lost} of ${sent.length} tips were refused or lost; ${queuedIds.length} are in the queue.`,
      );
    }
    const seconds = sent.map(({ ms }) => ms / 1000);
    const open = sent.filter(({ held }) => !held);
    return {
      findings: [
        {
          what: `the last of ${FLOOD.tips} tips is accepted`,
          value: percentile(seconds, 1),
          bound: { atMost: LONGEST_SILENCE_S },
          figures: {
            half: percentile(seconds, 0.5),
            'a second': Math.round(sent.length / whole),
            open: open.length,
            'of the one': open.filter(({ sender }) => sender === 0).length,
          },
        },
      ],
    };
  },
};
