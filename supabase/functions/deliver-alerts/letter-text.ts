import type { Delivery } from './delivery.ts';
import { oneLine, type Telling } from './telling.ts';
import type { Words } from './words.ts';

/** Line width of plain text mails. */
const WIDTH = 72;

/** Returns the plain text part of a mail: short lines, each URL on its own line. */
export function letterText(letter: Letter): string {
  const { delivery, telling, words, followed, stop, account } = letter;
  const { site, coverage } = delivery;
  const updates = telling.updates.map((update) => {
    const marks = [
      timeOf(update.published_at, letter),
      ...(update.urgency === 'urgent' ? [words.urgent] : []),
      ...(update.key_event ? [words.keyEvent] : []),
    ];
    return [marks.join(' · '), update.headline, update.text, update.url].filter((line) => line);
  });
  const paragraphs = [
    [coverage.headline, `${words.news(delivery.total)} · ${site.name}`],
    ...updates,
    [`${words.read}:`, telling.page],
    // Mail programs recognise this as the signature separator.
    ['-- ', words.why(followed, site.name)],
    [`${words.stop(followed)}:`, stop],
    [`${words.account}:`, account],
  ];
  return `${paragraphs.map((lines) => lines.map((line) => broken(line ?? '')).join('\n')).join('\n\n')}\n`;
}

/** Wraps a line between words. Text without spaces, such as a URL or Chinese, stays on one line. */
function broken(text: string): string {
  if (text === '-- ') return text;
  const lines: string[] = [];
  let line = '';
  for (const word of oneLine(text).split(' ')) {
    if (line && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else {
      line = line ? `${line} ${word}` : word;
    }
  }
  return [...lines, line].join('\n');
}

/** Content from which both parts of a mail are written. */
export type Letter = {
  delivery: Delivery;
  telling: Telling;
  words: Words;
  /** Name of the followed coverage or topic. */
  followed: string;
  /** URL of the unsubscribe link. */
  stop: string;
  account: string;
};

/** Formats a time in the zone of the coverage, with the zone's name. */
export function timeOf(at: string, { delivery, words }: Pick<Letter, 'delivery' | 'words'>): string {
  return new Intl.DateTimeFormat(words.language, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: delivery.coverage.time_zone ?? 'UTC',
    timeZoneName: 'short',
  }).format(new Date(at));
}
