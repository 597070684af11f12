import type { TipActionName } from '../domain/tips.ts';
import type { QueueTip } from './tip-queue.ts';

/** Whether another person works on a tip. */
export const isAssignedToOther = (tip: Pick<QueueTip, 'state' | 'assigned'>, me: string) =>
  tip.state === 'in_review' && tip.assigned !== null && tip.assigned.id !== me;

/** Returns the actions that a person may take on a tip. A tip of another moderator can only be taken over. */
export function tipActionsOn(tip: QueueTip, me: string): TipActionName[] {
  if (isAssignedToOther(tip, me)) return ['takeOver'];
  // Every action on a held tip also releases it.
  if (tip.held) return ['release', 'decline', 'spam'];
  switch (tip.state) {
    case 'new':
      return ['take', 'use', 'decline', 'spam'];
    case 'in_review':
      return ['use', 'decline', 'spam', 'handOver'];
    case 'used':
      // A published quote is withdrawn at its desk, not here.
      return tip.used_in && tip.used_in.number === null ? ['reopen'] : [];
    default:
      return ['reopen'];
  }
}

/** Form for using a tip in an update. */
export type TipUseForm = ReturnType<typeof tipUseForm>;

/** @param update id of the update, created once, so that submitting twice creates one update */
export function tipUseForm(tip: QueueTip, update: string) {
  return {
    update,
    coverage: tip.coverage?.id ?? '',
    /** The sender's words, as quoted. */
    quote: tip.body,
    intro: '',
    headline: '',
    withPhoto: false,
    alt: '',
    caption: '',
  };
}

/** Arguments of the database function. */
type TipUseContent = {
  quote: string;
  intro?: string;
  headline?: string;
  photo?: { alt: string; caption?: string };
};

export function tipUseContent({
  quote,
  intro,
  headline,
  withPhoto,
  alt,
  caption,
}: TipUseForm): TipUseContent {
  const optional = (name: string, text: string) => (text.trim() ? { [name]: text.trim() } : {});
  return {
    quote: quote.trim(),
    ...optional('intro', intro),
    ...optional('headline', headline),
    ...(withPhoto ? { photo: { alt: alt.trim(), ...optional('caption', caption) } } : {}),
  };
}

/** Returns the name to credit; null without the sender's permission. */
export const creditOf = ({ name, may_be_named }: Pick<QueueTip, 'name' | 'may_be_named'>) =>
  may_be_named && name ? name : null;
