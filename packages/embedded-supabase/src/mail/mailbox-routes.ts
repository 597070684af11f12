import { type Context, Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import { html } from 'hono/html';
import type { Mailbox, StoredMail } from './mailer.ts';

const TITLE = 'Mails that were not sent';

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

const timeElement = (at: Date) => {
  const iso = at.toISOString();
  return html`<time datetime="${iso}">${iso.slice(11, 19)} UTC</time>`;
};

/** @param mails newest first */
function mailListPage(mails: StoredMail[]): Page {
  const row = ({ id, to, subject, at }: StoredMail) =>
    html`<tr><td>${timeElement(at)}</td><td>${to}</td><td><a href="/mailbox/${id}">${subject}</a></td></tr>`;
  const list =
    mails.length === 0
      ? html`<p>No mail yet. Sign up at the site, or ask it for a link to sign in; then load this page again.</p>`
      : html`<table>
<thead><tr><th>At</th><th>To</th><th>Subject</th></tr></thead>
<tbody>${mails.map(row)}</tbody>
</table>`;
  return page(
    TITLE,
    html`<header><h1>${TITLE}</h1><p>The backend stores mails here instead of sending them, until it stops.</p></header><main>${list}</main>`,
  );
}

function mailPage({ id, to, subject, at, text }: StoredMail): Page {
  const link = /^https?:\/\/\S+$/m.exec(text)?.[0];
  const code = /^\d{6,10}$/m.exec(text)?.[0];
  return page(
    subject,
    html`<header><h1>${subject}</h1><p><a href="/mailbox">All mails</a></p></header>
<main>
<dl>
<dt>To</dt><dd>${to}</dd>
<dt>At</dt><dd>${timeElement(at)}</dd>
${link ? html`<dt>Link</dt><dd><a href="${link}">${link}</a></dd>` : ''}
${code ? html`<dt>Code</dt><dd class="code">${code}</dd>` : ''}
</dl>
<h2>As text</h2>
<pre>${text}</pre>
<h2>As a page</h2>
<iframe sandbox title="As a page" src="/mailbox/${id}/page"></iframe>
</main>`,
  );
}

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0 auto; max-inline-size: 60rem; padding: 1.5rem 1rem; font: 1.0625rem/1.55 system-ui, sans-serif; }
table { inline-size: 100%; border-collapse: collapse; }
th, td { padding: 0.5rem 1rem 0.5rem 0; border-block-end: 1px solid; text-align: start; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
.code { font-weight: bold; font-variant-numeric: tabular-nums; }
pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; }
iframe { inline-size: 100%; block-size: 32rem; border: 1px solid; background: white; }
`;

/** Host headers of this machine. Other hosts are rejected to prevent DNS rebinding. */
const LOCAL_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** Headers of proxies: a request through a proxy may come from another machine. */
const FORWARDING_HEADERS = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
];

const RESPONSE_HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** Policy of the HTML of a mail: inline styles only, nothing else. */
const MAIL_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox";

/**
 * Creates the routes of `/mailbox`, which show the mails of a demo to the person at this machine. The backend listens
 * on loopback only, and the website forwards no request to these routes.
 */
export function mailboxRoutes(mailbox: Mailbox): Hono {
  const routes = new Hono().use(requireLocalRequest);
  routes.get('/', (c) =>
    c.req.header('accept')?.includes('application/json')
      ? c.json(mailbox.list())
      : c.html(mailListPage(mailbox.list())),
  );
  routes.get('/style.css', (c) => c.body(STYLE, 200, { 'content-type': 'text/css' }));
  routes.get('/:id{[1-9][0-9]*}', (c) => withMail(c, mailbox, (mail) => c.html(mailPage(mail))));
  routes.get('/:id{[1-9][0-9]*}/page', (c) =>
    withMail(c, mailbox, (mail) => {
      c.header('content-security-policy', MAIL_POLICY);
      return c.html(mail.html);
    }),
  );
  return routes;
}

const requireLocalRequest = createMiddleware(async (c, next) => {
  const isLocalHost = LOCAL_HOST.test(c.req.header('host') ?? '');
  if (!isLocalHost || FORWARDING_HEADERS.some((name) => c.req.header(name) !== undefined))
    return c.notFound();
  for (const [name, value] of Object.entries(RESPONSE_HEADERS)) c.header(name, value);
  c.header('content-security-policy', PAGE_POLICY);
  return next();
});

function withMail(c: Context, mailbox: Mailbox, show: (mail: StoredMail) => Response | Promise<Response>) {
  const mail = mailbox.find(Number(c.req.param('id')));
  return mail ? show(mail) : c.notFound();
}
