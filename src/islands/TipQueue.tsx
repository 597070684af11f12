import { useEffect, useState } from 'react';
import type { BrowserBackend } from '../lib/data/browser-client.ts';
import { type QueueTip, type QueueWindow, type TipCounts, windowPath } from '../lib/data/tip-queue.ts';
import { isUuid } from '../lib/domain/paths.ts';
import type { Language } from '../lib/i18n/language.ts';
import { deskBackend, NO_BACKEND } from './desk/backend.ts';
import { deskIsland, useMessages } from './desk/messages.tsx';
import { QueueHead, QueueList } from './tip-queue/QueueList.tsx';
import { makeTipQueue, type QueuePerson } from './tip-queue/tip-queue.ts';

type Props = {
  /** Language of the messages. */
  language: Language;
  me: QueuePerson;
  backend: BrowserBackend;
  /** The served part of the queue and its tips. */
  window: QueueWindow;
  tips: QueueTip[];
  counts: TipCounts;
  /** The coverage that the tips are about, if it is limited to one. */
  about: { slug: string; headline: string } | null;
  timeZone: string;
};

function Queue({ me, backend, window: servedWindow, tips, counts, about, timeZone }: Props) {
  const messages = useMessages();
  const [queue] = useState(() => {
    const isHere = typeof window !== 'undefined';
    const created = makeTipQueue(
      messages,
      me,
      { ...servedWindow, deskPath: 'tips' },
      isHere ? deskBackend(backend, me.id) : NO_BACKEND,
    );
    created.setServedTips(tips, counts);
    return created;
  });
  const [served] = useState(() => ({ rows: tips, waiting: 0 }));
  useEffect(() => queue.watch(), [queue]);
  // The URL names the shown part of the queue, so that it can be shared.
  useEffect(
    () =>
      queue.$window.listen((now) => {
        const path = windowPath(now, { coverage: about?.slug ?? null });
        history.replaceState(history.state, '', now.only ? `${path}#${now.only}` : path);
      }),
    [queue, about],
  );
  // Focuses the tip whose id is in the URL, or shows it alone when it is not in the list.
  useEffect(() => {
    const focusNamedTip = () => {
      const id = location.hash.slice(1);
      if (!isUuid(id)) return;
      const row = document.getElementById(id);
      if (row) row.focus();
      else queue.showOnly(id);
    };
    focusNamedTip();
    addEventListener('hashchange', focusNamedTip);
    return () => removeEventListener('hashchange', focusNamedTip);
  }, [queue]);
  return (
    <>
      <QueueHead
        queue={queue}
        served={{ window: servedWindow, counts, shown: tips.length }}
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

/** The tip queue. It starts with the list that the server rendered. */
export const TipQueue = deskIsland(Queue);
