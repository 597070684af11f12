import { mailedPath } from './next.ts';

/** What the button under a mailed link does, by which its words are chosen. */
export type LinkKind = 'email' | 'invite' | 'recovery' | 'email_change';

/** The link of a mail, as its page is asked for or its form is sent. */
export type MailedLink = {
  type: MailedType;
  kind: LinkKind;
  tokenHash: string;
  /** Path of this site to go on to. */
  next: string | null;
};

/** GoTrue's types; two are older names of what `email` stands for. */
const KINDS = {
  email: 'email',
  signup: 'email',
  magiclink: 'email',
  invite: 'invite',
  recovery: 'recovery',
  email_change: 'email_change',
} as const satisfies Record<string, LinkKind>;

export type MailedType = keyof typeof KINDS;

/** Hexadecimal digits or base64url, here and of hosted projects, which may put a word in front. */
const TOKEN_HASH = /^[\w-]{20,200}$/;

/**
 * Reads the link of a mail; null when a part of it is missing, as when a mail program broke it in two.
 * @param get a parameter of the address, or a field of the form
 * @param site the address of this site
 */
export function readMailedLink(get: (name: string) => unknown, site: string): MailedLink | null {
  const [type, tokenHash] = [get('type'), get('token_hash')];
  if (!isMailedType(type) || typeof tokenHash !== 'string' || !TOKEN_HASH.test(tokenHash)) return null;
  return { type, kind: KINDS[type], tokenHash, next: mailedPath(get('next'), site) };
}

function isMailedType(value: unknown): value is MailedType {
  return typeof value === 'string' && Object.hasOwn(KINDS, value);
}
