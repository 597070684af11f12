import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { tryCall } from '../../support/actors.ts';
import { paragraph } from '../../support/newsroom.ts';
import { context, NO_INTERVALS, useContext, x } from './rules-context.ts';

useContext();

/** Texts that name no site, or more than one. */
const NO_FRAMES = [
  ...[
    '',
    ' ',
    'example.org',
    'http://example.org',
    'https://',
    'https://*',
    'https://*.org',
    '*.example.org',
  ],
  ...['https://a.*.org', 'https://example.org/', 'https://example.org/news', 'https://example.org:', 'null'],
  ...[
    'https://example.org:0',
    'https://example.org:65536',
    'https://-a.org',
    'https://a-.org',
    'https://a..org',
  ],
  ...[
    'https://a_b.org',
    'https://münchen.de',
    'https://u@example.org',
    'http://localhost.org',
    "'self'",
    'data:',
  ],
  ...['https://a.org; script-src *', 'https://a.org https://b.org', 'https://a.org,b.org', 'https://a.org\n'],
  ...['javascript:alert(1)', `https://${'a'.repeat(64)}.org`, `https://${'a.'.repeat(130)}org`],
];

describe('the site', () => {
  const site = (content: unknown) => tryCall(context.actors.owner.client, 'save_site', { content });
  const stored = async () => (await context.service.from('site').select('*')).data;

  test.each<[field: string, value: unknown, kept?: unknown]>([
    ['name', x(LIMITS.site_name)],
    ['tagline', x(LIMITS.tagline)],
    ['publisher', x(LIMITS.publisher)],
    ['contact', `${x(LIMITS.contact - 2)}\nx`],
    ['language', 'fr'],
    ['reader_follow_mode', 'checks'],
    ['reader_follow_mode', null, 'auto'],
    ['check_interval_seconds', LIMITS.check_interval_max],
    ['check_interval_seconds', null, LIMITS.check_interval_default],
    ['offline_pages', false],
    ['accent', '#0B5FA5', '#0b5fa5'],
    ['accent', null, ''],
    ['accent_dark', '#7ab8ff'],
    ['about', [paragraph('We live here.')]],
    ['about', []],
    ['quiet_hours', LIMITS.quiet_hours_max],
    ['quiet_hours', 0],
    ['quiet_hours', null, LIMITS.quiet_hours],
    ['embed_origins', []],
    [
      'embed_origins',
      ['https://*.Example.org', 'https://example.org'],
      ['https://*.example.org', 'https://example.org'],
    ],
    [
      'embed_origins',
      ['https://news.example:8443', 'https://cms', 'https://CMS'],
      ['https://news.example:8443', 'https://cms'],
    ],
    ['embed_origins', ['http://localhost:65535', 'http://127.0.0.1', 'https://xn--mnchen-3ya.de']],
    ['embed_origins', Array.from({ length: LIMITS.embed_origins }, (_, n) => `https://${n}.example`)],
    ['embed_origins', ['*']],
    ['time_zone', 'Pacific/Auckland'],
    ['setup_checklist', true],
  ])('accepts %s: %s', async (field, value, kept = value) => {
    expect(await site({ [field]: value })).toMatchObject({ code: 'ok' });
    expect(await stored()).toMatchObject([{ [field]: kept }]);
  });

  test.each<[field: string, value: unknown]>([
    ['name', x(LIMITS.site_name + 1)],
    ['name', ''],
    ['name', null],
    ['tagline', x(LIMITS.tagline + 1)],
    ['publisher', x(LIMITS.publisher + 1)],
    ['publisher', 1],
    ['contact', x(LIMITS.contact + 1)],
    ['language', 'French'],
    ['reader_follow_mode', 'never'],
    ...NO_INTERVALS.map((value) => ['check_interval_seconds', value] as [string, unknown]),
    ['offline_pages', 'no'],
    ['offline_pages', null],
    ['accent', 'blue'],
    ['accent', '#00f'],
    ['accent', '#7ab8ff'],
    ['accent_dark', '#0b5fa5'],
    ['about', 'We live here.'],
    ['about', [paragraph(x(LIMITS.body_characters + 1))]],
    ['about', [{ type: 'photo', photo: randomUUID() }]],
    ['quiet_hours', LIMITS.quiet_hours_max + 1],
    ['quiet_hours', -1],
    ['quiet_hours', 1.5],
    ['embed_origins', null],
    ['embed_origins', '*'],
    ['embed_origins', [1]],
    ['embed_origins', ['*', 'https://example.org']],
    ['embed_origins', Array.from({ length: LIMITS.embed_origins + 1 }, (_, n) => `https://${n}.example`)],
    ...NO_FRAMES.map((site) => ['embed_origins', ['https://example.org', site]] as [string, unknown]),
    ['time_zone', null],
    ['time_zone', 'europe/london'],
    ['time_zone', 'Etc/GMT+99'],
    ['setup_checklist', null],
    ['here', false],
    ['seq', 7],
    ['surge', 'on'],
  ])('refuses %s: %o', async (field, value) => {
    const before = await stored();
    expect(await site({ [field]: value })).toMatchObject({ code: 'invalid', status: 422, field });
    expect(await stored()).toEqual(before);
  });
});
