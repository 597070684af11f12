/** Error codes and their HTTP statuses, as in src/lib/domain/errors.ts. */
const STATUS = {
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

export type Code = keyof typeof STATUS;

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
 * The website has the sentence for each reason (src/lib/domain/error-reasons.ts).
 */
export class Refused extends Error {
  override name = 'Refused';
  readonly code: Code;
  readonly reason: string | null;
  readonly options: Options;
  constructor(code: Code, reason: string | null = null, options: Options = {}) {
    super(reason ?? code);
    this.code = code;
    this.reason = reason;
    this.options = options;
  }
}

export const isCode = (value: unknown): value is Code =>
  typeof value === 'string' && Object.hasOwn(STATUS, value);

/** The response for a rejected call: `{ code, message, reason?, field? }` and the details. `message` is the code. */
export function refusalAnswer({ code, reason, options }: Refused): Response {
  const { field, retryAfter, details } = options;
  const wait: Record<string, string> = retryAfter ? { 'retry-after': String(Math.ceil(retryAfter)) } : {};
  return Response.json(
    { ...details, code, message: code, reason: reason ?? undefined, field },
    { status: STATUS[code], headers: wait },
  );
}
