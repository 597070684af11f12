/** Error codes and their HTTP statuses, as in src/lib/domain/errors.ts. */
const HTTP_STATUS = {
  invalid: 422,
  signed_out: 401,
  forbidden: 403,
  not_found: 404,
  gone: 410,
  conflict: 409,
  bad_state: 409,
  too_large: 413,
  unsupported_media: 415,
  rate_limited: 429,
  unavailable: 503,
  internal: 500,
} as const;

type ErrorCode = keyof typeof HTTP_STATUS;

type Options = {
  /** The invalid field. */
  field?: string;
  /** Seconds until the caller may try again. */
  retryAfter?: number;
  /** Parameters of the sentence for the reason, or the id of a logged error. */
  details?: Record<string, unknown>;
};

/**
 * A rejected call: an error code, and the reason where the code has several.
 * The website has the sentence for each reason (src/lib/i18n/en/database-errors.ts).
 */
export class Refused extends Error {
  override name = 'Refused';
  readonly code: ErrorCode;
  readonly reason: string | null;
  readonly options: Options;
  constructor(code: ErrorCode, reason: string | null = null, options: Options = {}) {
    super(reason ?? code);
    this.code = code;
    this.reason = reason;
    this.options = options;
  }
}

/** Creates the refusal of a malformed request. @param field the invalid field */
export const notUnderstood = (field?: string) => new Refused('invalid', 'call_not_understood', { field });

const isErrorCode = (value: unknown): value is ErrorCode =>
  typeof value === 'string' && Object.hasOwn(HTTP_STATUS, value);

/**
 * Returns the response for a rejected call: `{ code, message, reason?, field? }` and the details. `message` is the
 * code.
 */
function refusalResponse({ code, reason, options }: Refused): Response {
  const { field, retryAfter, details } = options;
  const wait: Record<string, string> = retryAfter ? { 'retry-after': String(Math.ceil(retryAfter)) } : {};
  return Response.json(
    { ...details, code, message: code, reason: reason ?? undefined, field },
    { status: HTTP_STATUS[code], headers: wait },
  );
}

type Handler<Context> = (request: Request, context: Context) => Promise<Response>;

/**
 * Wraps a handler: a refusal becomes its response, any other error is logged and answered as `internal` with the id
 * of the log entry.
 */
export function explainErrors<Context>(handler: Handler<Context>): Handler<Context> {
  return async (request, context) => {
    try {
      return await handler(request, context);
    } catch (error) {
      if (error instanceof Refused) return refusalResponse(error);
      // Uses the request id of the website, if there is one, so that both logs show the same id.
      const header = request.headers.get('x-request-id') ?? '';
      const id = /^[\w-]{8,40}$/.test(header) ? header : crypto.randomUUID().slice(0, 8);
      console.error(`fault ${id}:`, error);
      return refusalResponse(new Refused('internal', null, { details: { id } }));
    }
  };
}

/** Wraps @supabase/server: replaces its own 401 responses by the error code `signed_out`. */
export function withErrorCodes(serve: (request: Request) => Promise<Response>) {
  return async (request: Request): Promise<Response> => {
    const response = await serve(request);
    if (response.status !== 401 || !response.headers.has('x-supabase-server-error')) return response;
    await response.body?.cancel();
    const replacement = refusalResponse(new Refused('signed_out'));
    for (const [name, value] of response.headers) {
      if (!/^content-/.test(name)) replacement.headers.set(name, value);
    }
    return replacement;
  };
}

/**
 * Reads a JSON object from a request.
 * @param maxBytes maximum number of bytes
 * @throws Refused `invalid`, `too_large`
 */
export async function readJsonObject(request: Request, maxBytes: number): Promise<Record<string, unknown>> {
  if (request.method !== 'POST') throw notUnderstood();
  const text = await readText(request, maxBytes);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Rejected below, like JSON that is not an object.
  }
  throw notUnderstood();
}

/** Returns a field of a request that is a text. @throws Refused `invalid` */
export function textField(sent: Record<string, unknown>, field: string): string {
  const value = sent[field];
  if (typeof value !== 'string') throw notUnderstood(field);
  return value;
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  try {
    for await (const part of request.body ?? []) {
      length += part.length;
      // Leaving the loop cancels the body.
      if (length > maxBytes) throw new Refused('too_large');
      parts.push(part);
    }
  } catch (error) {
    // Reading fails when the client has closed the connection.
    throw error instanceof Refused ? error : notUnderstood();
  }
  return new Blob(parts).text();
}

type DatabaseResponse<Data> = {
  data: Data;
  error: { code?: string; message: string; details?: string | null } | null;
};

/**
 * Returns the data of a database call. Errors of our database functions have an SQLSTATE of PTnnn. Their message is the
 * error code, and their details are a JSON object.
 * @throws Refused with code, reason and details for an error of our database functions; Error for any other error
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
