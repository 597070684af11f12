import { errors as en, quoting as enQuoting } from './en/errors.ts';
import { localized } from './messages.ts';

export const errors = localized('errors', en);

const quoting = localized('quoting', enQuoting);

/** Adds the id of a logged error to a sentence. */
export const withId = (sentence: string, id: string): string => quoting.withId(sentence, id);
