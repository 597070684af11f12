import { useRef } from 'react';
import type { UpdateForm } from '../../../lib/desk/form.ts';
import { rememberedDateline } from '../../browser/remembered.ts';
import type { Desk } from '../../stores/desk.ts';
import type { EditedUpdate } from '../../stores/editor.ts';

/**
 * A new update is written from where the last one was, until somebody says otherwise. The place comes with the first
 * change: by itself it is no work to be kept.
 * @returns a change with what it brings along
 */
export function useDateline(desk: Desk, { id, before, form }: EditedUpdate) {
  /** The update whose dateline is settled: by a first change, or by hand. */
  const settledId = useRef<string | null>(null);
  const remembered = rememberedDateline(desk.person.id, desk.$coverage.get().id);
  return (part: Partial<UpdateForm>): Partial<UpdateForm> => {
    const isUnset = !before && form.dateline === '' && settledId.current !== id;
    settledId.current = id;
    if (part.dateline !== undefined) remembered.save(part.dateline);
    const dateline = isUnset ? remembered.read() : '';
    return dateline ? { dateline, ...part } : part;
  };
}
