import { expect, test } from 'vitest';
import { anonClient, startBackend } from '../../../support/backend.ts';
import { PROBE_SCHEMA } from '../probe.ts';

// The settings must describe what a sign-up does.
test.each([
  ['no mail', {}, true],
  ['mails', { EMBEDDED_SUPABASE_MAILBOX: 'on' }, false],
])(
  'reports in its settings whether sign-ups need confirmation, with %s',
  async (_what, environment, confirmedUnasked) => {
    const backend = await startBackend({ migrations: PROBE_SCHEMA, environment });
    const answer = await fetch(`${backend.url}/auth/v1/settings`, {
      headers: { apikey: backend.publishableKey },
    });
    expect(await answer.json()).toMatchObject({
      disable_signup: false,
      mailer_autoconfirm: confirmedUnasked,
      external: { email: true, phone: false, anonymous_users: false },
    });
    const { data } = await anonClient(backend).auth.signUp({
      email: 'ada@example.com',
      password: 'correct horse battery',
    });
    expect(data.session !== null).toBe(confirmedUnasked);
    await backend.stop();
  },
);
