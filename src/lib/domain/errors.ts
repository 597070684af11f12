/** Error codes of refusals and the HTTP status of each. */
export const HTTP_STATUS = {
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

export type ErrorCode = keyof typeof HTTP_STATUS;
