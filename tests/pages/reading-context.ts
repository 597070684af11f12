import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { RELOAD } from '../support/http-client.ts';
import { type Newsroom, paragraph } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';

export const ask = (site: TestSite, path: string, headers: Record<string, string> = {}) =>
  fetch(`${site.url}${path}`, { redirect: 'manual', headers: { ...RELOAD, ...headers } });

export const live = ({ coverage }: Newsroom, rest = '') => `/live/${coverage.slug}${rest}`;

export async function read(response: Response) {
  const html = await response.text();
  return {
    html,
    title: /<title>([^<]*)</.exec(html)?.[1],
    /** Readable content, without styles and structured data. */
    main: /<main[\s\S]*<\/main>/.exec(html)?.[0] ?? '',
    numbers: [...html.matchAll(/<article id="update-(\d+)"/g)].map(([, number]) => Number(number)),
    link: (rel: string) =>
      new RegExp(`<a href="([^"]*)" rel="${rel}"`).exec(html)?.[1]?.replaceAll('&amp;', '&'),
    data: /<script type="application\/ld\+json">([^<]*)</.exec(html)?.[1],
  };
}

export const get = async (site: TestSite, path: string) => read(await ask(site, path));

/** Publishes `count` updates at once, each with the same body. */
export async function fill(
  site: TestSite,
  { coverage }: Newsroom,
  count: number,
  body = [paragraph('A line.')],
) {
  const items = Array.from({ length: count }, () => ({
    id: randomUUID(),
    published_at: new Date().toISOString(),
    content: { body },
  }));
  const { error } = await site.service.rpc('import_updates', { coverage_id: coverage.id, items });
  expect(error).toBeNull();
}
