import { useEffect, useState } from 'react';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import type { Desk } from '../../stores/desk.ts';
import type { QueuedCommandView } from '../../stores/outbox.ts';
import { useShared } from './useShared.ts';

/**
 * Whether a row's draft is open in the composer or is being sent. False in the first rendering, because the server
 * renders all rows.
 */
export function useIsElsewhere(desk: Desk): (update: DeskUpdate) => boolean {
  const [isHydrated, setHydrated] = useState(false);
  useEffect(() => setHydrated(true), []);
  const composing = useShared(desk.$composing);
  const commands = useShared(desk.outbox.$commands);
  return ({ id, number }) =>
    isHydrated &&
    number === null &&
    (id === composing || commands.some((item) => item.subject === id && isBeingSent(item)));
}

/** A row stays in place while a command without text is being sent, so that the focus is not lost. */
const isBeingSent = ({ step, pauseReason, edited }: QueuedCommandView) =>
  step !== 'with_desk' && (edited !== null || pauseReason !== null || step === 'needs_you');
