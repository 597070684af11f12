import { editorsOf } from '../../../lib/desk/presence.ts';
import { desk as messages } from '../../../lib/text/desk.ts';
import type { Desk } from '../../stores/desk.ts';
import { useShared } from './useShared.ts';

/** Shows that another person is editing an update. */
export function EditedBy({ desk, id }: { desk: Pick<Desk, 'presence'>; id: string }) {
  const others = useShared(desk.presence.$others) ?? [];
  const names = editorsOf(others, id);
  return names.length > 0 && <b className="flag edited-by">{messages.presence.editing(names)}</b>;
}
