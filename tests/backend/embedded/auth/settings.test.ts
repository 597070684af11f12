import { expect } from 'vitest';
import { anonClient } from '../../../support/backend.ts';
import { PROBE_SCHEMA } from '../probe.ts';
import { newAddress, PASSWORD, SITE_URL, test } from './mailing.ts';

// The settings must describe what a sign-up does.
test.for([
  { what: 'no mail', environment: undefined, isConfirmed: true },
  { what: 'mails', environment: { SITE_URL, EMBEDDED_SUPABASE_MAILBOX: 'on' }, isConfirmed: false },
])(
  'reports in its settings whether sign-ups need confirmation, with $what',
  async ({ environment, isConfirmed }, { sharedBackends }) => {
    const backend = await sharedBackends.backends.get({ migrations: PROBE_SCHEMA, environment });
    const answer = await fetch(`${backend.url}/auth/v1/settings`, {
      headers: { apikey: backend.publishableKey },
    });
    expect(await answer.json()).toMatchObject({
      disable_signup: false,
      mailer_autoconfirm: isConfirmed,
      external: { email: true, phone: false, anonymous_users: false },
    });
    const { data } = await anonClient(backend).auth.signUp({ email: newAddress(), password: PASSWORD });
    expect(data.session !== null).toBe(isConfirmed);
  },
);
