import type { Delivery } from './delivery.ts';
import { oneLine, type Telling } from './telling.ts';
import type { Words } from './words.ts';

/** As wide as a terminal shows without breaking lines itself. */
const WIDTH = 72;

/** The part for programs that show text: short lines, each address on a line of its own. */
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
    // What mail programs take for a signature, and set apart.
    ['-- ', words.why(followed, site.name)],
    [`${words.stop(followed)}:`, stop],
    [`${words.account}:`, account],
  ];
  return `${paragraphs.map((lines) => lines.map((line) => broken(line ?? '')).join('\n')).join('\n\n')}\n`;
}

/** A line broken between its words. What has no space, as an address or Chinese, stays whole. */
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

/** All that both parts of a letter are written from. */
export type Letter = {
  delivery: Delivery;
  telling: Telling;
  words: Words;
  /** What is followed. */
  followed: string;
  /** The page that ends these mails, and no others. */
  stop: string;
  account: string;
};

/** When something was said, in the coverage's own zone and by its name. */
export function timeOf(at: string, { delivery, words }: Pick<Letter, 'delivery' | 'words'>): string {
  return new Intl.DateTimeFormat(words.language, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: delivery.coverage.time_zone ?? 'UTC',
    timeZoneName: 'short',
  }).format(new Date(at));
}
