import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, type TomlTable } from 'smol-toml';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../../packages/embedded-supabase/src/config.ts';
import { StartError } from '../../../packages/embedded-supabase/src/start-error.ts';

const OWN = 'supabase/config.toml';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoppress-config-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Reads the product's config.toml with one change. */
async function withChange(from: string | RegExp, to: string) {
  const own = await readFile(OWN, 'utf8');
  const changed = own.replace(from, to);
  expect(changed).not.toBe(own);
  const file = join(folder, 'config.toml');
  await writeFile(file, changed);
  return readConfig(file);
}

test('has the values of the product', async () => {
  expect(await readConfig()).toMatchObject({
    api: { maxRows: 1000, refusedSchemas: [] },
    auth: {
      jwtExpiry: 3600,
      minimumPasswordLength: 10,
      sessions: { inactivityTimeout: 30 * 24 * 3600 },
      email: {
        confirmationRequired: true,
        doubleConfirmChanges: true,
        maxFrequency: 60,
        otpLength: 8,
        otpExpiry: 3600,
      },
    },
  });
});

test('finds the schemas that are not offered', async () => {
  const { api } = await withChange('schemas = ["public"]', 'schemas = ["app", "public", "graphql_public"]');
  expect(api.refusedSchemas).toEqual(['app']);
});

test("parses durations in Go's format", async () => {
  const { auth } = await withChange('"720h"', '"1h30m5s"');
  expect(auth.sessions.inactivityTimeout).toBe(5405);
});

test('resolves templates from the parent folder, as the CLI does', async () => {
  const { auth } = await withChange('otp_length = 8', 'otp_length = 6');
  expect(auth.email.template.invite.contentPath).toBe(join(folder, '../supabase/templates/invite.html'));
});

test.each([
  ['jwt_expiry = 3600', 'jwt_expiry = "s3cret"', 'auth.jwt_expiry must be a whole number from 60 to 604800'],
  ['otp_length = 8', 'otp_length = 8.5', 'auth.email.otp_length must be a whole number from 6 to 10'],
  ['schemas = ["public"]', 'schemas = ["s3cret"]', 'api.schemas must be a list with "public"'],
  ['schemas = ["public"]', 'schemas = "s3cret"', 'api.schemas must be a list of texts'],
  ['otp_length = 8', 'otp_length = 4', 'auth.email.otp_length must be'],
  [
    'enable_confirmations = true',
    'enable_confirmations = "s3cret"',
    'auth.email.enable_confirmations must be true or false',
  ],
  ['"720h"', '"s3cret"', 'auth.sessions.inactivity_timeout must be a time such as'],
  ['"60s"', '60', 'auth.email.max_frequency must be a time such as'],
  [
    /subject = '.*Choose a new password.*'/,
    'subject = ""',
    'auth.email.template.recovery.subject must be one line of text',
  ],
  [
    /subject = '.*Choose a new password.*'/,
    'subject = "s3cret\\r\\nBcc: x"',
    'auth.email.template.recovery.subject must be',
  ],
])('names the key of an invalid value without showing it: %s becomes %s', async (from, to, sentence) => {
  const error = await withChange(from, to).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(StartError);
  expect((error as StartError).message).toContain(sentence);
  expect((error as StartError).message).not.toContain('s3cret');
});

test("uses the CLI's default for a missing key", async () => {
  const file = join(folder, 'config.toml');
  await writeFile(file, 'project_id = "x"\n');
  const { api, auth } = await readConfig(file);
  expect(api).toEqual({ maxRows: 1000, refusedSchemas: [] });
  expect(auth).toMatchObject({ jwtExpiry: 3600, signUpEnabled: true, minimumPasswordLength: 6 });
  expect(auth.email).toMatchObject({ confirmationRequired: false, maxFrequency: 1, otpLength: 6 });
  expect(auth.email.template.recovery).toEqual({ subject: 'Reset your password', contentPath: undefined });
});

test('names the line of a syntax error', async () => {
  const file = join(folder, 'config.toml');
  await writeFile(file, 'project_id = "x"\npass = s3cret\n');
  await expect(readConfig(file)).rejects.toThrow(`${file}: line 2 is not TOML.`);
  await expect(readConfig(join(folder, 'none.toml'))).rejects.toThrow(StartError);
});

/* Keys of the Supabase CLI's own template. It ignores unknown keys silently. */
const KNOWN: Record<string, string[]> = {
  '': ['project_id'],
  api: ['enabled', 'schemas', 'extra_search_path', 'max_rows'],
  db: ['major_version'],
  'db.migrations': ['enabled', 'schema_paths'],
  auth: [
    'enabled',
    'site_url',
    'additional_redirect_urls',
    'jwt_expiry',
    'enable_refresh_token_rotation',
    'refresh_token_reuse_interval',
    'enable_signup',
    'enable_anonymous_sign_ins',
    'enable_manual_linking',
    'minimum_password_length',
    'password_requirements',
  ],
  'auth.sessions': ['timebox', 'inactivity_timeout'],
  'auth.rate_limit': ['email_sent', 'token_refresh', 'sign_in_sign_ups', 'token_verifications'],
  'auth.email': [
    'enabled',
    'double_confirm_changes',
    'enable_confirmations',
    'secure_password_change',
    'require_current_password',
    'max_frequency',
    'otp_length',
    'otp_expiry',
  ],
  'auth.email.template': [],
  'auth.email.template.confirmation': ['subject', 'content_path'],
  'auth.email.template.invite': ['subject', 'content_path'],
  'auth.email.template.magic_link': ['subject', 'content_path'],
  'auth.email.template.recovery': ['subject', 'content_path'],
  'auth.email.template.email_change': ['subject', 'content_path'],
  storage: ['enabled', 'file_size_limit'],
  'storage.buckets': [],
  'storage.buckets.*': ['public', 'file_size_limit', 'allowed_mime_types', 'objects_path'],
  realtime: ['enabled'],
  edge_runtime: ['enabled', 'policy', 'inspector_port', 'deno_version'],
  functions: [],
  'functions.*': ['enabled', 'verify_jwt', 'import_map', 'entrypoint', 'static_files'],
  analytics: ['enabled'],
};

/** Replaces names of the project in a key. */
const known = (key: string) =>
  KNOWN[key] ?? KNOWN[key.replace(/(?<=^(storage\.buckets|functions)\.)[^.]+$/, '*')];

test('contains only keys that the CLI knows', async () => {
  const unknown: string[] = [];
  const walk = (table: TomlTable, path: string) => {
    for (const [name, value] of Object.entries(table)) {
      const key = path ? `${path}.${name}` : name;
      if (typeof value === 'object' && !Array.isArray(value)) {
        if (!known(key)) unknown.push(`[${key}]`);
        walk(value as TomlTable, key);
      } else if (!known(path)?.includes(name)) unknown.push(key);
    }
  };
  walk(parse(await readFile(OWN, 'utf8')), '');
  expect(unknown).toEqual([]);
});
