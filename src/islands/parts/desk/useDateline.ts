import { useRef } from 'react';
import type { UpdateForm } from '../../../lib/desk/form.ts';
import { rememberedDateline } from '../../browser/remembered.ts';
import type { Desk } from '../../stores/desk.ts';
import type { EditedUpdate } from '../../stores/editor.ts';

/**
 * Gives a new update the last dateline. It is added with the first change, because a dateline alone is not stored.
 * @returns a function that adds the dateline to a change
 */
export function useDateline(desk: Desk, { id, before, form }: EditedUpdate) {
  /** Id of the update whose dateline was set by a first change or by hand. */
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
