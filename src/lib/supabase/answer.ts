import { type DataError, Refused, refusalFrom } from '../http/errors.ts';

type Answer<T> = { data: T; error: null } | { data: null; error: DataError; status: number };

/**
 * The data of a call that has to succeed.
 * @throws Refused with the code of the catalogue: `unavailable` when the backend did not answer
 */
export async function dataOf<T>(call: PromiseLike<Answer<T>>): Promise<T> {
  const answer = await call;
  if (answer.error) throw new Refused(refusalFrom(answer.error, answer.status));
  return answer.data;
}
