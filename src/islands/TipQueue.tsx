import { useEffect, useState } from 'react';
import type { BrowserBackend } from '../lib/data/browser-client.ts';
import { type QueueTip, type QueueWindow, type TipCounts, windowPath } from '../lib/data/tip-queue.ts';
import { isUuid } from '../lib/domain/paths.ts';
import { deskBackend, NO_BACKEND } from './desk/backend.ts';
import { QueueHead, QueueList } from './tip-queue/QueueList.tsx';
import { type Handler, makeTipQueue } from './tip-queue/tip-queue.ts';

type Props = {
  me: Handler;
  backend: BrowserBackend;
  /** What is looked at first, and what was found in it. */
  window: QueueWindow;
  tips: QueueTip[];
  counts: TipCounts;
  /** The coverage that they are about, where it is one. */
  about: { slug: string; headline: string } | null;
  timeZone: string;
};

/** The queue of tips as it is now. Begins with the page's own list. */
export function TipQueue({ me, backend, window: begun, tips, counts, about, timeZone }: Props) {
  const [queue] = useState(() => {
    const isHere = typeof window !== 'undefined';
    const made = makeTipQueue(
      me,
      { ...begun, place: 'tips' },
      isHere ? deskBackend(backend, me.id) : NO_BACKEND,
    );
    made.begin(tips, counts);
    return made;
  });
  const [served] = useState(() => ({ rows: tips, waiting: 0 }));
  useEffect(() => queue.watch(), [queue]);
  // The address names what is looked at: it can be sent to somebody, and opened again.
  useEffect(
    () =>
      queue.$window.listen((now) => {
        const path = windowPath(now, { coverage: about?.slug ?? null });
        history.replaceState(history.state, '', now.only ? `${path}#${now.only}` : path);
      }),
    [queue, about],
  );
  // A tip that is named in the address is gone to, wherever in the queue it is.
  useEffect(() => {
    const go = () => {
      const id = location.hash.slice(1);
      if (!isUuid(id)) return;
      const row = document.getElementById(id);
      if (row) row.focus();
      else queue.showOnly(id);
    };
    go();
    addEventListener('hashchange', go);
    return () => removeEventListener('hashchange', go);
  }, [queue]);
  return (
    <>
      <QueueHead
        queue={queue}
        served={{ window: begun, counts, shown: tips.length }}
        timeZone={timeZone}
        about={about}
      />
      <QueueList
        queue={queue}
        served={served}
        timeZone={timeZone}
        coverage={about?.slug ?? null}
        isAlone={true}
      />
    </>
  );
}
