import { contentOfUse, type UseForm } from '../../lib/data/tip-actions.ts';
import type { QueueTip, Taking, TipHandler } from '../../lib/data/tip-queue.ts';
import type { Json } from '../../lib/domain/database.types.ts';
import type { TipState } from '../../lib/domain/tips.ts';
import { Refused } from '../../lib/i18n/refusals.ts';
import { tipQueue as messages } from '../../lib/i18n/tip-queue.ts';
import { UNRESOLVED_CODES } from '../outbox/idempotency.ts';
import type { DoneTip, TipQueue } from './tip-queue.ts';

/** What every act answers. */
type Answer = {
  id: string;
  version: number;
  state: TipState;
  assigned_to: string | null;
  held: boolean;
};

/** What is done to a tip by one press. */
export type Doing =
  | { act: 'take' | 'takeOver' | 'release' | 'decline' | 'spam' | 'reopen' }
  /** `to`: null is back to the queue. */
  | { act: 'handOver'; to: TipHandler | null }
  | { act: 'use'; form: UseForm; into: Pick<Taking, 'slug'> };

/**
 * Does something to a tip as it was seen, and shows at once what the newsroom answers. Where somebody was quicker, the
 * tip is shown as it is now.
 * @throws Refused
 */
export async function doToTip(queue: TipQueue, tip: QueueTip, doing: Doing): Promise<void> {
  const seen = seenBefore(queue, tip, doing);
  let answer: Answer;
  try {
    answer = (await press(queue, seen, doing)) as Answer;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (!UNRESOLVED_CODES.includes(error.refusal.code)) queue.unanswered.delete(tip.id);
    if (wasQuicker(error)) await queue.look([tip.id]);
    throw error;
  }
  queue.unanswered.delete(tip.id);
  const now = after(queue, tip, doing, answer);
  queue.take([now]);
  void queue.look([tip.id]);
  queue.list.letGo();
  queue.$said.set(saidOf(queue, tip, doing));
  note(queue, now, doing);
}

/**
 * The tip as it was when the same was pressed before and no answer came: pressing again is the same press then, also
 * when it is known by now that something was done.
 */
function seenBefore({ unanswered }: TipQueue, tip: QueueTip, doing: Doing): QueueTip {
  const what = JSON.stringify(doing);
  const before = unanswered.get(tip.id);
  const { version } = before?.what === what ? before : tip;
  unanswered.set(tip.id, { what, version });
  return { ...tip, version };
}

/** Whether the tip is not as it was seen: what is refused then is told with how it is. */
export const wasQuicker = ({ refusal: { code, version } }: Refused) =>
  code === 'conflict' || code === 'not_found' || (code === 'bad_state' && version !== undefined);

function press({ backend }: TipQueue, { id, version }: QueueTip, doing: Doing): Promise<unknown> {
  const seen = { tip_id: id, version };
  switch (doing.act) {
    case 'take':
    case 'takeOver':
      return backend.press('take_tip', seen);
    case 'release':
      return backend.press('release_tip', seen);
    case 'reopen':
      return backend.press('reopen_tip', seen);
    case 'decline':
      return backend.press('settle_tip', { ...seen, state: 'declined' });
    case 'spam':
      return backend.press('settle_tip', { ...seen, state: 'spam' });
    case 'handOver':
      return backend.press('hand_over_tip', { ...seen, ...(doing.to ? { person_id: doing.to.id } : {}) });
    case 'use':
      return backend.press('use_tip', {
        ...seen,
        coverage_id: doing.form.coverage,
        update_id: doing.form.update,
        content: contentOfUse(doing.form) as Json,
      });
  }
}

/** The tip as the answer says it is, until it is read again. */
function after({ me }: TipQueue, tip: QueueTip, doing: Doing, answer: Answer): QueueTip {
  const { version, state, held, assigned_to } = answer;
  const people = [
    { id: me.id, name: me.display_name },
    ...(doing.act === 'handOver' && doing.to ? [{ id: doing.to.id, name: doing.to.display_name }] : []),
    ...(tip.assigned ? [tip.assigned] : []),
  ];
  const assigned = people.find(({ id }) => id === assigned_to) ?? null;
  const taken_at = assigned && assigned.id !== tip.assigned?.id ? new Date().toISOString() : tip.taken_at;
  return { ...tip, version, state, held, assigned, taken_at };
}

function saidOf({ me }: TipQueue, { assigned }: QueueTip, doing: Doing): string {
  if (doing.act === 'handOver') return messages.said.handedOver(doing.to?.display_name ?? null);
  if (doing.act === 'takeOver' && assigned && assigned.id !== me.id)
    return messages.said.takenOver(assigned.name);
  return messages.said[doing.act];
}

/** Keeps at hand what can be recalled or leads somewhere, with the tip as it is since. */
function note({ $done }: TipQueue, tip: QueueTip, doing: Doing): void {
  const { act } = doing;
  if (act !== 'decline' && act !== 'spam' && act !== 'use') return;
  const made = act === 'use' ? { update: doing.form.update, slug: doing.into.slug } : null;
  // Of updates that were made the newest is enough: it stays until it is closed.
  const before: DoneTip[] = $done
    .get()
    .filter((one) => one.id !== tip.id && (act !== 'use' || one.act !== 'use'));
  $done.set([...before, { id: tip.id, act, tip, made }]);
}

/** The same of an update that was made by a press whose answer was lost. */
export function noteMade(queue: TipQueue, tip: QueueTip): void {
  if (!tip.used) return;
  const { update_id: update, coverage_slug: slug } = tip.used;
  queue.$done.set([
    ...queue.$done.get().filter((one) => one.act !== 'use'),
    { id: tip.id, act: 'use', tip, made: { update, slug } },
  ]);
  queue.$said.set(messages.said.use);
}
