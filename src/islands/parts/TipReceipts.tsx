import { useState } from 'react';
import { tips as words } from '../../lib/text/tips.ts';
import { receiptPath } from '../../lib/tips/tip.ts';
import { forgetReceipts, readReceipts } from '../browser/tip-receipts.ts';

/** The receipts of tips that went out from this device, until somebody has it forget them. */
export function TipReceipts() {
  const [receipts, setReceipts] = useState(readReceipts);
  if (receipts.length === 0) return null;
  return (
    <section aria-labelledby="tip-receipts">
      <h2 id="tip-receipts">{words.receipts.title}</h2>
      <ul>
        {receipts.map(({ receipt, at }) => (
          <li key={receipt}>
            <a href={receiptPath(receipt)}>{words.receipts.of(timeOf(at))}</a>
          </li>
        ))}
      </ul>
      <p className="actions">
        <button
          type="button"
          onClick={() => {
            forgetReceipts();
            setReceipts([]);
          }}
        >
          {words.receipts.forget}
        </button>
      </p>
    </section>
  );
}

/** By the clock of this device, with its zone: it is about what was done here. */
const timeOf = (at: number) =>
  new Intl.DateTimeFormat(document.documentElement.lang, {
    day: 'numeric',
    month: 'long',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(at);
