import type { TipAction } from '../domain/tips.ts';
import type { QueueTip } from './tip-queue.ts';

/** Whether somebody else works on a tip. */
export const isOthers = (tip: Pick<QueueTip, 'state' | 'assigned'>, me: string) =>
  tip.state === 'in_review' && tip.assigned !== null && tip.assigned.id !== me;

/** What somebody may do to a tip as it stands: of what somebody else has, nothing until it is taken over. */
export function actsOn(tip: QueueTip, me: string): TipAction[] {
  if (isOthers(tip, me)) return ['takeOver'];
  // Whatever else is done to it, it is held no more.
  if (tip.held) return ['release', 'decline', 'spam'];
  switch (tip.state) {
    case 'new':
      return ['take', 'use', 'decline', 'spam'];
    case 'in_review':
      return ['use', 'decline', 'spam', 'handOver'];
    case 'used':
      // What readers have seen is withdrawn at its desk.
      return tip.used && tip.used.number === null ? ['reopen'] : [];
    default:
      return ['reopen'];
  }
}

/** What an update is made of from a tip. */
export type UseForm = {
  /** The update's id, made once, so that pressing again makes no second. */
  update: string;
  coverage: string;
  /** The sender's words, as they are to be quoted. */
  quote: string;
  intro: string;
  headline: string;
  withPhoto: boolean;
  alt: string;
  caption: string;
};

export function formOfTip(tip: QueueTip, update: string): UseForm {
  return {
    update,
    coverage: tip.coverage?.id ?? '',
    quote: tip.body,
    intro: '',
    headline: '',
    withPhoto: false,
    alt: '',
    caption: '',
  };
}

/** What the function takes of it. */
export type UseContent = {
  quote: string;
  intro?: string;
  headline?: string;
  photo?: { alt: string; caption?: string };
};

export function contentOfUse({ quote, intro, headline, withPhoto, alt, caption }: UseForm): UseContent {
  const given = (name: string, text: string) => (text.trim() ? { [name]: text.trim() } : {});
  return {
    quote: quote.trim(),
    ...given('intro', intro),
    ...given('headline', headline),
    ...(withPhoto ? { photo: { alt: alt.trim(), ...given('caption', caption) } } : {}),
  };
}

/** How the sender is named where the tip is used: not without their leave. */
export const creditOf = ({ name, may_name }: Pick<QueueTip, 'name' | 'may_name'>) =>
  may_name && name ? name : null;
