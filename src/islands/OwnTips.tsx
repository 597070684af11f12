import { useEffect, useState } from 'react';
import type { BrowserBackend } from '../lib/data/browser-client.ts';
import type { Clock } from '../lib/domain/time.ts';
import type { OwnTip } from '../lib/domain/tips.ts';
import { ownTips } from '../lib/i18n/en/own-tips.ts';
import type { Language } from '../lib/i18n/language.ts';
import { islandMessages } from '../lib/i18n/messages.ts';
import { ChangedTips, OwnTipRow, TipsStatus } from './own-tips/OwnTipRow.tsx';
import { makeOwnTips } from './own-tips/own-tips.ts';
import { useShared } from './shared/use-shared.ts';

const messagesOf = islandMessages({ ownTips });

type Props = {
  /** Language of the messages. */
  language?: Language;
  /** Id of the tips' sender. */
  person: string;
  tips: OwnTip[];
  /** When the tips were read (ISO 8601). Times on other days show their day. */
  madeAt: string;
  clock: Clock;
  backend: BrowserBackend;
};

/** A person's own tips: the list that the server rendered, kept up to date. */
export default function OwnTips({ language = 'en', person, tips, madeAt, clock, backend }: Props) {
  const { ownTips: messages } = messagesOf(language);
  const [store] = useState(() => makeOwnTips(person, tips, madeAt, backend));
  useEffect(() => store.watch(), [store]);
  const rows = useShared(store.$tips);
  const changedTips = useShared(store.$changedTips);
  return (
    <div className="own-tips">
      <ChangedTips messages={messages} changedTips={changedTips} />
      <ol>
        {rows.map((tip) => (
          <OwnTipRow
            messages={messages}
            key={tip.id}
            tip={tip}
            madeAt={madeAt}
            clock={clock}
            isChanged={changedTips.some(({ id }) => id === tip.id)}
          />
        ))}
      </ol>
      <TipsStatus
        messages={messages}
        status={useShared(store.$status)}
        at={useShared(store.$at)}
        clock={clock}
      />
    </div>
  );
}
