import { type DataError, Refused, refusalFrom } from '../http/errors.ts';

type Answer = { data: unknown; error: DataError | null; status: number };
type Success<A extends Answer> = Extract<A, { error: null }>;

/**
 * The data of a call that has to succeed.
 * @throws Refused with the code of the catalogue: `unavailable` when the backend did not answer
 */
export async function dataOf<A extends Answer>(call: PromiseLike<A>): Promise<Success<A>['data']> {
  const answer = await call;
  if (answer.error) throw new Refused(refusalFrom(answer.error, answer.status));
  return (answer as Success<A>).data;
}
