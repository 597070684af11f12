import { AuthApiError, AuthRetryableFetchError, createClient } from '@supabase/supabase-js';
import { expect, test } from 'vitest';
import { authRefusal, isReportedAsSent } from '../../../src/lib/data/accounts.server.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { sentenceOf } from '../../../src/lib/i18n/refusals.ts';

const backend = createClient('http://127.0.0.1:9', 'key');
const error = (status: number, code: string, message = '') => new AuthApiError(message, status, code);

/** Messages of GoTrue: one contains the seconds to wait, the other does not. */
const TOO_SOON = error(
  429,
  'over_email_send_rate_limit',
  'For security purposes, you can only request this after 41 seconds.',
);
const LIMIT_REACHED = error(429, 'over_email_send_rate_limit', 'email rate limit exceeded');

test.each([
  ['success', null, true],
  ['no such account', error(422, 'otp_disabled', 'Signups not allowed for otp'), true],
  ['one was sent a moment ago', TOO_SOON, true],
  ['no more are sent for now', LIMIT_REACHED, false],
  ['disabled mails', error(422, 'email_provider_disabled'), false],
  ['too many requests', error(429, 'over_request_rate_limit'), false],
  ['an internal error', error(500, 'unexpected_failure'), false],
])('reports a mail as sent or not: %s', (_what, reason, onItsWay) => {
  expect(isReportedAsSent(reason, backend)).toBe(onItsWay);
});

test.each([
  [error(400, 'invalid_credentials'), 'invalid', undefined],
  [error(400, 'email_not_confirmed'), 'invalid', undefined],
  [error(422, 'same_password'), 'invalid', 'password'],
  [error(403, 'otp_expired'), 'invalid', 'code'],
  [error(422, 'email_exists'), 'invalid', 'email'],
  [error(422, 'email_provider_disabled'), 'bad_state', undefined],
  [error(403, 'user_banned'), 'forbidden', undefined],
  [error(403, 'session_not_found'), 'signed_out', undefined],
  [error(429, 'over_request_rate_limit'), 'rate_limited', undefined],
  [error(500, 'unexpected_failure', 'select secret from inside'), 'internal', undefined],
  [new AuthRetryableFetchError('fetch failed', 0), 'unavailable', undefined],
])('translates %s to an error code', (reason, code, field) => {
  const refusal = authRefusal(reason, backend);
  expect([refusal.code, refusal.field]).toEqual([code, field]);
  expect(sentenceOf(refusal, english)).not.toContain('inside');
});

test('shows the wait that the backend names', () => {
  const refusal = authRefusal(TOO_SOON, backend);
  expect(refusal.retryAfter).toBe(41);
  expect(sentenceOf(refusal, english)).toBe(english.accounts.problems.tooManyMails(41));
  expect(authRefusal(LIMIT_REACHED, backend).retryAfter).toBe(3600);
});
