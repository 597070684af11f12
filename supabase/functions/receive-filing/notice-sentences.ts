/** A message to a chat about an update that was filed there. */
export type Notice = {
  /** Language of the chat. */
  language: string;
  kind: 'published' | 'clarified' | 'corrected' | 'withdrawn' | 'spiked';
  /** Number of the update; null if it was never published. */
  number: number | null;
  coverage: string;
  /** Slug of the coverage, if readers see it. */
  slug: string | null;
  /** Note of a correction or clarification, or reason of a withdrawal. */
  note: string | null;
};

type NoticeSentences = {
  published: (number: number) => string;
  corrected: (number: number, note: string) => string;
  clarified: (number: number, note: string) => string;
  withdrawn: (number: number, reason: string) => string;
  spiked: (coverage: string) => string;
};

const ENGLISH: NoticeSentences = {
  published: (number) => `Live, no. ${number}.`,
  corrected: (number, note) => `Correction published, no. ${number}: ${note}`,
  clarified: (number, note) => `Clarification published, no. ${number}: ${note}`,
  withdrawn: (number, reason) => `No. ${number} was withdrawn: ${reason}`,
  spiked: (coverage) => `The desk has discarded this update: “${coverage}”.`,
};

const SPANISH: NoticeSentences = {
  published: (number) => `Publicada, n.º ${number}.`,
  corrected: (number, note) => `Corrección publicada, n.º ${number}: ${note}`,
  clarified: (number, note) => `Aclaración publicada, n.º ${number}: ${note}`,
  withdrawn: (number, reason) => `La n.º ${number} se ha retirado: ${reason}`,
  spiked: (coverage) => `La mesa ha descartado esta actualización: «${coverage}».`,
};

/** Returns the text of a notice, with the address of the update if readers see it. */
export function noticeSentence(notice: Notice, site: string): string {
  const sentences = /^es\b/i.test(notice.language) ? SPANISH : ENGLISH;
  const { kind, slug, coverage } = notice;
  const number = notice.number ?? 0;
  const sentence =
    kind === 'spiked'
      ? sentences.spiked(coverage)
      : kind === 'published'
        ? sentences.published(number)
        : sentences[kind](number, notice.note ?? '');
  const isShown = kind !== 'spiked' && slug !== null;
  return isShown ? `${sentence}\n${new URL(`/live/${slug}/${number}`, site).href}` : sentence;
}
