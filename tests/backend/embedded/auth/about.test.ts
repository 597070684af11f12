import { expect, test } from 'vitest';
import { anonClient, startBackend } from '../../../support/backend.ts';
import { PROBE_SCHEMA } from '../probe.ts';

// What the settings promise is what a sign-up then does.
test.each([
  ['no mail', {}, true],
  ['mails', { EMBEDDED_SUPABASE_MAILBOX: 'on' }, false],
])(
  'a backend that sends %s says whether addresses are asked',
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
