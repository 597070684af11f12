import { type ErrorCode, HTTP_STATUS } from '../domain/errors.ts';
import type { ErrorMessages } from './en/database-errors.ts';
import { documentLanguage, type Language } from './language.ts';
import type { Messages } from './messages.ts';

/** The sentence of a refusal in the language of the messages. */
export type RefusalMessage = (messages: Messages) => string;

/** Why something was not done. `sentenceOf` says it, and what to do. */
export type Refusal = {
  code: ErrorCode;
  status: number;
  /** The sentence, where the cause has its own. Default: that of the reason or code. */
  message?: RefusalMessage;
  /** Cause of the error, if the code has several. See `ErrorReasons`. */
  reason?: string;
  /** Parameters of the sentence for the reason, as the database sent them. */
  details?: Record<string, unknown>;
  /** Id of the logged error (`internal`). */
  errorId?: string;
  /** The invalid field (`invalid`). */
  field?: string;
  /** The current version (`conflict`). */
  version?: number;
  /** The person who works on it (`bad_state`). */
  by?: string;
  /** Seconds after which a retry may succeed (`rate_limited`). */
  retryAfter?: number;
};

type RefusalOptions = Partial<Omit<Refusal, 'code' | 'status'>>;

/** Throws a refusal to the code that renders the response. */
export class Refused extends Error {
  override name = 'Refused';
  readonly refusal: Refusal;
  /** @param reason a refusal, or the code of a new one with these options */
  constructor(reason: Refusal | ErrorCode, options?: RefusalOptions) {
    const thrown = typeof reason === 'string' ? refusal(reason, options) : reason;
    super(thrown.code);
    this.refusal = thrown;
  }
}

/** Returns a thrown refusal. Throws any other error again. */
export function refusalOrThrow(error: unknown): Refusal {
  if (error instanceof Refused) return error.refusal;
  throw error;
}

/** Creates a refusal. */
export function refusal(code: ErrorCode, options: RefusalOptions = {}): Refusal {
  return { code, status: HTTP_STATUS[code], ...options };
}

/** Messages that every refusal needs. A refusal with its own sentence needs those of the feature that refused. */
type RefusalMessages = Pick<Messages, 'language' | 'errors' | 'quoting'>;

/** Returns the sentence of a refusal: why something was not done, and what to do. */
export function sentenceOf(
  { code, message, reason, details, errorId }: Refusal,
  messages: RefusalMessages,
): string {
  // Islands load the messages of the features that they use.
  const sentence =
    message?.(messages as Messages) ??
    reasonSentence(reason, details ?? {}, messages.language) ??
    messages.errors[code];
  return errorId === undefined ? sentence : messages.quoting.withId(sentence, errorId);
}

/** Error of a data call in supabase-js. */
export type DataError = { code?: string; message?: string; details?: string | null };

/**
 * Converts the error of a data call to a refusal. Database functions raise SQLSTATE PTnnn: the message is the error
 * code, the details are a JSON object with the reason and its parameters. Other errors are recognised by their code
 * or status.
 * @param status HTTP status of the response; 0 if there was none
 */
export async function refusalFrom(error: DataError, status = 0): Promise<Refusal> {
  if (isErrorCode(error.message) && error.code?.startsWith('PT')) {
    return refusalWithDetails(error.message, parseDetails(error.details));
  }
  const code = codeOf(error.code ?? '', status);
  return code === 'internal' ? internal(error) : refusal(code);
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(HTTP_STATUS, value);
}

/** Codes of PostgREST: PGRST3xx concern the token, 42501 is a missing permission of the database role. */
function codeOf(code: string, status: number): ErrorCode {
  // A call without a response has no status. Its code, if any, comes from the browser or Node.
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

/** Creates a refusal with the reason in its details. In a browser it loads the sentences for reasons. */
export async function refusalWithDetails(
  code: ErrorCode,
  details: Record<string, unknown>,
): Promise<Refusal> {
  if (code === 'internal') return internal(details);
  const { reason, field, version, by } = details;
  await loadErrorMessages();
  return refusal(code, {
    ...(typeof reason === 'string' ? { reason, details } : {}),
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
  return refusal('internal', typeof error.id === 'string' ? { errorId: error.id } : {});
}

const ERROR_MESSAGES: Record<Language, () => Promise<{ errorMessages: ErrorMessages }>> = {
  en: () => import('./en/database-errors.ts'),
  es: () => import('./es/database-errors.ts'),
};
const loadedErrorMessages: Partial<Record<Language, ErrorMessages>> = {};

/** Adds the sentences for reasons of errors. Servers and commands have those of all languages. */
export function addErrorMessages(language: Language, messages: ErrorMessages): void {
  loadedErrorMessages[language] = messages;
}

/**
 * In a browser, loads the sentences for reasons of errors in the language of the page. Readers' scripts load them with
 * the first error. If they cannot be loaded, the sentence of the error code is shown.
 */
export async function loadErrorMessages(): Promise<void> {
  if (typeof document === 'undefined') return;
  const language = documentLanguage();
  try {
    loadedErrorMessages[language] ??= (await ERROR_MESSAGES[language]()).errorMessages;
  } catch {
    // Offline, or the page is of an earlier build.
  }
}

/**
 * The sentence for a reason.
 * @param details parameters of the sentence, as the database sent them
 * @returns undefined for an unknown reason, or before `loadErrorMessages()`
 */
function reasonSentence(reason: unknown, details: object, language: Language): string | undefined {
  const messages = loadedErrorMessages[language];
  if (!messages || typeof reason !== 'string' || !Object.hasOwn(messages, reason)) return undefined;
  const message = messages[reason as keyof ErrorMessages] as string | ((parameters: object) => string);
  return typeof message === 'string' ? message : message(details);
}
