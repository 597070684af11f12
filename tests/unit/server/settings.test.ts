import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { SETTINGS } from '../../../src/lib/i18n/cli.ts';
import { readServerSettings, SettingsError } from '../../../src/lib/server/settings.ts';

const mistakes = (environment: Record<string, string>) => {
  try {
    readServerSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.message.split('\n');
    throw error;
  }
  return [];
};

test('an empty environment is a local site with its own backend', () => {
  expect(readServerSettings({ PORT: ' ', SITE_URL: '' })).toEqual({
    host: '127.0.0.1',
    port: 4321,
    siteUrl: undefined,
    proxies: 0,
    readerSockets: 10_000,
    surgeAt: 85,
    builds: resolve('.stoppress/builds'),
    basemap: undefined,
    metricsToken: undefined,
    backend: {
      kind: 'embedded',
      data: resolve('.stoppress/data'),
      databaseUrl: undefined,
      publishableKey: undefined,
      secretKey: undefined,
      backups: { folder: resolve('.stoppress/backups'), at: undefined, keep: undefined },
      smtpUrl: undefined,
      mailFrom: undefined,
      certificates: undefined,
      functionVariables: {},
    },
  });
});

test('a URL selects a project, which needs both keys', () => {
  const url = { PUBLIC_SUPABASE_URL: 'https://project.supabase.co/' };
  const keys = { PUBLIC_SUPABASE_PUBLISHABLE_KEY: 'sb_publishable_x', SUPABASE_SECRET_KEY: 'sb_secret_x' };
  expect(readServerSettings({ ...url, ...keys }).backend).toEqual({
    kind: 'hosted',
    url: 'https://project.supabase.co',
    publishableKey: 'sb_publishable_x',
    secretKey: 'sb_secret_x',
  });
  expect(mistakes(url)).toEqual([SETTINGS.publishableKey, SETTINGS.secretKey]);
});

test('a project gets no more sockets than its plan allows by default', () => {
  const project = {
    PUBLIC_SUPABASE_URL: 'https://project.supabase.co',
    PUBLIC_SUPABASE_PUBLISHABLE_KEY: 'sb_publishable_x',
    SUPABASE_SECRET_KEY: 'sb_secret_x',
  };
  expect(readServerSettings(project).readerSockets).toBe(0);
  expect(readServerSettings({ ...project, STOPPRESS_READER_SOCKETS: '300' }).readerSockets).toBe(300);
  expect(mistakes({ STOPPRESS_READER_SOCKETS: 'many' })).toEqual([SETTINGS.readerSockets]);
  expect(mistakes({ STOPPRESS_READER_SOCKETS: '-1' })).toEqual([SETTINGS.readerSockets]);
});

test('the load for a surge is a part of one core, and 0 means never', () => {
  expect([
    readServerSettings({ STOPPRESS_SURGE_AT: '0' }).surgeAt,
    mistakes({ STOPPRESS_SURGE_AT: '0.5' }),
  ]).toEqual([0, []]);
  for (const STOPPRESS_SURGE_AT of ['-1', '101', 'high']) {
    expect(mistakes({ STOPPRESS_SURGE_AT })).toEqual([SETTINGS.surgeAt]);
  }
});

test('reports all mistakes at once, a sentence each', () => {
  expect(mistakes({ PORT: '70000', SITE_URL: 'news.example', STOPPRESS_PROXIES: '-1' })).toEqual([
    SETTINGS.port,
    SETTINGS.siteUrl,
    SETTINGS.proxies,
  ]);
});

test.each(['https://news.example/paper', 'ftp://news.example', 'https://user@news.example', 'javascript:1'])(
  'SITE_URL %s is refused',
  (SITE_URL) => expect(mistakes({ SITE_URL })).toEqual([SETTINGS.siteUrl]),
);

test('a server on all addresses needs SITE_URL', () => {
  expect(mistakes({ HOST: '0.0.0.0' })).toEqual([SETTINGS.siteUrlOfWildcard('0.0.0.0')]);
  expect(mistakes({ HOST: '0.0.0.0', SITE_URL: 'https://news.example' })).toEqual([]);
});

test('refuses equal keys, and quotes no key in a mistake', () => {
  const said = mistakes({ PUBLIC_SUPABASE_PUBLISHABLE_KEY: 'the-key', SUPABASE_SECRET_KEY: 'the-key' });
  expect(said).toEqual([SETTINGS.sameKeys]);
  expect(said.join()).not.toContain('the-key');
});
