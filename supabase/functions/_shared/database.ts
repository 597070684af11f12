import { isErrorCode, Refused } from './refusals.ts';

type DatabaseResponse<Data> = {
  data: Data;
  error: { code?: string; message: string; details?: string | null } | null;
};

/**
 * Returns the data of a database call. An error of our database functions (SQLSTATE PTnnn: the message is the code,
 * the details are a JSON object) is thrown with its code, reason and details, any other error as a fault.
 */
export async function dataOf<Data>(call: PromiseLike<DatabaseResponse<Data>>): Promise<Data> {
  const { data, error } = await call;
  if (!error) return data;
  if (error.code?.startsWith('PT') && isErrorCode(error.message)) {
    const { reason, field, ...details } = parseDetails(error.details);
    throw new Refused(error.message, typeof reason === 'string' ? reason : null, {
      field: typeof field === 'string' ? field : undefined,
      details,
    });
  }
  throw new Error(`${error.code} ${error.message}`);
}

function parseDetails(text: string | null | undefined): Record<string, unknown> {
  try {
    return { ...(JSON.parse(text ?? '{}') as object) };
  } catch {
    return {};
  }
}
