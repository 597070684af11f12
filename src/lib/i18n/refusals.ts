import { type ErrorCode, HTTP_STATUS } from '../domain/errors.ts';
import { errorSentence, loadErrorMessages } from './database-errors.ts';
import { errors, withId } from './errors.ts';

/** Why something was not done, in one sentence that says what to do next. */
export type Refusal = {
  code: ErrorCode;
  status: number;
  sentence: string;
  /** Cause of the error, where the code has several. See `ErrorReasons`. */
  reason?: string;
  /** The field that breaks a rule (`invalid`). */
  field?: string;
  /** The version that is there now (`conflict`). */
  version?: number;
  /** Who has it (`bad_state` of what one person at a time works on). */
  by?: string;
  /** Seconds until it is worth trying again (`rate_limited`). */
  retryAfter?: number;
};

/** A refusal on its way to whoever renders the answer. */
export class Refused extends Error {
  override name = 'Refused';
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.code);
    this.refusal = refusal;
  }
}

/** The refusal that was thrown; what is none is thrown on. */
export function refusalOrThrow(error: unknown): Refusal {
  if (error instanceof Refused) return error.refusal;
  throw error;
}

/** A refusal by its code; its sentence is the catalogue's unless a better one is at hand. */
export function refusal(code: ErrorCode, more: Partial<Omit<Refusal, 'code' | 'status'>> = {}): Refusal {
  return { code, status: HTTP_STATUS[code], sentence: errors[code], ...more };
}

/** What supabase-js reports of a data call that failed. */
export type DataError = { code?: string; message?: string; details?: string | null };

/**
 * The refusal behind a failed data call. Database functions raise SQLSTATE PTnnn: the message is the error code, the
 * details are a JSON object with the reason and its parameters. Other errors are recognised by their code or status.
 * @param status HTTP status of the answer; 0 when there was none
 */
export async function refusalFrom(error: DataError, status = 0): Promise<Refusal> {
  if (isCode(error.message) && error.code?.startsWith('PT')) {
    return refusalWithDetails(error.message, parseDetails(error.details));
  }
  const code = codeOf(error.code ?? '', status);
  return code === 'internal' ? internal(error) : refusal(code);
}

export function isCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(HTTP_STATUS, value);
}

/** PostgREST's codes: PGRST3xx is about the token, 42501 a right that the caller's role lacks. */
function codeOf(code: string, status: number): ErrorCode {
  // A call that never got an answer has no status; its code, if any, is the browser's or Node's own.
  if (status === 0 && !code.startsWith('PGRST')) return 'unavailable';
  if (code.startsWith('PGRST3') || status === 401) return 'signed_out';
  if (code === '42501' || status === 403) return 'forbidden';
  if (code === 'PGRST116' || status === 404) return 'not_found';
  if (status === 413 || status === 414) return 'too_large';
  if (status === 429) return 'rate_limited';
  if ([502, 503, 504].includes(status)) return 'unavailable';
  if (/^(22|23)/.test(code) || status === 400) return 'invalid';
  return 'internal';
}

/** A refusal with the sentence of its reason, if the details have one. */
export async function refusalWithDetails(
  code: ErrorCode,
  details: Record<string, unknown>,
): Promise<Refusal> {
  if (code === 'internal') return internal(details);
  const { reason, field, version, by } = details;
  await loadErrorMessages();
  const sentence = errorSentence(reason, details);
  return refusal(code, {
    ...(sentence === undefined ? {} : { sentence }),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof field === 'string' ? { field } : {}),
    ...(typeof version === 'number' ? { version } : {}),
    ...(typeof by === 'string' ? { by } : {}),
  });
}

function parseDetails(value: string | null | undefined): Record<string, unknown> {
  try {
    const details: unknown = JSON.parse(value ?? '{}');
    return typeof details === 'object' && details !== null ? { ...details } : {};
  } catch {
    return {};
  }
}

function internal(error: DataError & { id?: unknown }): Refusal {
  const id = typeof error.id === 'string' ? error.id : undefined;
  return refusal('internal', id ? { sentence: withId(errors.internal, id) } : {});
}
