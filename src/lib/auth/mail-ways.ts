import { pathWith } from '../http/path.ts';
import { CHOOSE_PASSWORD, HOME } from './next.ts';

/** What a mail with a link and a code may have been asked for. */
const MAIL_WAYS = ['sign-in', 'sign-up', 'recovery', 'follow'] as const;
export type MailWay = (typeof MAIL_WAYS)[number];

export function isMailWay(value: unknown): value is MailWay {
  return MAIL_WAYS.some((way) => way === value);
}

const BEGINNINGS = {
  'sign-in': '/sign-in',
  'sign-up': '/sign-up',
  recovery: CHOOSE_PASSWORD,
};

/** Where somebody begins who wants such a mail, and comes back to for another address. */
export function beginningOf(way: MailWay, next: string | null): string {
  // What is to be followed is chosen on a page of its own.
  return way === 'follow' ? (next ?? HOME) : pathWith(BEGINNINGS[way], { next });
}

/** The page that sends such a mail and takes its code. */
export const CODE_PAGE = '/auth/code';

export function codePath(way: MailWay, next: string | null = null): string {
  return pathWith(CODE_PAGE, { for: way, next });
}

/** Between two mails of a kind to one account: `max_frequency` of config.toml, which is GoTrue's own default. */
export const BETWEEN_MAILS_S = 60;
