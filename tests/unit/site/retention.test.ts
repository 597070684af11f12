import { expect, test } from 'vitest';
import { readConfig } from '../../../packages/embedded-supabase/src/config.ts';
import { readBackupSettings } from '../../../packages/embedded-supabase/src/settings.ts';
import { RETENTION } from '../../../src/lib/domain/retention.ts';
import { MAIL_INTERVAL_S } from '../../../src/lib/domain/sign-in.ts';

test('shown retention times equal the configured ones', async () => {
  const { sessions, email } = (await readConfig()).auth;
  expect(RETENTION.sessionDays * 24 * 3600).toBe(sessions.inactivityTimeout);
  expect(RETENTION.linkMinutes * 60).toBe(email.otpExpiry);
  expect(MAIL_INTERVAL_S).toBe(email.maxFrequency);
  expect(RETENTION.backups).toBe(readBackupSettings('.').keep);
});
