import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SETTINGS } from '../../../src/lib/i18n/cli.ts';
import { NAMES } from '../../../src/lib/server/settings.ts';
import { COMPILE_CACHE } from '../../support/processes.ts';

const START = resolve('src/lib/server/start.ts');
const SECRETS = ['hunter22pw', 'sb_secret_browsers', 'short-token'];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'check-'));
  await writeFile(join(folder, 'file'), '');
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs `npm start` with an environment. @returns output and created files */
async function start(environment: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [START, ...args], {
    cwd: folder,
    env: { ...COMPILE_CACHE, PATH: process.env.PATH, STOPPRESS_LOG: 'text', ...environment },
  });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await once(child, 'close');
  const [out, errors] = await said;
  return { code, out, lines: errors.split('\n').filter(Boolean), left: await readdir(folder) };
}

/** Mistakes, and the start of the message. */
const MISTAKES: [environment: Record<string, string>, sentence: string][] = [
  [{ PORT: '70000' }, SETTINGS.port],
  [{ SITE_URL: 'https://news.example/path' }, SETTINGS.siteUrl],
  [{ STOPPRESS_PROXY: '1' }, SETTINGS.unknown('STOPPRESS_PROXY', 'STOPPRESS_PROXIES')],
  [{ STOPPRESS_SURGE_AT: 'much' }, SETTINGS.surgeAt],
  [{ STOPPRESS_READER_SOCKETS: '-1' }, SETTINGS.readerSockets],
  [{ STOPPRESS_LOG_LEVEL: 'loud' }, SETTINGS.logLevel],
  [{ STOPPRESS_METRICS_TOKEN: 'short-token' }, SETTINGS.metricsToken],
  [{ STOPPRESS_PRIVATE_WORDPRESS: 'http://10.0.0.5/blog' }, SETTINGS.privateWordPress],
  [{ STOPPRESS_TELEGRAM_API: 'http://10.0.0.5:8081/bot' }, SETTINGS.telegramApi],
  [{ SUPABASE_SECRET_KEY: 'sb_publishable_x' }, SETTINGS.secretIsPublishable],
  [{ PUBLIC_SUPABASE_PUBLISHABLE_KEY: 'sb_secret_browsers' }, SETTINGS.publishableIsSecret],
  [
    { DATABASE_URL: 'mysql://u:hunter22pw@127.0.0.1/x' },
    'DATABASE_URL must be like postgres://role:password@host',
  ],
  [
    { DATABASE_URL: 'postgres://u:hunter22pw@127.0.0.1:1/x' },
    'The PostgreSQL of DATABASE_URL cannot be used: nothing listens',
  ],
  [
    { SMTP_URL: 'mail.example:25' },
    'SMTP_URL must be the address of a mail server: smtp://USER:PASSWORD@HOST:587.',
  ],
  [
    { SMTP_URL: 'smtp://u:hunter22pw@mail.example', MAIL_FROM: 'nobody' },
    'With SMTP_URL, set MAIL_FROM to the sender: newsroom@example.com',
  ],
  [{ STOPPRESS_BACKUP_AT: 'nightly' }, 'STOPPRESS_BACKUP_AT must be a cron expression'],
  [{ STOPPRESS_BACKUP_KEEP: '0' }, 'STOPPRESS_BACKUP_KEEP must be the number'],
  [{ STOPPRESS_DATA: 'file', STOPPRESS_BACKUPS: 'kept' }, 'STOPPRESS_DATA must be a folder'],
  [{ STOPPRESS_BACKUPS: 'file/kept' }, 'STOPPRESS_BACKUPS must be a folder'],
  [{ STOPPRESS_BUILDS: 'file' }, 'STOPPRESS_BUILDS is a folder that is not writable'],
];

test('reports many mistakes at once, a sentence each, before it starts or writes anything', async () => {
  // Two mistakes of the same variable are tested separately.
  const all = MISTAKES.filter(([its], n) => !MISTAKES.slice(0, n).some(([one]) => sameName(one, its)));
  const { code, out, lines, left } = await start(Object.assign({}, ...all.map(([its]) => its)));
  expect(code).toBe(1);
  expect(out).toBe('');
  for (const [, sentence] of all)
    expect(
      lines.filter((line) => line.startsWith(sentence)),
      sentence,
    ).toHaveLength(1);
  expect(lines).toHaveLength(all.length);
  for (const secret of SECRETS) expect(lines.join('\n')).not.toContain(secret);
  expect(left).toEqual(['file']);
}, 20_000);

const sameName = (one: object, other: object) => Object.keys(one).some((name) => name in other);

test.each(MISTAKES.filter(([its], n) => MISTAKES.slice(0, n).some(([one]) => sameName(one, its))))(
  'also %o',
  async (environment, sentence) => {
    const { code, lines, left } = await start(environment);
    expect(code).toBe(1);
    expect(lines).toEqual([expect.stringContaining(sentence)]);
    expect(lines.join('\n')).not.toContain('hunter22pw');
    expect(left).toEqual(['file']);
  },
  20_000,
);

test('.env.example contains all settings of an owner, and nothing else', async () => {
  const example = await readFile(resolve('.env.example'), 'utf8');
  const shown = [...example.matchAll(/^#?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name);
  const read = await Promise.all(
    ['src/lib/server/settings.ts', 'src/lib/cli/data.ts'].map((file) => readFile(resolve(file), 'utf8')),
  );
  const named = read.flatMap((text) =>
    [...text.matchAll(/\bget\('([A-Z_]+)'\)|\b(MOVE_[A-Z_]+)\b/g)].map(([, one, other]) => one ?? other),
  );
  // NODE_EXTRA_CA_CERTS is described there and is read by Node.
  const settings = new Set(named.filter((name) => name !== 'NODE_EXTRA_CA_CERTS'));
  expect(shown.toSorted()).toEqual([...settings].toSorted());
  const ours = [...settings].filter((name) => name?.startsWith('STOPPRESS_'));
  expect(NAMES.toSorted()).toEqual(ours.toSorted());
});

test.each([
  [{ SITE_URL: 'http://news.example', STOPPRESS_PROXIES: '1' }, SETTINGS.plainSite],
  [{ SITE_URL: 'http://news.example' }, SETTINGS.insecureSite],
  [{ SITE_URL: 'https://news.example' }, SETTINGS.proxyNotDeclared],
])(
  'with --check nothing is started: what is right is said, and what is doubtful (%o)',
  async (environment, doubt) => {
    const { code, out, lines, left } = await start(environment, '--check');
    expect({ code, out, lines, left }).toEqual({
      code: 0,
      out: `${SETTINGS.right}\n`,
      lines: [doubt],
      left: ['file'],
    });
  },
  20_000,
);
