import MailComposer from 'nodemailer/lib/mail-composer';
import {
  type AlertContent,
  type AlertMessages,
  type AlertUpdate,
  alertContentOf,
  alertMessagesFor,
  type Delivery,
  type DeliveryOutcome,
  directionOf,
  type FollowRequest,
  onOneLine,
  photoOf,
} from './delivery.ts';
import { type Composed, MAIL_TIMEOUT_MS, type MailSender, ONE_ADDRESS, ServerUnreachable } from './smtp.ts';

/** Concurrent mails, each over its own connection. Servers of small newsrooms allow few. */
const CONCURRENCY = 3;

/** A mail to send. */
export type OutgoingMail = {
  id: string;
  /** E-mail address; undefined if there is none. */
  to: string | undefined;
  /** Writes the mail. May throw. */
  compose(): Composed;
};

/** Outcomes by delivery id. A missing outcome is unknown. */
type Outcomes = Map<string, DeliveryOutcome>;

/**
 * Sends the mails of a group.
 * @param until deadline by `performance.now()`. No mail is started that might exceed it.
 * @returns outcomes, and in `unreachable` the reason if the mail server is unreachable
 */
export async function mailAll(
  group: OutgoingMail[],
  until: number,
  post: MailSender,
): Promise<{ outcomes: Outcomes; unreachable: string | undefined }> {
  const outcomes: Outcomes = new Map();
  const waiting = [...group];
  let unreachable: string | undefined;

  async function worker(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const outcome = await sendOne(next);
      if (outcome) outcomes.set(next.id, outcome);
    }
  }

  async function sendOne(mail: OutgoingMail): Promise<DeliveryOutcome | undefined> {
    if (unreachable !== undefined) return { outcome: 'again', error: unreachable };
    if (mail.to === undefined || !ONE_ADDRESS.test(mail.to))
      return { outcome: 'refused', error: 'no address' };
    if (performance.now() + MAIL_TIMEOUT_MS > until) return { outcome: 'again', error: 'no time left' };
    let message: Composed;
    try {
      message = mail.compose();
    } catch (error) {
      // The error message may contain the address or the secret.
      return { outcome: 'refused', error: `not written (${nameOf(error)})` };
    }
    try {
      return await post.send(mail.to, message);
    } catch (error) {
      if (error instanceof ServerUnreachable) {
        unreachable = error.message;
        return { outcome: 'again', error: unreachable };
      }
      // An error in our own code: the outcome is unknown.
      console.error(`unclear: 1 × ${nameOf(error)}`);
      return undefined;
    }
  }

  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return { outcomes, unreachable: unreachable };
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

/** Line width of plain text mails. */
const WIDTH = 72;

/** Returns the plain text part of a mail: short lines, each URL on its own line. */
function mailText(content: MailContent): string {
  const { delivery, alertContent, messages, followed, stop, manage } = content;
  const { site, coverage } = delivery;
  const updates = alertContent.updates.map((update) => {
    const line = [timeOf(update.published_at, content), ...marksOf(update, messages)].join(' · ');
    return [line, update.headline, update.text, update.url].filter((line) => line);
  });
  const paragraphs = [
    [coverage.headline, `${messages.news(delivery.total)} · ${site.name}`],
    ...updates,
    [`${messages.read}:`, alertContent.page],
    // Mail programs recognise this as the signature separator.
    ['-- ', messages.why(followed, site.name)],
    [`${messages.stop(followed)}:`, stop],
    [`${manage.text}:`, manage.url],
  ];
  return `${paragraphs.map((lines) => lines.map((line) => wrapped(line ?? '')).join('\n')).join('\n\n')}\n`;
}

const marksOf = ({ urgency, key_event }: AlertUpdate, messages: AlertMessages): string[] => [
  ...(urgency === 'urgent' ? [messages.urgent] : []),
  ...(key_event ? [messages.keyEvent] : []),
];

