import type * as en from '../en/states.ts';

export const states: typeof en.states = {
  scheduled: 'Sin empezar',
  live: 'En directo',
  paused: 'En pausa',
  ended: 'Terminada',
  archived: 'Archivada',
};
