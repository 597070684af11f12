/** What no XML 1.0 document may hold, written out or not: most control characters, halves of pairs, two that are none. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** A text without what a reader of XML would refuse the whole document for. */
export const allowed = (text: string): string => text.replace(FORBIDDEN, '');
