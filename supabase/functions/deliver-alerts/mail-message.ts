import type { Delivery } from './delivery.ts';
import { oneLine, directionOf, tellingOf, wordsIn, type Telling, type Words } from './alert-content.ts';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { SmtpSettings } from './smtp.ts';

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
  return `${paragraphs.map((lines) => lines.map((line) => wrapped(line ?? '')).join('\n')).join('\n\n')}\n`;
}

/** Wraps a line between words. Text without spaces, such as a URL or Chinese, stays on one line. */
function wrapped(text: string): string {
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

/** Styles of the account mails (supabase/templates). */
const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; padding: 24px; background: #fdfbf6; color: #16130f; font: 17px/1.55 Charter, Georgia, serif; }
main { max-width: 34em; border-top: 3px solid #16130f; padding-top: 16px; }
h1 { margin: 0 0 16px; font-size: 25px; line-height: 1.2; }
h2 { margin: 0 0 4px; font-size: 19px; line-height: 1.3; }
p { margin: 0 0 16px; }
h2 + p, .time + p { margin-top: 0; }
a { color: #16130f; }
.time, .note { font: 15px/1.5 system-ui, sans-serif; color: #5c554b; }
.time { margin: 24px 0 4px; }
.note { margin-top: 32px; border-top: 1px solid #aaa294; padding-top: 12px; }
@media (prefers-color-scheme: dark) {
  body { background: #14120f; color: #ece7dd; }
  main { border-color: #ece7dd; }
  a { color: #ece7dd; }
  .time, .note { color: #aaa294; }
}`;

/** Returns the HTML part of a mail: readable without styles, and without external resources. */
export function letterHtml(letter: Letter): string {
  const { delivery, telling, words, followed, stop, account } = letter;
  const { coverage, site, language } = delivery;
  // The language of the coverage may differ from that of the mail's own texts.
  const theirs = `lang="${escaped(language)}" dir="${directionOf(language)}"`;
  const updates = telling.updates.map((update) => {
    const marks = [
      ...(update.urgency === 'urgent' ? [words.urgent] : []),
      ...(update.key_event ? [words.keyEvent] : []),
    ].map((mark) => ` · <strong>${mark}</strong>`);
    const time = `<a href="${escaped(update.url)}">${escaped(timeOf(update.published_at, letter))}</a>`;
    return [
      `<p class="time">${time}${marks.join('')}</p>`,
      update.headline && `<h2 ${theirs}>${escaped(update.headline)}</h2>`,
      update.text && `<p ${theirs}>${escaped(update.text)}</p>`,
    ];
  });
  const lines = [
    `<p>${escaped(words.news(delivery.total))} · <bdi>${escaped(site.name)}</bdi></p>`,
    ...updates.flat(),
    `<p class="time"><a href="${escaped(telling.page)}">${words.read}</a></p>`,
    `<p class="note">${escaped(words.why(followed, site.name))}<br>`,
    `<a href="${escaped(stop)}">${escaped(words.stop(followed))}</a><br>`,
    `<a href="${escaped(account)}">${words.account}</a></p>`,
  ];
  const title = escaped(coverage.headline);
  return `<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1 ${theirs}>${title}</h1>
${lines.filter((line) => line).join('\n')}
</main>
</body>
</html>
`;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => oneLine(text).replace(/[&<>"']/g, (one) => ENTITIES[one] ?? '');

type Mail = NonNullable<Delivery['mail']>;

/** A complete mail. Its stream can be created several times. */
export type Composed = ReturnType<MailComposer['compile']>;

/** Maximum length of the subject in characters. */
const LONGEST_SUBJECT = 200;

/**
 * Composes a digest mail. Its message id is derived from the delivery's id, so that duplicates can be recognised.
 * @param site URL of the site
 */
export function composeLetter(
  delivery: Delivery,
  mail: Mail,
  site: string,
  from: SmtpSettings['from'],
): Composed {
  const letter: Letter = {
    delivery,
    telling: tellingOf(delivery, site),
    words: wordsIn(delivery.language),
    followed: oneLine(mail.follow.name),
    stop: new URL(`/unsubscribe/${mail.stop}`, site).href,
    account: new URL('/account', site).href,
  };
  const { hostname } = new URL(site);
  const composed = new MailComposer({
    from,
    to: { name: '', address: mail.to },
    subject: subjectOf(letter),
    messageId: `<alert-${delivery.id}@${hostname}>`,
    text: letterText(letter),
    html: letterHtml(letter),
    headers: {
      // One-click unsubscribe of mail programs (RFC 8058).
      'List-Unsubscribe': `<${letter.stop}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      // Prevents automatic replies (RFC 3834).
      'Auto-Submitted': 'auto-generated',
      'Content-Language': letter.words.language,
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composed.compile();
}

/** Returns the coverage and its newest update. */
function subjectOf({ delivery, telling, words }: Letter): string {
  const urgent = delivery.urgent ? `${words.urgent}: ` : '';
  const whole = `${urgent}${oneLine(delivery.coverage.headline)}: ${telling.newest}`;
  const characters = [...whole];
  if (characters.length <= LONGEST_SUBJECT) return whole;
  return `${characters
    .slice(0, LONGEST_SUBJECT - 1)
    .join('')
    .trimEnd()}…`;
}
