import type { OpenCoverage, QueueTip, TipHandler } from '../../lib/data/tip-queue.ts';
import { type TipUseForm, tipUseContent } from '../../lib/data/tip-queue.ts';
import type { Json } from '../../lib/domain/database.types.ts';
import type { TipState } from '../../lib/domain/tips.ts';
import { Refused } from '../../lib/i18n/refusals.ts';
import type { DeskMessages } from '../desk/messages.tsx';
import { isTemporary } from '../outbox/retry.ts';
import type { DoneTip, TipQueueStore } from './tip-queue.ts';

/** Result of every action. */
type TipResult = {
  id: string;
  version: number;
  state: TipState;
  assigned_to: string | null;
  held: boolean;
};

/** An action on a tip with its arguments. */
type TipAction =
  | { kind: 'take' | 'takeOver' | 'release' | 'decline' | 'spam' | 'reopen' }
  /** `person`: null returns the tip to the queue. */
  | { kind: 'handOver'; person: TipHandler | null }
  | { kind: 'use'; form: TipUseForm; coverage: Pick<OpenCoverage, 'slug'> };

/**
 * Runs an action on the version of a tip that was shown, and shows the result at once. After a conflict it refetches
 * the tip.
 * @throws Refused
 */
export async function runTipAction(
  messages: DeskMessages,
  queue: TipQueueStore,
  tip: QueueTip,
  action: TipAction,
): Promise<void> {
  const seenVersion = withFirstSeenVersion(queue, tip, action);
  let result: TipResult;
  try {
    result = (await callAction(queue, seenVersion, action)) as TipResult;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (!isTemporary(error.refusal)) queue.unanswered.delete(tip.id);
    if (isOutdated(error)) await queue.refetchTips([tip.id]);
    throw error;
  }
  queue.unanswered.delete(tip.id);
  const now = tipAfter(queue, tip, action, result);
  queue.apply([now]);
  void queue.refetchTips([tip.id]);
  queue.list.showAll();
  queue.$announcement.set(resultMessage(messages, queue, tip, action));
  addDone(queue, now, action);
}

/**
 * The version at the first attempt if that was not answered. Repeating the action must use the same version, because
 * the idempotency key depends on the arguments.
 */
function withFirstSeenVersion({ unanswered }: TipQueueStore, tip: QueueTip, action: TipAction): QueueTip {
  const actionKey = JSON.stringify(action);
  const before = unanswered.get(tip.id);
  const { version } = before?.actionKey === actionKey ? before : tip;
  unanswered.set(tip.id, { actionKey, version });
  return { ...tip, version };
}

/** Whether the tip has changed since it was shown. */
export const isOutdated = ({ refusal: { code, version } }: Refused) =>
  code === 'conflict' || code === 'not_found' || (code === 'bad_state' && version !== undefined);

function callAction(
  { backend }: TipQueueStore,
  { id, version }: QueueTip,
  action: TipAction,
): Promise<unknown> {
  const seenVersion = { tip_id: id, version };
  switch (action.kind) {
    case 'take':
    case 'takeOver':
      return backend.execute('review_tip', seenVersion);
    case 'release':
      return backend.execute('release_tip', seenVersion);
    case 'reopen':
      return backend.execute('reopen_tip', seenVersion);
    case 'decline':
      return backend.execute('close_tip', { ...seenVersion, state: 'declined' });
    case 'spam':
      return backend.execute('close_tip', { ...seenVersion, state: 'spam' });
    case 'handOver':
      return backend.execute('hand_over_tip', {
        ...seenVersion,
        ...(action.person ? { person_id: action.person.id } : {}),
      });
    case 'use':
      return backend.execute('use_tip', {
        ...seenVersion,
        coverage_id: action.form.coverage,
        update_id: action.form.update,
        content: tipUseContent(action.form) as Json,
      });
  }
}

/** The tip with the result of an action, until it is refetched. */
function tipAfter({ me }: TipQueueStore, tip: QueueTip, action: TipAction, result: TipResult): QueueTip {
  const { version, state, held, assigned_to } = result;
  const people = [
    { id: me.id, name: me.display_name },
    ...(action.kind === 'handOver' && action.person
      ? [{ id: action.person.id, name: action.person.display_name }]
      : []),
    ...(tip.assigned ? [tip.assigned] : []),
  ];
  const assigned = people.find(({ id }) => id === assigned_to) ?? null;
  const review_started_at =
    assigned && assigned.id !== tip.assigned?.id ? new Date().toISOString() : tip.review_started_at;
  return { ...tip, version, state, held, assigned, review_started_at };
}

function resultMessage(
  messages: DeskMessages,
  { me }: TipQueueStore,
  { assigned }: QueueTip,
  action: TipAction,
): string {
  if (action.kind === 'handOver')
    return messages.tipQueue.said.handedOver(action.person?.display_name ?? null);
  if (action.kind === 'takeOver' && assigned && assigned.id !== me.id)
    return messages.tipQueue.said.reassigned(assigned.name);
  return messages.tipQueue.said[action.kind];
}

/** Adds an action that can be undone or that has created an update. */
function addDone({ $done }: TipQueueStore, tip: QueueTip, action: TipAction): void {
  const { kind } = action;
  if (kind !== 'decline' && kind !== 'spam' && kind !== 'use') return;
  const madeUpdate = kind === 'use' ? { update: action.form.update, slug: action.coverage.slug } : null;
  // Only the newest created update stays listed.
  const before: DoneTip[] = $done
    .get()
    .filter((item) => item.id !== tip.id && (kind !== 'use' || item.kind !== 'use'));
  $done.set([...before, { id: tip.id, kind, tip, madeUpdate }]);
}

/** Adds an update that was created although the answer was lost. */
export function addMadeUpdate(messages: DeskMessages, queue: TipQueueStore, tip: QueueTip): void {
  if (!tip.used_in) return;
  const { update_id: update, coverage_slug: slug } = tip.used_in;
  queue.$done.set([
    ...queue.$done.get().filter((item) => item.kind !== 'use'),
    { id: tip.id, kind: 'use', tip, madeUpdate: { update, slug } },
  ]);
  queue.$announcement.set(messages.tipQueue.said.use);
}
