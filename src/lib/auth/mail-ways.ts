import { pathWith } from '../http/path.ts';
import { CHOOSE_PASSWORD } from './next.ts';

/** What a mail with a link and a code may have been asked for. */
const MAIL_WAYS = ['sign-in', 'sign-up', 'recovery'] as const;
export type MailWay = (typeof MAIL_WAYS)[number];

export function isMailWay(value: unknown): value is MailWay {
  return MAIL_WAYS.some((way) => way === value);
}

/** Where somebody begins who wants such a mail, and comes back to for another address. */
export const BEGINNINGS: Record<MailWay, string> = {
  'sign-in': '/sign-in',
  'sign-up': '/sign-up',
  recovery: CHOOSE_PASSWORD,
};

/** The page that sends such a mail and takes its code. */
export const CODE_PAGE = '/auth/code';

export function codePath(way: MailWay, next: string | null = null): string {
  return pathWith(CODE_PAGE, { for: way, next });
}

/** Between two mails of a kind to one account: `max_frequency` of config.toml, which is GoTrue's own default. */
export const BETWEEN_MAILS_S = 60;
