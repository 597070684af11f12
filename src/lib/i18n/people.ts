import { people as en } from './en/people.ts';
import { spoken } from './messages.ts';

export const people = spoken('people', en);
