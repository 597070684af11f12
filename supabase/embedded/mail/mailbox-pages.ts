import { html } from 'hono/html';
import type { KeptMail } from './mailbox.ts';

const WORDS = {
  title: 'Mails that were not sent',
  about:
    'This newsroom is tried out, so its mails are kept here, for whoever sits at this machine, until it stops.',
  none: 'No mail yet. Sign up at the site, or ask it for a link to sign in; then load this page again.',
  to: 'To',
  subject: 'Subject',
  at: 'At',
  link: 'Link',
  code: 'Code',
  asText: 'As text',
  asPage: 'As a page',
  all: 'All mails',
};

type Page = ReturnType<typeof html>;

const page = (title: string, main: Page): Page => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="stylesheet" href="/mailbox/style.css">
</head>
<body>${main}</body>
</html>`;

const when = (at: Date) => {
  const iso = at.toISOString();
  return html`<time datetime="${iso}">${iso.slice(11, 19)} UTC</time>`;
};

/** @param mails newest first */
export function listPage(mails: KeptMail[]): Page {
  const row = ({ id, to, subject, at }: KeptMail) =>
    html`<tr><td>${when(at)}</td><td>${to}</td><td><a href="/mailbox/${id}">${subject}</a></td></tr>`;
  const list =
    mails.length === 0
      ? html`<p>${WORDS.none}</p>`
      : html`<table>
<thead><tr><th>${WORDS.at}</th><th>${WORDS.to}</th><th>${WORDS.subject}</th></tr></thead>
<tbody>${mails.map(row)}</tbody>
</table>`;
  return page(
    WORDS.title,
    html`<header><h1>${WORDS.title}</h1><p class="note">${WORDS.about}</p></header><main>${list}</main>`,
  );
}

export function mailPage({ id, to, subject, at, text }: KeptMail): Page {
  const link = /^https?:\/\/\S+$/m.exec(text)?.[0];
  const code = /^\d{6,10}$/m.exec(text)?.[0];
  return page(
    subject,
    html`<header><h1>${subject}</h1><p><a href="/mailbox">${WORDS.all}</a></p></header>
<main>
<dl>
<dt>${WORDS.to}</dt><dd>${to}</dd>
<dt>${WORDS.at}</dt><dd>${when(at)}</dd>
${link ? html`<dt>${WORDS.link}</dt><dd><a href="${link}">${link}</a></dd>` : ''}
${code ? html`<dt>${WORDS.code}</dt><dd class="code">${code}</dd>` : ''}
</dl>
<h2>${WORDS.asText}</h2>
<pre>${text}</pre>
<h2>${WORDS.asPage}</h2>
<iframe sandbox title="${WORDS.asPage}" src="/mailbox/${id}/page"></iframe>
</main>`,
  );
}
