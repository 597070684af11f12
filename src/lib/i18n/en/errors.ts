import type { ErrorCode } from '../../domain/errors.ts';

/** One sentence for each error code, for refusals without their own: what happened and what to do. */
export const errors: Record<ErrorCode, string> = {
  invalid: 'Something here is not valid. Change it, then send it again.',
  signed_out: 'You are signed out. Sign in, then send it again. Your text is kept.',
  forbidden: 'Your role does not allow this. Ask an editor. Your text is kept.',
  not_found: 'This does not exist, or you may not see it.',
  gone: 'This was withdrawn or has expired.',
  conflict: 'Not saved. Another person changed this first. Compare the two, then save again.',
  bad_state: 'This is not possible in its current state. Reload the page to see it.',
  too_large: 'This is too large. Make it shorter, then send it again.',
  unsupported_media: 'This kind of file cannot be used. Send a JPEG, PNG, WebP or AVIF photo.',
  rate_limited: 'Too many attempts. Wait a moment, then try again.',
  unavailable: 'The newsroom cannot be reached. Your text is kept. Try again in a moment.',
  internal: 'Something went wrong on our side. Your text is kept. Try again in a moment.',
};

/** The page for a client network that has sent too many requests. */
export const tooManyRequests = {
  title: 'Too many requests',
  say: (seconds: number) =>
    `Your network has sent too many requests in a short time. Wait ${seconds === 1 ? 'a second' : `${seconds} seconds`}, then load the page again.`,
};

/** Addition to internal errors. */
export const quoting = {
  withId: (sentence: string, id: string) => `${sentence} If it happens again, quote ${id}.`,
};
