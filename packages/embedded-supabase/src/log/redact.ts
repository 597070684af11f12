const HIDDEN = '[hidden]';

/** Of our own sentences. */
const EXAMPLE = 'newsroom@example.com';

/** Secrets that a text may contain. The patterns match bounded lengths and run on bounded texts. */
const PATTERNS: readonly [RegExp, string][] = [
  // User and password of an address, but for those of our own examples.
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/)(?!USER:PASSWORD@|role:password@)[^\s/@]{1,300}@/gi, `$1${HIDDEN}@`],
  [/[\p{L}\p{N}._%+'-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu, '[address]'],
  [/\beyJ[\w-]{8,4000}\.[\w-]{1,4000}(?:\.[\w-]{0,4000})?/g, '[token]'],
  [/\b(sb_(?:secret|publishable)_)[\w-]{1,200}/g, `$1${HIDDEN}`],
  [/\b(bearer\s{1,3})[^\s"',]{1,4000}/gi, `$1${HIDDEN}`],
  // Receipts of tips, invitations, links that stop mails.
  [/(\/(?:tips|invites|unsubscribe)\/)[^\s/?#"']{1,300}/g, `$1${HIDDEN}`],
  [/(\/auth\/[^\s?#"']{0,100})\?[^\s"']{1,4000}/g, `$1?${HIDDEN}`],
  [
    /\b((?:access_|refresh_|provider_)?token(?:_hash)?|apikey|code|password|secret|email)=[^\s&"']{1,4000}/gi,
    `$1=${HIDDEN}`,
  ],
];

/** Longer texts are cut before they are looked through. */
const LONGEST = 10_000;

/** Secrets of the environment, and those that stand in its addresses. */
const KEY = /_(?:SECRET_KEY|TOKEN|PASSWORD)$/;
const ADDRESSES = ['DATABASE_URL', 'SMTP_URL'];

/** Shorter ones would hide words that are none. */
const SHORTEST = 6;

/** A text as a log may have it: without addresses of people, keys, tokens, passwords, receipts. */
export function redactSecrets(text: string): string {
  let shown = text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
  for (const secret of knownSecrets()) shown = shown.replaceAll(secret, HIDDEN);
  for (const [pattern, instead] of PATTERNS) {
    shown = shown.replace(pattern, (match, ...groups) =>
      match === EXAMPLE ? match : instead.replace('$1', () => String(groups[0])),
    );
  }
  return shown;
}

function knownSecrets(): string[] {
  const passwords = ADDRESSES.flatMap((name) => {
    const password = URL.parse(process.env[name] ?? '')?.password ?? '';
    return [password, decoded(password)];
  });
  const keys = Object.keys(process.env).filter((name) => KEY.test(name));
  return [...keys.map((name) => process.env[name] ?? ''), ...passwords].filter(
    ({ length }) => length >= SHORTEST,
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** What would pass for another line, move a terminal's cursor, or turn the text that follows around. */
const UNSEEN = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** The same, with what cannot be seen written out. */
export const escapeControl = (text: string): string =>
  text.replace(UNSEEN, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
