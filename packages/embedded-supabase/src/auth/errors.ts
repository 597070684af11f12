import { withRetryAfter } from '../gateway/responses.ts';

/** Refusal of a call to `/auth/v1`. Code and status are GoTrue's. The client shows the message unchanged. */
export class AuthError extends Error {
  override name = 'AuthError';
  readonly status: number;
  readonly code: string;
  /** Fields of the response besides the message. */
  readonly details: { retryAfter?: number; weakness?: ('length' | 'characters')[] };

  constructor(status: number, code: string, message: string, details: AuthError['details'] = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/**
 * Returns the refusal in the format that auth-js reads. For the code of a weak password, auth-js throws an error class
 * of its own.
 */
export function authErrorResponse({ status, code, message, details }: AuthError): Response {
  const weakPassword = details.weakness && { weak_password: { reasons: details.weakness } };
  const response = Response.json(
    { code: status, error_code: code, msg: message, ...weakPassword },
    { status, headers: { 'x-sb-error-code': code } },
  );
  return details.retryAfter === undefined ? response : withRetryAfter(response, details.retryAfter);
}

/** A value of the request is missing or invalid. */
export const validationFailed = (message: string) => new AuthError(400, 'validation_failed', message);

/** Returns the same error for a token or code that is wrong, expired, used or unknown. */
export const otpExpired = () =>
  new AuthError(403, 'otp_expired', 'Email link is invalid or has expired, or the code is wrong.');

export const emailExists = () =>
  new AuthError(422, 'email_exists', 'A user with this email address has already been registered');

/** @param message sentence of GoTrue for the refused call */
export const phoneDisabled = (message: string, status = 400) =>
  new AuthError(status, 'phone_provider_disabled', message);

export const emailDisabled = () =>
  new AuthError(422, 'email_provider_disabled', 'This newsroom has no way to send e-mail.');

/** @param seconds until the next call is accepted */
export const overRequestRateLimit = (seconds: number) =>
  new AuthError(429, 'over_request_rate_limit', 'Request rate limit reached', { retryAfter: seconds });

/** @param seconds until another mail will be sent */
export const overEmailSendRateLimit = (seconds: number) =>
  new AuthError(
    429,
    'over_email_send_rate_limit',
    `For security purposes, you can only request this after ${Math.ceil(seconds)} seconds.`,
    { retryAfter: seconds },
  );
