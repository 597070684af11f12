import { states as en } from './en/states.ts';
import { spoken } from './messages.ts';

export const states = spoken('states', en);
