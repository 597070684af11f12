import { createHash, randomBytes } from 'node:crypto';

/** Crockford's 32: no letter among them can be taken for another, or for a digit. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Of five bits each: 80 bits that nobody can guess, in a form that can be typed. */
const LENGTH = 16;

/** The letters of a new one-time code. */
export function newCode(): string {
  return [...randomBytes(LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
}

/** A code as it is shown, to be typed: `7KQM-4TZP-0W3B-XN8D`. */
export function grouped(letters: string): string {
  return (letters.match(/.{1,4}/g) ?? []).join('-');
}

/** The letters of a code as somebody typed it, however it is spaced; null when it cannot be one. */
export function readCode(typed: string): string | null {
  const letters = typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  const isCode = letters.length === LENGTH && [...letters].every((letter) => LETTERS.includes(letter));
  return isCode ? letters : null;
}

/** What the database keeps of a code: SHA-256 of its letters, in hex. There is no guessing back from it. */
export function codeHash(letters: string): string {
  return createHash('sha256').update(letters).digest('hex');
}
