import { people as en } from './en/people.ts';
import { localized } from './messages.ts';

export const people = localized('people', en);
