import { states as en } from './en/states.ts';
import { localized } from './messages.ts';

export const states = localized('states', en);
