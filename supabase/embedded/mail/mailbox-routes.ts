import { type Context, Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { KeptMail, Mailbox } from './mailbox.ts';
import { listPage, mailPage } from './mailbox-pages.ts';
import { STYLE } from './mailbox-style.ts';

/** A page of somebody else's whose name is made to lead to this machine still sends its own name. */
const OWN_NAMES = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** What a proxy adds: through one, a call of this machine may have begun anywhere. */
const FORWARDING = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
];

const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** A mail styles itself, and does nothing else. */
const MAIL_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox";

/**
 * `/mailbox`: the mails of a demo, for the person at this machine. The backend listens on loopback alone, and the
 * site hands no call on to here.
 */
export function mailboxRoutes(mailbox: Mailbox): Hono {
  const routes = new Hono().use(onlyHere);
  routes.get('/', (c) =>
    c.req.header('accept')?.includes('application/json')
      ? c.json(mailbox.all())
      : c.html(listPage(mailbox.all())),
  );
  routes.get('/style.css', (c) => c.body(STYLE, 200, { 'content-type': 'text/css' }));
  routes.get('/:id{[1-9][0-9]*}', (c) => ofMail(c, mailbox, (mail) => c.html(mailPage(mail))));
  routes.get('/:id{[1-9][0-9]*}/page', (c) =>
    ofMail(c, mailbox, (mail) => {
      c.header('content-security-policy', MAIL_POLICY);
      return c.html(mail.html);
    }),
  );
  return routes;
}

const onlyHere = createMiddleware(async (c, next) => {
  const named = OWN_NAMES.test(c.req.header('host') ?? '');
  if (!named || FORWARDING.some((name) => c.req.header(name) !== undefined)) return c.notFound();
  for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
  c.header('content-security-policy', PAGE_POLICY);
  return next();
});

function ofMail(c: Context, mailbox: Mailbox, show: (mail: KeptMail) => Response | Promise<Response>) {
  const mail = mailbox.find(Number(c.req.param('id')));
  return mail ? show(mail) : c.notFound();
}
