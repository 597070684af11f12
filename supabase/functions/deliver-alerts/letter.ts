import MailComposer from 'nodemailer/lib/mail-composer';
import type { Delivery } from './delivery.ts';
import { letterHtml } from './letter-html.ts';
import { type Letter, letterText } from './letter-text.ts';
import type { SmtpSettings } from './smtp-settings.ts';
import { oneLine, tellingOf } from './telling.ts';
import { wordsIn } from './words.ts';

type Mail = NonNullable<Delivery['mail']>;

/** A mail in all its parts, which may be read out as often as it is to be sent. */
export type Composed = ReturnType<MailComposer['compile']>;

/** Of a coverage and of an update: a list of mails shows less. */
const LONGEST_SUBJECT = 200;

/**
 * A digest. Its id is made of its delivery's, so that the same is the same wherever it comes up.
 * @param site its address
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
      // One press in the mail program, which asks by POST and shows no page (RFC 8058).
      'List-Unsubscribe': `<${letter.stop}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      // So that no answering machine replies (RFC 3834).
      'Auto-Submitted': 'auto-generated',
      'Content-Language': letter.words.language,
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composed.compile();
}

/** The coverage and the newest thing in it. */
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
