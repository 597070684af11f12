import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Keys } from '../keys.ts';
import type { Tokens } from '../tokens.ts';

/** Names that are Supabase's or Deno's to give. */
const RESERVED = /^(SUPABASE_|SB_|DENO_|NODE_|LD_|DYLD_)/i;

/** Environment of all functions, as on a hosted project. Functions are trusted code of the server. */
export function supabaseEnvironment(
  url: string,
  siteUrl: string,
  keys: Keys,
  tokens: Tokens,
): Record<string, string> {
  return {
    SUPABASE_URL: url,
    SUPABASE_PUBLIC_URL: siteUrl,
    // No name of Supabase's: a hosted project is given it as a secret.
    SITE_URL: siteUrl,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: keys.publishable }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: keys.secret }),
    SUPABASE_ANON_KEY: keys.publishable,
    SUPABASE_SERVICE_ROLE_KEY: keys.secret,
    SUPABASE_JWKS: JSON.stringify(tokens.jwks),
    SB_REGION: 'local',
  };
}

/**
 * The owner's own variables: the file `.env` among the functions, as the CLI reads it. Names that Supabase keeps for
 * itself are left out, as it leaves them out.
 */
export function ownersEnvironment(folder: string): Record<string, string> {
  const file = join(folder, '.env');
  if (!existsSync(file)) return {};
  const given = Object.entries(parseEnv(readFileSync(file, 'utf8')));
  return Object.fromEntries(
    given.flatMap(([name, value]) => (RESERVED.test(name) || value === undefined ? [] : [[name, value]])),
  );
}

/** The rest of one process's environment. Nothing of the backend's own is in it. */
export function processEnvironment(name: string, denoFolder: string): Record<string, string> {
  return {
    SUPABASE_FUNCTION_SLUG: name,
    SB_EXECUTION_ID: randomUUID(),
    DENO_DIR: denoFolder,
    DENO_NO_UPDATE_CHECK: '1',
    DENO_NO_PROMPT: '1',
    NO_COLOR: '1',
  };
}
