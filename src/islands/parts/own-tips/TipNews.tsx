import { updatePath } from '../../../lib/coverage/address.ts';
import { ownTips as messages } from '../../../lib/text/own-tips.ts';
import type { OwnTip } from '../../../lib/tips/own.ts';
import { beginningOf } from './beginning.ts';

/** A tip is named by so much of it. */
const NAME = 40;

/** What has become of tips while the page was open. It stands there from the beginning: only so is it read out. */
export function TipNews({ news }: { news: OwnTip[] }) {
  return (
    <div role="status" className="status">
      {news.map(({ id, body, state, used }) => {
        const name = beginningOf(body.replace(/\s+/g, ' '), NAME);
        return (
          <p key={id}>
            {state === 'used' && !used ? messages.newsUnseen(name) : messages.news[state](name)}{' '}
            {used && <a href={updatePath(used.slug, used.number)}>{messages.see}</a>}
          </p>
        );
      })}
    </div>
  );
}
