import { resolve } from 'node:path';
import { openAfterwards } from '../../../../supabase/embedded/auth/afterwards.ts';
import type { AuthHouse, Call } from '../../../../supabase/embedded/auth/auth-house.ts';
import type { AuthBody } from '../../../../supabase/embedded/auth/body.ts';
import { openAuthLimits } from '../../../../supabase/embedded/auth/limits.ts';
import { readConfig } from '../../../../supabase/embedded/config.ts';
import { openEngine } from '../../../../supabase/embedded/engine/open.ts';
import { readKeys } from '../../../../supabase/embedded/keys.ts';
import { openLite } from '../../../../supabase/embedded/lite.ts';
import { noMailer } from '../../../../supabase/embedded/mail/mailer.ts';
import { readSettings } from '../../../../supabase/embedded/settings.ts';
import { openTokens } from '../../../../supabase/embedded/tokens.ts';
import { newDataFolder, removeData } from '../../../support/data-template.ts';
import { whereIs } from '../../../support/engine.ts';
import { PROBE_SCHEMA } from '../probe.ts';

/** A call from this machine. @param said what its body says */
export const callOf = (said: Partial<AuthBody>): Call => ({
  body: {
    email: '',
    password: undefined,
    currentPassword: '',
    type: '',
    token: '',
    tokenHash: '',
    refreshToken: '',
    data: undefined,
    createUser: true,
    ...said,
  },
  device: { userAgent: undefined, address: undefined },
  redirectTo: undefined,
});

/** The inside of a backend without its door, for what a client cannot bring about: the passing of a month. */
export async function openHouse(): Promise<AuthHouse & { close(): Promise<void> }> {
  const data = await newDataFolder(PROBE_SCHEMA);
  const settings = readSettings({ ...whereIs(data), STOPPRESS_MIGRATIONS: resolve(PROBE_SCHEMA) });
  const [keys, config] = [await readKeys(settings), await readConfig()];
  const engine = await openEngine(settings, () => {});
  const siteUrl = 'https://news.example';
  const lite = await openLite(engine, config);
  return {
    lite,
    keys,
    config,
    siteUrl,
    tokens: await openTokens(keys.signing),
    mailer: noMailer,
    afterwards: openAfterwards(),
    limits: openAuthLimits(config),
    async close() {
      await engine.close();
      await removeData(data);
    },
  };
}
