import type { APIRoute } from 'astro';
import { cachedSite } from '../lib/data/site.ts';
import { declarePage, tags } from '../lib/http/cache-policy.ts';
import { directionOf } from '../lib/i18n/language.ts';

/** The web app manifest, for phones on which the site is installed. */
export const GET: APIRoute = async () => {
  const { name, language } = await cachedSite();
  const icon = (file: string, size: number, purpose?: string) => ({
    src: `/${file}.png`,
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose,
  });
  const manifest = {
    id: '/',
    name,
    short_name: name,
    lang: language,
    dir: directionOf(language),
    start_url: '/',
    display: 'standalone',
    background_color: '#fdfbf6',
    theme_color: '#fdfbf6',
    icons: [icon('icon-192', 192), icon('icon-512', 512), icon('icon-maskable', 512, 'maskable')],
  };
  const headers = new Headers({ 'Content-Type': 'application/manifest+json' });
  declarePage(headers, [tags.site], manifest);
  return new Response(JSON.stringify(manifest), { headers });
};
