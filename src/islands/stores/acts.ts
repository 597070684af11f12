import { excerpt } from '../../lib/body/text.ts';
import { contentOf, type DeskUpdate } from '../../lib/desk/update.ts';
import type { PressKind } from '../../lib/outbox/kept.ts';
import { outbox as words } from '../../lib/text/outbox.ts';
import type { Desk } from './desk.ts';

/** What is done to an update without writing in it. */
export type Act =
  | { kind: 'submit' | 'publish' | 'unschedule' | 'spike' | 'pin' | 'unpin' }
  | { kind: 'withdraw'; reason: string };

/** Characters of the first words, to tell it by. */
const TITLE = 80;

/**
 * Does something to an update, now or, without a line, once there is one; then it says that it is kept.
 * @param done what is said when it was done
 * @throws Refused
 */
export async function doTo(desk: Desk, update: DeskUpdate, act: Act, done: string): Promise<void> {
  const { action, args, isVersioned } = callOf(update, act);
  const answered = await desk.outbox.act({
    kind: act.kind === 'unpin' ? 'pin' : act.kind,
    // Of two pins the later one counts, whichever update each is of.
    subject: isPin(act) ? update.coverage_id : update.id,
    base: { version: isPin(act) ? null : update.version, press: null },
    calls: [{ action, args, isVersioned }],
    title: update.headline ?? excerpt(update.body, TITLE),
  });
  desk.$said.set(answered ? done : words.kept);
}

const isPin = ({ kind }: Act) => kind === 'pin' || kind === 'unpin';

function callOf(update: DeskUpdate, act: Act) {
  const { id: update_id, coverage_id } = update;
  const call = (action: string, args: Record<string, unknown>, isVersioned = true) => ({
    action,
    args,
    isVersioned,
  });
  switch (act.kind) {
    case 'publish':
      return call('publish_update', { coverage_id, update_id, content: contentOf(update) });
    case 'withdraw':
      return call('withdraw_update', { update_id, reason: act.reason }, false);
    case 'pin':
      return call('pin_update', { coverage_id, update_id }, false);
    case 'unpin':
      return call('pin_update', { coverage_id }, false);
    default:
      return call(`${act.kind}_update`, { update_id });
  }
}

/** Takes back what went live just now, with a reason that readers see. @throws Refused */
export async function undo(desk: Desk, { update_id, reason }: { update_id: string; reason: string }) {
  const kind: PressKind = 'withdraw';
  const answered = await desk.outbox.act({
    kind,
    subject: update_id,
    base: { version: null, press: null },
    calls: [{ action: 'withdraw_update', args: { update_id, reason }, isVersioned: false }],
    title: '',
  });
  desk.$said.set(answered ? words.withdrawn : words.kept);
  await desk.refresh();
}
