import { directionOf } from './direction.ts';
import { type Letter, timeOf } from './letter-text.ts';
import { oneLine } from './telling.ts';

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
