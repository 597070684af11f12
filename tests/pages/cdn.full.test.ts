import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { freePort } from '../support/processes.ts';
import { test as base } from '../support/test.ts';

const test = base.extend('ownSite', true);

/* The site behind nginx, a shared cache that gets no invalidations and obeys `Cache-Control` as a CDN does. */

const NGINX = '/usr/sbin/nginx';
const nginxInstalled = spawnSync(NGINX, ['-v']).status === 0;
/** Seconds after which a withdrawn text must be gone from every cache. */
const LONGEST = 60;

describe.runIf(nginxInstalled)('behind a shared cache', () => {
  let folder: string;
  let port: number;
  let nginx: ChildProcess | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stoppress-cdn-'));
    // nginx drops its rights to those of an ordinary user.
    await chmod(folder, 0o777);
    port = await freePort();
  });
  afterAll(async () => {
    const ended = nginx && once(nginx, 'exit');
    nginx?.kill('SIGQUIT');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });

  async function cacheBefore(site: string): Promise<string> {
    const conf = `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error;
      events { worker_connections 256; }
      http {
        access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/temp; fastcgi_temp_path ${folder}/f;
        uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
        proxy_cache_path ${folder}/cache keys_zone=cdn:1m;
        server {
          listen 127.0.0.1:${port};
          location / {
            proxy_pass ${site}; proxy_cache cdn; proxy_cache_revalidate on; proxy_cache_lock on;
            proxy_set_header Host $host; add_header X-Cache $upstream_cache_status always;
          }
        }
      }`;
    await writeFile(join(folder, 'conf'), conf);
    nginx = spawn(NGINX, ['-c', join(folder, 'conf'), '-e', join(folder, 'error')], { stdio: 'ignore' });
    const url = `http://127.0.0.1:${port}`;
    await vi.waitFor(() => fetch(`${url}/robots.txt`), { timeout: 10_000 });
    return url;
  }

  /** Seconds for which a cache without invalidations may serve a response, at most. */
  function longest(cacheControl: string): number {
    const seconds = (name: string) =>
      Number(new RegExp(`(?:^|[ ,])${name}=(\\d+)`).exec(cacheControl)?.[1] ?? 0);
    const fresh = seconds('s-maxage') || seconds('max-age');
    return fresh + Math.max(seconds('stale-while-revalidate'), seconds('stale-if-error'));
  }

  test('caches public pages for a minute at most and without personal data, and private pages never', async ({
    site,
    newsroom,
  }) => {
    const cdn = await cacheBefore(site.url);
    const remaining = await newsroom.publish({ headline: 'The bridge is shut', key_event: true });
    const withdrawn = await newsroom.publish({ headline: 'A name that was said too soon', key_event: true });
    const live = `/live/${newsroom.coverage.slug}`;
    const ask = async (path: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(cdn + path, {
        redirect: 'manual',
        headers: { connection: 'close', ...headers },
      });
      return { answer, text: await answer.text(), cache: answer.headers.get('x-cache') };
    };
    const isPublic = async () => (await (await fetch(site.url + live)).text()).includes('too soon');
    await expect.poll(isPublic, { timeout: 15_000 }).toBe(true);
    const open = [
      '/',
      live,
      `${live}/${remaining.number}`,
      `${live}/${withdrawn.number}`,
      `${live}/changes?after=1`,
      `${live}/feed.atom`,
    ];
    const more = [
      '/search?q=bridge',
      '/corrections',
      '/sitemap.xml',
      '/live/nothing-here',
      '/about',
      '/tips',
    ];
    for (const path of [...open, ...more]) {
      const first = await ask(path, {
        cookie: 'sb-x-auth-token=reader',
        'x-forwarded-host': 'evil.example',
      });
      const { answer } = first;
      expect(answer.headers.get('set-cookie'), path).toBeNull();
      expect(first.text, path).not.toContain('evil.example');
      expect(answer.headers.get('vary') ?? 'accept-encoding', path).toMatch(/^accept-encoding$/i);
      const policy = answer.headers.get('cache-control') ?? '';
      expect(policy, path).toMatch(/^max-age=0, s-maxage=\d+/);
      expect(policy, path).not.toContain('stale-while-revalidate');
      const targeted = answer.headers.get('cdn-cache-control') ?? policy;
      for (const one of [policy, targeted])
        expect(longest(one), `${path} ${one}`).toBeLessThanOrEqual(LONGEST);
      expect((await ask(path)).cache, `${path} ${policy}`).toMatch(
        /^(HIT|STALE|UPDATING|EXPIRED|REVALIDATED)$/,
      );
    }
    for (let n = 0; n < 50; n++) await ask(live);
    const caches = await Promise.all(Array.from({ length: 50 }, async () => (await ask(live)).cache));
    expect(caches.filter((cache) => cache !== 'MISS').length, 'one copy for all').toBe(50);

    await newsroom.withdraw(withdrawn, 'It was not confirmed.');
    await expect.poll(isPublic, { timeout: 15_000 }).toBe(false);
    const tombstone = await fetch(`${site.url}${live}/${withdrawn.number}`);
    expect([tombstone.status, longest(tombstone.headers.get('cache-control') ?? '') <= LONGEST]).toEqual([
      410,
      true,
    ]);

    for (const path of [
      '/desk',
      '/account',
      '/api/me',
      '/sign-in',
      '/setup',
      // Addresses that may contain a secret. Any other missing address is cached for five seconds.
      `/tips/${'r'.repeat(43)}`,
      `/invites/${'i'.repeat(43)}`,
    ]) {
      for (let n = 0; n < 2; n++) {
        const { answer, cache } = await ask(path);
        expect([path, cache, answer.headers.get('cache-control')]).toEqual([
          path,
          'MISS',
          expect.stringContaining('no-store'),
        ]);
      }
    }
  });
});
