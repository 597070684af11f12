import MailComposer from 'nodemailer/lib/mail-composer';
import { alertMessagesFor, directionOf, type FollowRequest, onOneLine } from './delivery.ts';
import { escapeHtml, STYLE, wrapped } from './mail.ts';
import type { Composed } from './smtp.ts';

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
