import { expect, test } from 'vitest';
import { readBackupSettings } from '../../../packages/embedded-supabase/src/backup/backup-settings.ts';
import { readConfig } from '../../../packages/embedded-supabase/src/config.ts';
import { BETWEEN_MAILS_S } from '../../../src/lib/domain/mail-links.ts';
import { KEEPING } from '../../../src/lib/domain/retention.ts';

test('what people are told is what the newsroom is set to', async () => {
  const { sessions, email } = (await readConfig()).auth;
  expect(KEEPING.sessionDays * 24 * 3600).toBe(sessions.inactivityTimeout);
  expect(KEEPING.linkMinutes * 60).toBe(email.otpExpiry);
  expect(BETWEEN_MAILS_S).toBe(email.maxFrequency);
  expect(KEEPING.backups).toBe(readBackupSettings('.').keep);
});
