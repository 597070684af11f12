import { states as en } from './en/states.ts';
import { spoken } from './spoken.ts';

export const states = spoken('states', en);
