import type { Colleague } from '../../../lib/desk/presence.ts';
import { desk as messages } from '../../../lib/text/desk.ts';
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
      <p className="here">{others ? sentence(others) : line !== 'opening' && messages.presence.unknown}</p>
      <p className="visually-hidden" role="status">
        {arrived}
      </p>
    </>
  );
}

function sentence(others: Colleague[]): string {
  if (others.length === 0) return messages.presence.alone;
  const names = others
    .slice(0, MOST)
    .map(({ name, editing }) => (editing.length > 0 ? messages.presence.writing(name) : name));
  const more = others.length - names.length;
  return messages.presence.here([...names, ...(more > 0 ? [messages.presence.more(more)] : [])].join(', '));
}
