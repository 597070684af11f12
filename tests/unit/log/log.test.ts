import { expect, onTestFinished, test, vi } from 'vitest';
import {
  type LogFormat,
  openLog,
  runWithRequestId,
} from '../../../packages/embedded-supabase/src/log/log.ts';

/** The lines that a format writes. */
function lines(format: LogFormat, speak: (log: ReturnType<typeof openLog>) => void): string[] {
  vi.stubEnv('EMBEDDED_SUPABASE_LOG', format);
  // In parts, so that no file of the repository contains something like a key.
  vi.stubEnv('DATABASE_URL', ['postgres://role:', 'p%40ssword-long', '@db/x'].join(''));
  const spy = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => {
    spy.mockRestore();
    vi.unstubAllEnvs();
  });
  speak(openLog('site'));
  return spy.mock.calls.map(([line]) => String(line));
}

const SECRETS = {
  person: 'ada@news.example',
  key: 'sb_secret_abcdefgh',
  token: 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl',
  bearer: 'Bearer unknown-token',
  receipt: '/tips/0a1b2c3d/state',
  link: '/auth/confirm?token_hash=beef',
  invitation: '/invites/0a1b2c3d',
  database: 'postgres://role2:hunter22@db/x',
  password: 'it said p@ssword-long',
};

test.each(['json', 'text'] as const)(
  'nothing that is written in %s is another line or a secret',
  (format) => {
    const evil = `a\n{"level":"info"}\r\u001b[2J\u009b\u2028\u202e ${Object.values(SECRETS).join(' ')}`;
    const error = new TypeError(evil, { cause: new Error(evil) });
    const [line = '', ...more] = lines(format, (log) =>
      runWithRequestId('0123456789ab', () =>
        log.error(evil, { path: evil, body: { of: 'an object' }, error }),
      ),
    );
    expect(more).toEqual([]);
    const shown =
      format === 'json'
        ? line
        : line.replaceAll('\n    at ', '').replaceAll(/\n(?=TypeError|Because|Error)/g, '');
    expect(shown).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
    expect(line).not.toMatch(/ada@|abcdefgh|c2lnbmF0|nobody-knows|0a1b2c3d|beef|hunter22|p@ssword|an object/);
    expect(line).toContain('0123456789ab');
    if (format === 'json') {
      expect(JSON.parse(line)).toMatchObject({
        level: 'error',
        from: 'site',
        request: '0123456789ab',
        error: { class: 'TypeError', cause: { class: 'Error' } },
      });
    }
  },
);

test('cuts a long message before it is searched for secrets', () => {
  const [line = ''] = lines('text', (log) => log.error(`${'x '.repeat(500_000)}${SECRETS.key}`));
  expect(line.length).toBeLessThan(11_000);
});
