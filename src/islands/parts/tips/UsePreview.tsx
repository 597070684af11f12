import type { Block } from '../../../lib/body/blocks.ts';
import { tipQueue as messages } from '../../../lib/text/tip-queue.ts';
import { creditOf, type UseForm } from '../../../lib/tips/acts.ts';
import type { QueueTip } from '../../../lib/tips/queue.ts';
import { Body } from '../Body.tsx';

type Props = {
  tip: QueueTip;
  form: UseForm;
  /** That of the coverage it is for. */
  language: string | undefined;
};

/** The words of the update, as the database makes them of what was typed. */
export function UsePreview({ tip, form: { headline, intro, quote }, language }: Props) {
  const credit = creditOf(tip);
  const body: Block[] = [
    ...intro
      .split('\n')
      .filter((line) => line.trim())
      .map((line): Block => ({ type: 'paragraph', runs: [{ text: line.trim() }] })),
    ...(quote.trim()
      ? [{ type: 'quote' as const, text: quote.trim(), ...(credit ? { attribution: credit } : {}) }]
      : []),
  ];
  if (body.length === 0) return null;
  return (
    <section className="tip-preview">
      <h4>{messages.use.asRead}</h4>
      <div className="body" lang={language} dir="auto">
        {headline.trim() && (
          <p>
            <b>{headline.trim()}</b>
          </p>
        )}
        <Body body={body} />
      </div>
    </section>
  );
}
