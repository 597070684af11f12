import { useState } from 'react';
import { tips as messages } from '../../lib/text/tips.ts';
import { clockTime, zoneName } from '../../lib/time/clock.ts';
import { dayName } from '../../lib/time/days.ts';
import { receiptPath } from '../../lib/tips/tip.ts';
import { forgetReceipts, readReceipts } from '../browser/tip-receipts.ts';

/** The receipts of tips that went out from this device, until somebody has it forget them. */
export function TipReceipts() {
  const [receipts, setReceipts] = useState(readReceipts);
  if (receipts.length === 0) return null;
  return (
    <section className="aside" aria-labelledby="tip-receipts">
      <h2 id="tip-receipts">{messages.receipts.title}</h2>
      <ul>
        {receipts.map(({ receipt, at }) => (
          <li key={receipt}>
            <a href={receiptPath(receipt)}>{messages.receipts.of(timeOf(at))}</a>
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
          {messages.receipts.forget}
        </button>
      </p>
    </section>
  );
}

/** In the zone of this device: it is about what was done here. */
function timeOf(at: number): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const clock = { timeZone, language: document.documentElement.lang };
  return `${clockTime(new Date(at), clock)} ${zoneName(new Date(at), clock)}, ${dayName(new Date(at), clock)}`;
}
