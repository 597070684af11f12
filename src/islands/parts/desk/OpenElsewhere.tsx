import { editorsOf } from '../../../lib/desk/presence.ts';
import { deskList as messages } from '../../../lib/text/desk-list.ts';
import { listed } from '../../../lib/text/plural.ts';
import type { Desk } from '../../stores/desk.ts';
import { useShared } from './useShared.ts';

/** Warns before typing that other people have the update open. */
export function OpenElsewhereNote({ desk, id }: { desk: Pick<Desk, 'presence'>; id: string }) {
  const names = editorsOf(useShared(desk.presence.$others) ?? [], id);
  return (
    <p className="open-elsewhere" role="status">
      {names.length > 0 && messages.somebodyEdits(listed(names), names.length)}
    </p>
  );
}
