import MailComposer from 'nodemailer/lib/mail-composer';
import type { Delivery } from './delivery.ts';
import { letterHtml } from './letter-html.ts';
import { type Letter, letterText } from './letter-text.ts';
import type { SmtpSettings } from './smtp-settings.ts';
import { oneLine, tellingOf } from './telling.ts';
import { wordsIn } from './words.ts';

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
