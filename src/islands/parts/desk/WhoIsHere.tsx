import type { Colleague } from '../../../lib/desk/presence.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import type { Desk } from '../../stores/desk.ts';
import { useShared } from './useShared.ts';

/** Names shown; beyond that a number. */
const MOST = 8;

/** Who else is at this desk, and who of them writes. Only those who come are announced. */
export function WhoIsHere({ desk }: { desk: Pick<Desk, 'presence' | '$line'> }) {
  const others = useShared(desk.presence.$others);
  const arrived = useShared(desk.presence.$arrived);
  const line = useShared(desk.$line);
  return (
    <>
      <p className="here">{others ? sentence(others) : line !== 'opening' && words.presence.unknown}</p>
      <p className="visually-hidden" role="status">
        {arrived}
      </p>
    </>
  );
}

function sentence(others: Colleague[]): string {
  if (others.length === 0) return words.presence.alone;
  const names = others
    .slice(0, MOST)
    .map(({ name, editing }) => (editing.length > 0 ? words.presence.writing(name) : name));
  const more = others.length - names.length;
  return words.presence.here([...names, ...(more > 0 ? [words.presence.more(more)] : [])].join(', '));
}
