import { useState } from 'react';
import { type Desk, type DeskContext, deskOf } from '../../stores/desk.ts';

/** The desk that all islands of this page share. */
export function useDesk(context: DeskContext): Desk {
  return useState(() => deskOf(context))[0];
}
