import { createHash } from 'node:crypto';
import { deskWorker } from 'virtual:offline-worker';
import type { APIRoute } from 'astro';
import { backendSettings } from '../lib/data/backend-settings.ts';
import { readSite } from '../lib/data/site.ts';
import { declarePage, tags } from '../lib/http/cache-policy.ts';
import { allowBackend } from '../lib/http/security-headers.ts';
import { BUILD } from '../lib/publishing/build.ts';

/**
 * The desk's service worker. Unlike readers' it is not the owner's to switch off: it keeps nothing that was published
 * and nothing that anybody wrote, and without it words wait for a page to be opened.
 */
export const GET: APIRoute = async () => {
  const { name, language } = await readSite();
  const { publicUrl, publishableKey } = backendSettings();
  // A worker that differs is installed anew, with the scripts of its build and the page that shows these words.
  const edition = {
    build: BUILD,
    name: digest(BUILD, name, language, publicUrl, publishableKey),
  };
  const headers = new Headers({
    'Content-Type': 'text/javascript; charset=utf-8',
    // It may reach the site and its backend, and run nothing else.
    'Content-Security-Policy': "default-src 'self'; script-src 'none'",
  });
  allowBackend(headers);
  declarePage(headers, [tags.site], deskWorker, edition);
  const given = { edition, backend: { publicUrl, publishableKey } };
  return new Response(`Object.assign(globalThis, ${JSON.stringify(given)});\n${deskWorker}`, { headers });
};

const digest = (...parts: string[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 10);
