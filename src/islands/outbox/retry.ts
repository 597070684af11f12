import type { ErrorCode } from '../../lib/domain/errors.ts';
import { type Refusal, Refused } from '../../lib/i18n/refusals.ts';

/** Error codes after which the result is unknown or the cause passes. Every other code is final. */
export const TEMPORARY_CODES: ErrorCode[] = ['unavailable', 'internal', 'signed_out', 'rate_limited'];

export const isTemporary = ({ code }: Refusal): boolean => TEMPORARY_CODES.includes(code);

/** Error of a call that was not sent. */
export class SendError extends Refused {}

/** An attempt after which the entry stays in the outbox. */
export type FailedAttempt = {
  /** Whether a part was sent. The delays then begin again. */
  hasProgressed: boolean;
  isSignedOut: boolean;
  /** Value of `Retry-After` in seconds. */
  retryAfter: number;
};

/** @param refusal why the attempt failed; null when there is no error */
export function failedAttempt(refusal: Refusal | null, hasProgressed = false): FailedAttempt {
  return {
    hasProgressed,
    isSignedOut: refusal?.code === 'signed_out',
    retryAfter: refusal?.retryAfter ?? 0,
  };
}

/** Delay before the first retry, and the longest delay. */
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;

/** Interval of retries while signed out, in milliseconds. Returning to the page retries at once. */
const SESSION_RETRY_MS = 60_000;

/** Upper limit for `Retry-After`, in milliseconds. Timers of more than 25 days would fire at once. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;

/**
 * Milliseconds to wait after a number of failed attempts.
 * @param jitter 0 to 1; spreads devices that lost the connection together
 */
export function retryDelay(attempts: number, jitter = Math.random(), firstMs = FIRST_RETRY_MS): number {
  return Math.min(LONGEST_RETRY_MS, firstMs * 2 ** Math.min(attempts - 1, 10)) * (0.5 + jitter / 2);
}

/** Milliseconds that the backend asked to wait. Nothing shortens them. */
export const requestedDelay = ({ retryAfter }: FailedAttempt): number =>
  Math.min(LONGEST_RETRY_AFTER_MS, retryAfter * 1000);

/** Milliseconds to wait after a failed attempt. */
export function delayAfter(failed: FailedAttempt, attempts: number, firstMs = FIRST_RETRY_MS): number {
  if (failed.isSignedOut) return SESSION_RETRY_MS;
  return Math.max(retryDelay(attempts, Math.random(), firstMs), requestedDelay(failed));
}
