import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findDeno } from '../../../packages/embedded-supabase/src/functions/process.ts';

const FUNCTIONS = resolve('supabase/functions');
const NAMES = readdirSync(FUNCTIONS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith('_'))
  .map(({ name }) => name);

/** The environment of functions in a hosted project, before secrets are set. */
const HOSTED = {
  SUPABASE_URL: 'http://127.0.0.1:9',
  SUPABASE_ANON_KEY: 'eyJ.old.key',
  SUPABASE_SERVICE_ROLE_KEY: 'eyJ.older.key',
  SUPABASE_DB_URL: 'postgresql://postgres:x@127.0.0.1:9/postgres',
  SUPABASE_PUBLISHABLE_KEYS: '{"default":"sb_publishable_x"}',
  SUPABASE_SECRET_KEYS: '{"default":"sb_secret_x"}',
  SUPABASE_JWKS: '{"keys":[]}',
  SB_REGION: 'eu-west-1',
};

/** Loads a function as a hosted project does, calls it as a visitor, and reports response and CPU time. */
const CALLER = `
const served = [];
Deno.serve = (...given) => { served.push(given.find((one) => typeof one === 'function')); return { finished: Promise.resolve() }; };
const module = await import(Deno.args[0]);
const serve = module.default?.fetch ?? served[0];
const answers = [];
for (const init of [{ method: 'OPTIONS' }, { method: 'POST', body: '{}' }, { method: 'POST', body: '{}', headers: { apikey: 'sb_secret_wrong' } }]) {
  const answer = await serve(new Request('http://127.0.0.1/functions/v1/x', init));
  await answer.body?.cancel();
  answers.push(answer.status);
}
console.log(JSON.stringify(answers));
Deno.exit(0);
`;

const deno = findDeno();

test.runIf(deno).each(NAMES)(
  '%s starts with the environment of a hosted project, and refuses a visitor',
  async (name) => {
    const folder = join(FUNCTIONS, name);
    const flags = [
      '--no-prompt',
      '--no-lock',
      '--no-remote',
      '--cached-only',
      '--node-modules-dir=manual',
      '--ext=ts',
    ];
    const caller = `data:application/typescript,${encodeURIComponent(CALLER)}`;
    const run = promisify(execFile)(
      deno ?? '',
      [
        'run',
        ...flags,
        `--config=${join(folder, 'deno.json')}`,
        '--allow-env',
        '--allow-read',
        '--allow-net=127.0.0.1',
        caller,
        `file://${join(folder, 'index.ts')}`,
      ],
      {
        env: {
          ...HOSTED,
          DENO_DIR: join(tmpdir(), 'stoppress-deno'),
          NO_COLOR: '1',
          DENO_NO_UPDATE_CHECK: '1',
        },
      },
    );
    const { stdout } = await run;
    const [preflight, stranger, wrong] = JSON.parse(stdout) as number[];
    expect(preflight).toBeLessThan(300);
    for (const status of [stranger, wrong]) expect([401, 403, 422, 503]).toContain(status);
  },
);
