import { useEffect, useState } from 'react';
import type { HeldList } from '../../../lib/desk/list.ts';
import type { QueueTip } from '../../../lib/tips/queue.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeTipQueue } from '../../stores/tip-queue.ts';
import { useShared } from '../desk/useShared.ts';
import { QueueConnection } from './QueueHead.tsx';
import { QueueList } from './QueueList.tsx';

const NOTHING: HeldList<QueueTip> = { rows: [], waiting: 0 };

/** The open tips about a coverage, at its desk: the same rows as in the queue, over the desk's own line. */
export function CoverageQueue({ desk }: { desk: Desk }) {
  const { id, slug, time_zone } = useShared(desk.$coverage);
  const [queue] = useState(() => makeTipQueue(desk.person, { coverage: id, place: slug }, desk.backend));
  useEffect(() => queue.watch(), [queue]);
  const isKnown = useShared(queue.$connection) !== null;
  return (
    <>
      <QueueConnection queue={queue} timeZone={time_zone} />
      {isKnown && (
        <QueueList queue={queue} served={NOTHING} timeZone={time_zone} coverage={slug} isAlone={false} />
      )}
    </>
  );
}
