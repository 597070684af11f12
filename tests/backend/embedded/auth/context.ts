import { resolve } from 'node:path';
import {
  type AuthCall,
  type AuthContext,
  openAuthLimits,
  openBackgroundJobs,
} from '../../../../packages/embedded-supabase/src/auth/context.ts';
import type { AuthBody } from '../../../../packages/embedded-supabase/src/auth/input.ts';
import { readConfig } from '../../../../packages/embedded-supabase/src/config.ts';
import { openEngine } from '../../../../packages/embedded-supabase/src/engine/open.ts';
import { readKeys } from '../../../../packages/embedded-supabase/src/keys.ts';
import { disabledMailer } from '../../../../packages/embedded-supabase/src/mail/mailer.ts';
import { openRestApi } from '../../../../packages/embedded-supabase/src/rest/lite.ts';
import { readSettings } from '../../../../packages/embedded-supabase/src/settings.ts';
import { openTokens } from '../../../../packages/embedded-supabase/src/tokens.ts';
import { dataEnvironment, newDataFolder, removeData } from '../../../support/data-folders.ts';
import { PROBE_SCHEMA } from '../probe.ts';

/** Returns a call from this machine. @param body fields of its body; the others are empty */
export const callOf = (body: Partial<AuthBody>): AuthCall => ({
  body: {
    email: '',
    phone: '',
    password: undefined,
    currentPassword: '',
    type: '',
    token: '',
    tokenHash: '',
    refreshToken: '',
    authCode: '',
    codeVerifier: '',
    data: undefined,
    appData: undefined,
    createUser: true,
    ...body,
  },
  client: { userAgent: undefined, address: undefined },
  redirectTo: undefined,
});

/**
 * Opens the auth service without the gateway, for conditions that a client cannot cause, such as the passing of a
 * month.
 */
export async function openAuthContext(): Promise<AuthContext & { close(): Promise<void> }> {
  const data = await newDataFolder(PROBE_SCHEMA);
  const settings = readSettings({
    ...dataEnvironment(data),
    EMBEDDED_SUPABASE_MIGRATIONS: resolve(PROBE_SCHEMA),
  });
  const [keys, config] = [await readKeys(settings), await readConfig()];
  const engine = await openEngine(settings, () => {});
  const siteUrl = 'https://news.example';
  const restApi = await openRestApi(engine, config);
  return {
    restApi,
    keys,
    config,
    siteUrl,
    tokens: await openTokens(keys.signing),
    mailer: disabledMailer,
    backgroundJobs: openBackgroundJobs(),
    limits: openAuthLimits(config),
    async close() {
      await engine.close();
      await removeData(data);
    },
  };
}
