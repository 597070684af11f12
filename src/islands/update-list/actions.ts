import { type Body, excerpt } from '../../lib/domain/body/blocks.ts';
import { type CommandKind, type DeskUpdate, updateContent } from '../../lib/domain/updates.ts';
import type { Desk } from '../desk/desk.ts';
import { type DeskMessages, messagesIn } from '../desk/messages.tsx';

/** Actions on an update without its editor. */
type UpdateAction =
  | { kind: 'submit' | 'publish' | 'unschedule' | 'spike' | 'pin' | 'unpin' }
  | { kind: 'withdraw'; reason: string }
  /** A revision, which has no note. */
  | { kind: 'change'; body: Body };

/** Length of a command's label in characters. */
const TITLE_LENGTH = 80;

/**
 * Runs an action on an update, or queues it while offline, and announces the result.
 * @param done message after success
 * @throws Refused
 */
export async function runAction(
  messages: DeskMessages,
  desk: Pick<Desk, 'outbox' | 'view'>,
  update: DeskUpdate,
  updateAction: UpdateAction,
  done: string,
): Promise<void> {
  const { action, args, isVersioned } = callFor(update, updateAction);
  const finished = await desk.outbox.addAndWait({
    kind: updateAction.kind === 'unpin' ? 'pin' : updateAction.kind,
    // The later of two pin commands counts, for any update of the coverage.
    subject: isPin(updateAction) ? update.coverage_id : update.id,
    base: { version: isPin(updateAction) ? null : update.version, command: null },
    calls: [{ action, args, isVersioned }],
    title: update.headline ?? excerpt(update.body, TITLE_LENGTH),
  });
  desk.view.$announcement.set(finished ? done : messages.outbox.kept);
}

const isPin = ({ kind }: UpdateAction) => kind === 'pin' || kind === 'unpin';

function callFor(update: DeskUpdate, updateAction: UpdateAction) {
  const { id: update_id, coverage_id } = update;
  const call = (action: string, args: Record<string, unknown>, isVersioned = true) => ({
    action,
    args,
    isVersioned,
  });
  switch (updateAction.kind) {
    case 'publish':
      return call('publish_update', { coverage_id, update_id, content: updateContent(update) });
    case 'change':
      return call('revise_update', {
        update_id,
        content: { ...updateContent(update), body: updateAction.body },
      });
    case 'withdraw':
      return call('withdraw_update', { update_id, reason: updateAction.reason }, false);
    case 'pin':
      return call('pin_update', { coverage_id, update_id }, false);
    case 'unpin':
      return call('pin_update', { coverage_id }, false);
    default:
      return call(`${updateAction.kind}_update`, { update_id });
  }
}

/**
 * Withdraws an update that was just published, with a public reason in the language of the coverage.
 * @param update_id id of the update
 * @throws Refused
 */
export async function undo(
  messages: DeskMessages,
  desk: Pick<Desk, 'outbox' | 'view' | 'sync' | '$coverage'>,
  update_id: string,
) {
  const reason = messagesIn(messages, desk.$coverage.get().language).outbox.undoReason;
  const kind: CommandKind = 'withdraw';
  const finished = await desk.outbox.addAndWait({
    kind,
    subject: update_id,
    base: { version: null, command: null },
    calls: [{ action: 'withdraw_update', args: { update_id, reason }, isVersioned: false }],
    title: '',
  });
  desk.view.$announcement.set(finished ? messages.outbox.withdrawn : messages.outbox.kept);
  await desk.sync.refresh();
}

/** Length of a label in characters. */
const LABEL_LENGTH = 40;

/** Label of an update in the accessible names of its buttons. */
export const updateLabel = (messages: DeskMessages, { headline, body, state }: DeskUpdate): string =>
  headline ?? (excerpt(body, LABEL_LENGTH) || messages.desk.updateStates[state]);
