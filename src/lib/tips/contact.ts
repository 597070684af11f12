const MAIL = /^[^\s@<>"',;]+@[^\s@<>"',;]+\.[^\s@<>"',;.]+$/;
const PHONE = /^\+?[\d\s().\-/]{6,}$/;

/** Fewer digits reach nobody: more likely they are a time or a house number. */
const LEAST_DIGITS = 6;

/** How a sender is reached by a press, where what they gave is an address or a number and nothing else. */
export function contactHref(contact: string): string | null {
  const text = contact.trim();
  if (MAIL.test(text)) return `mailto:${encodeURIComponent(text).replace('%40', '@')}`;
  if (!PHONE.test(text)) return null;
  const digits = text.replace(/\D/g, '');
  if (digits.length < LEAST_DIGITS) return null;
  return `tel:${text.startsWith('+') ? '+' : ''}${digits}`;
}
