import type { QueueTip } from '../../src/lib/data/tip-queue.ts';

let made = 0;

/** A tip as the queue has it: new, of nobody who gives a name, unless something else is said. */
export function queueTip(part: Partial<QueueTip> = {}): QueueTip {
  made += 1;
  return {
    id: `a0000000-0000-4000-8000-${String(made).padStart(12, '0')}`,
    body: `Tip ${made}`,
    name: null,
    contact: null,
    may_name: false,
    state: 'new',
    held: false,
    suspect: null,
    version: 1,
    created_at: '2026-11-22T10:00:00+00:00',
    taken_at: null,
    handled_at: null,
    assigned: null,
    coverage: null,
    used: null,
    photo: null,
    ...part,
  };
}
