import { people as en } from './en/people.ts';
import { spoken } from './spoken.ts';

export const people = spoken('people', en);
