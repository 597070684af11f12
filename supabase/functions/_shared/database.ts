import { isCode, Refused } from './refused.ts';

type Answer<Data> = {
  data: Data;
  error: { code?: string; message: string; hint?: string | null; details?: string | null } | null;
};

/**
 * The data of a call that has to succeed. What our own functions refuse (SQLSTATE PTnnn: the message is the code, the
 * hint the sentence, the details a JSON object) is thrown as it was said, everything else as a fault.
 */
export async function dataOf<Data>(call: PromiseLike<Answer<Data>>): Promise<Data> {
  const { data, error } = await call;
  if (!error) return data;
  if (error.code?.startsWith('PT') && isCode(error.message)) {
    throw new Refused(error.message, error.hint ?? error.message, { field: fieldIn(error.details) });
  }
  throw new Error(`${error.code} ${error.message}`);
}

function fieldIn(details: string | null | undefined): string | undefined {
  try {
    const { field } = JSON.parse(details ?? '{}') as { field?: unknown };
    return typeof field === 'string' ? field : undefined;
  } catch {
    return undefined;
  }
}
