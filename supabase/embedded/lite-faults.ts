import { internalFault, restRefusal } from './answers.ts';
import { databaseRefusal } from './database-refusal.ts';
import { isDatabaseError } from './engine/errors.ts';

/** What lite's parsers say of a query that is none; it names nothing but what was asked. */
const UNREADABLE =
  /^(?:Expected |Invalid filter|Unexpected |Unknown operator|Unsupported operator|"failed to parse|Operator "|Cannot )/;

/** As much of a query as is said again. */
const SAID_AGAIN = 200;

/** Thrown to lite's own server, which answers with what an error brings along. */
class Answered extends Error {
  override name = 'Answered';
  readonly getResponse: () => Response;
  constructor(response: Response) {
    super('Answered.');
    this.getResponse = () => response;
  }
}

/**
 * Stands where lite asks what an error means that it does not know. It would print the error with its stack, which a
 * visitor makes as many of as they like, and answer with its words, whatever those tell.
 * @throws always: what is to be answered
 */
export function answerFault(error: unknown): never {
  throw new Answered(answerTo(error));
}

function answerTo(error: unknown): Response {
  if (isDatabaseError(error)) return databaseRefusal(error, 'anon');
  if (!(error instanceof Error)) return internalFault(error);
  const message = error.message.slice(0, SAID_AGAIN);
  if ('relation' in error) return restRefusal(404, 'PGRST205', message);
  if (error instanceof URIError || UNREADABLE.test(error.message))
    return restRefusal(400, 'PGRST100', message);
  if (error instanceof RangeError && error.message.startsWith('Maximum call stack')) {
    return restRefusal(400, 'PGRST100', 'The query nests too deep.');
  }
  // The driver writes an array as it comes: of what is none it finds that out on the wire.
  if ('code' in error && error.code === 'ERR_INVALID_ARG_TYPE') {
    return restRefusal(400, '22P02', 'invalid input syntax for an array');
  }
  return internalFault(error);
}
