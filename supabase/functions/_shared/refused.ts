/** The catalogue of refusals and the HTTP status of each, as the whole product says them. */
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

type More = {
  /** The field that breaks a rule. */
  field?: string;
  /** Seconds until it is worth trying again. */
  retryAfter?: number;
};

/** Why something was not done: a code, and one sentence that says what to do next. */
export class Refused extends Error {
  override name = 'Refused';
  readonly code: Code;
  readonly more: More;
  constructor(code: Code, sentence: string, more: More = {}) {
    super(sentence);
    this.code = code;
    this.more = more;
  }
}

export const isCode = (value: unknown): value is Code =>
  typeof value === 'string' && Object.hasOwn(STATUS, value);

/** A refusal as the functions answer it: `{ code, message, field? }`. */
export function refusalAnswer({ code, message, more: { field, retryAfter } }: Refused): Response {
  const wait: Record<string, string> = retryAfter ? { 'retry-after': String(Math.ceil(retryAfter)) } : {};
  return Response.json({ code, message, field }, { status: STATUS[code], headers: wait });
}
