import { useEffect, useState } from 'react';
import type { BrowserBackend } from '../lib/data/browser-client.ts';
import type { Clock } from '../lib/domain/time.ts';
import type { OwnTip } from '../lib/domain/tips.ts';
import { useShared } from './desk/hooks.ts';
import { TipNews, TipRow, TipsStanding } from './own-tips/OwnTipRow.tsx';
import { makeOwnTips } from './own-tips/own-tips.ts';

type Props = {
  /** Whose they are. */
  person: string;
  tips: OwnTip[];
  /** When they were read, as an ISO 8601 time: what is told beside it is told of that day. */
  madeAt: string;
  clock: Clock;
  backend: BrowserBackend;
};

/** Somebody's own tips: the list as the server made it, and how they stand from then on. */
export default function OwnTips({ person, tips, madeAt, clock, backend }: Props) {
  const [own] = useState(() => makeOwnTips(person, tips, madeAt, backend));
  useEffect(() => own.watch(), [own]);
  const rows = useShared(own.$tips);
  const news = useShared(own.$news);
  return (
    <div className="own-tips">
      <TipNews news={news} />
      <ol>
        {rows.map((tip) => (
          <TipRow
            key={tip.id}
            tip={tip}
            madeAt={madeAt}
            clock={clock}
            isNews={news.some(({ id }) => id === tip.id)}
          />
        ))}
      </ol>
      <TipsStanding standing={useShared(own.$standing)} at={useShared(own.$at)} clock={clock} />
    </div>
  );
}
