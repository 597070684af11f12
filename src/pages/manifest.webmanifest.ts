import type { APIRoute } from 'astro';
import { cachedSite } from '../lib/data/site.ts';
import { ICON_SIZES, iconPath } from '../lib/domain/site-look.ts';
import { declarePage, tags } from '../lib/http/cache-policy.ts';
import { directionOf } from '../lib/i18n/language.ts';

/** The web app manifest, for phones on which the site is installed. */
export const GET: APIRoute = async () => {
  const site = await cachedSite();
  const { name, language } = site;
  const icon = (src: string, size: number, purpose?: string) => ({
    src,
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose,
  });
  const ownIcons = ICON_SIZES.flatMap((size) => {
    const path = iconPath(site, size);
    return path ? [icon(path, size)] : [];
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
    icons:
      ownIcons.length > 0
        ? ownIcons
        : [
            icon('/icon-192.png', 192),
            icon('/icon-512.png', 512),
            icon('/icon-maskable.png', 512, 'maskable'),
          ],
  };
  const headers = new Headers({ 'Content-Type': 'application/manifest+json' });
  declarePage(headers, [tags.site], manifest);
  return new Response(JSON.stringify(manifest), { headers });
};
