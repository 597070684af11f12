import { useEffect, useState } from 'react';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import type { Desk } from '../../stores/desk.ts';
import type { Outgoing } from '../../stores/outbox.ts';
import { useShared } from './useShared.ts';

/**
 * Tells of a row whether its draft stands in the composer, or is on its way from here. Not before the first rendering: the
 * page was made with all rows.
 */
export function useElsewhere(desk: Desk): (update: DeskUpdate) => boolean {
  const [isHere, setHere] = useState(false);
  useEffect(() => setHere(true), []);
  const composing = useShared(desk.$composing);
  const outgoing = useShared(desk.outbox.$outgoing);
  return ({ id, number }) =>
    isHere &&
    number === null &&
    (id === composing || outgoing.some((item) => item.update === id && isAway(item)));
}

/** What is merely done to a row, and at once, leaves it where it is: whoever pressed there goes on there. */
const isAway = ({ step, holdUp, work }: Outgoing) =>
  step !== 'with_desk' && (work !== null || holdUp !== null || step === 'needs_you');
