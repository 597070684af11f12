import { createHash } from 'node:crypto';
import { deskWorker } from 'virtual:offline-worker';
import type { APIRoute } from 'astro';
import { backendSettings } from '../lib/data/environment.ts';
import { readSite } from '../lib/data/site.ts';
import { declarePage, tags } from '../lib/http/cache-policy.ts';
import { allowBackend } from '../lib/http/security-headers.ts';
import { BUILD } from '../lib/publishing/page-attributes.ts';

/**
 * The desk's service worker. The owner cannot turn it off, unlike the readers': it stores neither published content nor
 * drafts, and without it queued commands are sent only while a page is open.
 */
export const GET: APIRoute = async () => {
  const { name, language } = await readSite();
  const { publicUrl, publishableKey } = backendSettings();
  // A changed worker is installed again, with the scripts of its build and an offline page in the current language.
  const edition = {
    build: BUILD,
    name: digest(BUILD, name, language, publicUrl, publishableKey),
  };
  const headers = new Headers({
    'Content-Type': 'text/javascript; charset=utf-8',
    // The worker may connect to the site and its backend, and load no scripts.
    'Content-Security-Policy': "default-src 'self'; script-src 'none'",
  });
  allowBackend(headers);
  declarePage(headers, [tags.site], deskWorker, edition);
  const given = { edition, backend: { publicUrl, publishableKey } };
  return new Response(`Object.assign(globalThis, ${JSON.stringify(given)});\n${deskWorker}`, { headers });
};

const digest = (...parts: string[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 10);
