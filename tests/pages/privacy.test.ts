import { expect } from 'vitest';
import { LIMITS } from '../../src/lib/domain/limits.ts';
import { privacy as words } from '../../src/lib/i18n/en/privacy.ts';
import { call } from '../support/newsroom.ts';
import { test as base } from '../support/test.ts';

const test = base.extend('ownSite', true).extend('environment', { STOPPRESS_BACKUP_KEEP: '3' });

test('explains stored data on one cached page that every page links to', async ({ site, people }) => {
  await call(people.owner.client, 'save_site', { content: { contact: 'desk@harrow.example' } });
  const answer = await fetch(`${site.url}/privacy`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toMatch(/^max-age=0/);
  expect(answer.headers.getSetCookie()).toEqual([]);
  const page = await answer.text();
  expect(page).toContain(`${LIMITS.session_days} days`);
  expect(page).toContain('desk@harrow.example');
  expect(page).toContain('<a href="/offline">/offline</a>');

  const etag = answer.headers.get('etag') ?? '';
  const again = await fetch(`${site.url}/privacy`, { headers: { 'if-none-match': etag } });
  expect(again.status).toBe(304);
  for (const path of ['/', '/about', '/sign-in', '/no-such-page']) {
    expect(await (await fetch(site.url + path)).text(), path).toContain('href="/privacy"');
  }
  expect(page).toContain(words.backups.say(3));
});
