import { editorsOf } from '../../../lib/desk/presence.ts';
import { deskList as words } from '../../../lib/text/desk-list.ts';
import { listed } from '../../../lib/text/plural.ts';
import type { Desk } from '../../stores/desk.ts';
import { useShared } from './useShared.ts';

/** Says before the first word is typed that somebody else has an update open too, and what comes of that. */
export function OpenElsewhere({ desk, id }: { desk: Pick<Desk, 'presence'>; id: string }) {
  const names = editorsOf(useShared(desk.presence.$others) ?? [], id);
  return (
    <p className="open-elsewhere" role="status">
      {names.length > 0 && words.somebodyEdits(listed(names), names.length)}
    </p>
  );
}
