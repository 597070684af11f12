import { ANYTHING, type Declared } from './paths.ts';

/** What a reader asks of `changes`: everything after one change, from a state that knows another. */
export type Question = {
  /** The last change that the reader knows of. */
  after: number;
  /** The answer must know at least this change; 0 when the reader has not been told of any. */
  until: number;
};

/** The parameters that mean something to who asks for changes. */
export const QUESTION_PARAMETERS: Declared = { after: ANYTHING, until: ANYTHING };

/** Reads the question out of a URL's parameters; null when it is none. */
export function readQuestion(parameters: URLSearchParams): Question | null {
  const after = toSeq(parameters.get('after'));
  const until = toSeq(parameters.get('until') ?? '0');
  return after === null || until === null ? null : { after, until };
}

function toSeq(text: string | null): number | null {
  return text !== null && /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : null;
}