/** Wraps a line between words. Text without spaces, such as a URL or Chinese, stays on one line. */
function wrapped(text: string): string {
  if (text === '-- ') return text;
  const lines: string[] = [];
  let line = '';
  for (const word of onOneLine(text).split(' ')) {
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
type MailContent = {
  delivery: Delivery;
  alertContent: AlertContent;
  messages: AlertMessages;
  /** Name of the followed coverage or topic. */
  followed: string;
  /** URL of the unsubscribe link. */
  stop: string;
  /** Link to the account, or the offer of one. */
  manage: { text: string; url: string };
  /** Whether the mail contains the photo of the alert. */
  hasPhoto: boolean;
};

/** Content-ID of the photo. */
const PHOTO_CID = 'photo';

/** Formats a time in the zone of the coverage, with the zone's name. */
function timeOf(at: string, { delivery, messages }: Pick<MailContent, 'delivery' | 'messages'>): string {
  return new Intl.DateTimeFormat(messages.language, {
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
img { display: block; width: 100%; height: auto; }
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

/** Returns the HTML part of a mail: readable without styles and photo, and without external resources. */
function mailHtml(content: MailContent): string {
  const { delivery, alertContent, messages, followed, stop, manage, hasPhoto } = content;
  const { coverage, site, language } = delivery;
  const photo = hasPhoto ? photoOf(delivery) : null;
  // The language of the coverage may differ from that of the mail's own texts.
  const coverageLanguage = `lang="${escapeHtml(language)}" dir="${directionOf(language)}"`;
  const updates = alertContent.updates.map((update) => {
    const marks = marksOf(update, messages).map((mark) => ` · <strong>${mark}</strong>`);
    const time = `<a href="${escapeHtml(update.url)}">${escapeHtml(timeOf(update.published_at, content))}</a>`;
    return [
      `<p class="time">${time}${marks.join('')}</p>`,
      update.headline && `<h2 ${coverageLanguage}>${escapeHtml(update.headline)}</h2>`,
      update.text && `<p ${coverageLanguage}>${escapeHtml(update.text)}</p>`,
    ];
  });
  const lines = [
    photo &&
      `<p><img src="cid:${PHOTO_CID}" width="${photo.width}" height="${photo.height}" alt="${escapeHtml(photo.alt)}" ${coverageLanguage}></p>`,
    `<p>${escapeHtml(messages.news(delivery.total))} · <bdi>${escapeHtml(site.name)}</bdi></p>`,
    ...updates.flat(),
    `<p class="time"><a href="${escapeHtml(alertContent.page)}">${messages.read}</a></p>`,
    `<p class="note">${escapeHtml(messages.why(followed, site.name))}<br>`,
    `<a href="${escapeHtml(stop)}">${escapeHtml(messages.stop(followed))}</a><br>`,
    `<a href="${escapeHtml(manage.url)}">${manage.text}</a></p>`,
  ];
  const title = escapeHtml(coverage.headline);
  return `<!doctype html>
<html lang="${messages.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1 ${coverageLanguage}>${title}</h1>
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

/** Escapes a text for HTML, on one line. */
const escapeHtml = (text: string): string =>
  onOneLine(text).replace(/[&<>"']/g, (one) => ENTITIES[one] ?? '');

/** Maximum length of the subject in characters. */
const MAX_SUBJECT_LENGTH = 200;

/**
 * Composes a digest mail. Its message id is derived from the delivery's id, so that duplicates can be recognised.
 * @param site URL of the site
 * @param photo file of the alert's photo in base64, which the mail contains, so that nothing is loaded when it is read
 * @throws Error for a delivery that is no mail
 */
export function composeMail(
  delivery: Delivery,
  site: string,
  from: { name: string; address: string },
  photo?: string,
): Composed {
  const { mail } = delivery;
  if (!mail) throw new Error('not a mail');
  const messages = alertMessagesFor(delivery.language);
  const content: MailContent = {
    delivery,
    alertContent: alertContentOf(delivery, site),
    messages,
    followed: onOneLine(mail.follow.name),
    stop: new URL(`/unsubscribe/${mail.stop}`, site).href,
    manage: mail.account
      ? { text: messages.account, url: new URL('/account', site).href }
      : { text: messages.signUp, url: new URL('/sign-up?next=%2Faccount', site).href },
    hasPhoto: photo !== undefined,
  };
  const { hostname } = new URL(site);
  const composed = new MailComposer({
    from,
    to: { name: '', address: mail.to },
    subject: subjectOf(content),
    messageId: `<alert-${delivery.id}@${hostname}>`,
    text: mailText(content),
    html: mailHtml(content),
    attachments:
      photo === undefined
        ? undefined
        : [
            {
              filename: 'photo.webp',
              content: photo,
              encoding: 'base64',
              contentType: 'image/webp',
              contentDisposition: 'inline',
              cid: PHOTO_CID,
            },
          ],
    headers: {
      // One-click unsubscribe of mail programs (RFC 8058).
      'List-Unsubscribe': `<${content.stop}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      // Prevents automatic replies (RFC 3834).
      'Auto-Submitted': 'auto-generated',
      'Content-Language': content.messages.language,
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composed.compile();
}

/** Returns the subject: the headline of the coverage and its newest update. */
function subjectOf({ delivery, alertContent, messages }: MailContent): string {
  const urgent = delivery.urgent ? `${messages.urgent}: ` : '';
  const whole = `${urgent}${onOneLine(delivery.coverage.headline)}: ${alertContent.newest}`;
  const characters = [...whole];
  if (characters.length <= MAX_SUBJECT_LENGTH) return whole;
  return `${characters
    .slice(0, MAX_SUBJECT_LENGTH - 1)
    .join('')
    .trimEnd()}…`;
}

/**
 * Composes the mail with the link that starts alerts to an address. The page of the link shows a button, because mail
 * scanners open links.
 * @param site URL of the site
 */
export function composeConfirmationMail(
  request: FollowRequest,
  site: string,
  from: { name: string; address: string },
): Composed {
  const { language, confirm } = alertMessagesFor(request.language);
  const followed = onOneLine(request.follow.name);
  const subject = confirm.subject(followed);
  const what = confirm.what(request.scope, followed, onOneLine(request.site.name));
  const link = new URL(`/follow/confirm/${request.token}`, site).href;
  const text = [[what], [`${confirm.press}:`, link], [confirm.ignore]];
  const html = `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(subject)}</h1>
<p>${escapeHtml(what)}</p>
<p><a href="${escapeHtml(link)}">${confirm.press}</a></p>
<p class="note">${confirm.ignore}</p>
</main>
</body>
</html>
`;
  return new MailComposer({
    from,
    to: { name: '', address: request.to },
    subject,
    messageId: `<follow-${request.id}-${Date.now()}@${new URL(site).hostname}>`,
    text: `${text.map((lines) => lines.map(wrapped).join('\n')).join('\n\n')}\n`,
    html,
    // Prevents automatic replies (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': language },
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
}
