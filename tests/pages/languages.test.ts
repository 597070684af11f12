import { expect } from 'vitest';
import { reader } from '../../src/lib/i18n/en/reader.ts';
import { accounts } from '../../src/lib/i18n/es/accounts.ts';
import { reader as spanish } from '../../src/lib/i18n/es/reader.ts';
import { RELOAD } from '../support/http-client.ts';
import { call, type Newsroom, paragraph } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';
import { test as base } from '../support/test.ts';

const test = base.extend('ownSite', true);

const html = async (site: TestSite, path: string) =>
  (await fetch(`${site.url}${path}`, { headers: RELOAD })).text();
const rootOf = (page: string) => /<html[^>]*>/.exec(page)?.[0];

async function setLanguage(site: TestSite, { coverage, people }: Newsroom, language: string): Promise<void> {
  const { data } = await site.service.from('coverages').select('version').eq('id', coverage.id).single();
  await call(people.editor.client, 'save_coverage', {
    coverage_id: coverage.id,
    version: data?.version,
    content: { language },
  });
}

test("writes a page in its coverage's language, lists in the site's, and refusals in the site's", async ({
  site,
  newsroom,
}) => {
  const { coverage, people } = newsroom;
  await newsroom.publish({ body: [paragraph('El río ha crecido.')], key_event: true });
  await setLanguage(site, newsroom, 'es-MX');
  const path = `/live/${coverage.slug}`;
  // Both are rendered at the same time. The site is in English and marks words in another language.
  const [live, front] = await Promise.all([html(site, path), html(site, '/')]);
  expect(rootOf(live)).toBe('<html lang="es-MX" dir="ltr">');
  for (const word of ['En directo', 'Actualizada', 'Momentos clave', 'Momento clave', 'Envíenos un aviso'])
    expect(live).toContain(word);
  expect(await html(site, `${path}/changes?after=0`)).toContain('Momento clave');
  expect(await html(site, `${path}/1`)).toContain('Publicada:');
  expect(front).toContain(reader.skip);
  expect(front).toMatch(/<h2 lang="es-MX" dir="ltr">/);

  // A language without messages: the site's words around it, marked as such, in its own direction.
  await setLanguage(site, newsroom, 'ar');
  const arabic = await html(site, path);
  expect(rootOf(arabic)).toBe('<html lang="ar" dir="rtl" data-words="en">');
  expect(arabic).toMatch(/<p id="status" lang="en">[\s\S]*Live/);
  expect(arabic).toMatch(/<footer class="folio" lang="en">/);

  await call(people.owner.client, 'save_site', { content: { language: 'es' } });
  try {
    await expect.poll(async () => rootOf(await html(site, '/'))).toBe('<html lang="es" dir="ltr">');
    expect(await html(site, '/')).toContain(spanish.skip);
    expect(rootOf(await html(site, path))).toBe('<html lang="ar" dir="rtl" data-words="es">');
    const refused = await fetch(`${site.url}/sign-in`, {
      method: 'POST',
      headers: { Origin: site.url, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ email: people.editor.email, password: 'not this one' }),
    });
    expect(await refused.text()).toContain(accounts.problems.credentials);
  } finally {
    await call(people.owner.client, 'save_site', { content: { language: 'en' } });
  }
});
