import { useState } from 'react';
import { tipQueue as messages } from '../../../lib/text/tip-queue.ts';
import { contactHref } from '../../../lib/tips/contact.ts';
import type { QueueTip } from '../../../lib/tips/queue.ts';

/** More than so many characters, or lines, are folded until they are asked for. */
const LONG = 500;
const LINES = 8;

const isLong = (body: string) => body.length > LONG || body.split('\n').length > LINES;

/** What a tip says, and who says it. Without a script nothing is folded. */
export function TipWords({ tip }: { tip: QueueTip }) {
  const [isWhole, setWhole] = useState(false);
  const { body, used } = tip;
  const folds = isLong(body);
  return (
    <>
      <div className={`words tip-words${folds && !isWhole ? ' folded' : ''}`}>
        <p className="lines" dir="auto">
          {body}
        </p>
      </div>
      {folds && (
        <button
          type="button"
          className="quiet tip-fold"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? messages.less : messages.whole}
        </button>
      )}
      {tip.held && <p className="tip-held">{messages.held[tip.suspect ?? 'flood']}</p>}
      <Sender tip={tip} />
      {used && (
        <p className="help">
          <a
            href={
              used.number === null
                ? `/desk/${used.coverage_slug}#update-${used.update_id}`
                : `/live/${used.coverage_slug}/${used.number}`
            }
          >
            {saysOf(used)}
          </a>
        </p>
      )}
    </>
  );
}

function saysOf({ number, state }: NonNullable<QueueTip['used']>): string {
  if (state === 'withdrawn') return messages.used.withdrawn;
  return number === null ? messages.used.draft : messages.used.number(number);
}

/** Who sent it, whether the name may be said, and how they are reached: by a press where that can be. */
function Sender({ tip: { name, contact, may_name } }: { tip: QueueTip }) {
  const href = contact && contactHref(contact);
  return (
    <p className="tip-sender">
      <span>
        {name && <bdi>{name}</bdi>}{' '}
        {name ? messages.sender[may_name ? 'publish' : 'private'] : messages.sender.none}
      </span>{' '}
      {contact ? (
        <span>
          {messages.sender.reach} {href ? <a href={href}>{contact}</a> : <span dir="auto">{contact}</span>}
        </span>
      ) : (
        <span>{messages.sender.noContact}</span>
      )}
    </p>
  );
}
