import { ANY_VALUE, type QueryParameters } from './paths.ts';

/** Request for `/live/SLUG/changes`: all changes after `after`. */
export type ChangesRequest = {
  /** Seq of the last change that the reader has. */
  after: number;
  /** The response must include this seq at least; 0 if the reader was not notified of any. */
  until: number;
};

/** Query parameters of a changes request. */
export const CHANGES_PARAMETERS: QueryParameters = { after: ANY_VALUE, until: ANY_VALUE };

/** Parses the query parameters; null if they are invalid. */
export function parseChangesRequest(parameters: URLSearchParams): ChangesRequest | null {
  const after = toSeq(parameters.get('after'));
  const until = toSeq(parameters.get('until') ?? '0');
  return after === null || until === null ? null : { after, until };
}

function toSeq(text: string | null): number | null {
  return text !== null && /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : null;
}
