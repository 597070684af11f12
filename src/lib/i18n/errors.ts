import { errors as en, quoting as enQuoting } from './en/errors.ts';
import { spoken } from './messages.ts';

export const errors = spoken('errors', en);

const quoting = spoken('quoting', enQuoting);

/** Adds the id of a logged error to a sentence. */
export const withId = (sentence: string, id: string): string => quoting.withId(sentence, id);
