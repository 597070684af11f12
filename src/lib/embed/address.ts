import { livePath } from '../coverage/address.ts';
import { siteUrl } from '../site/address.ts';

/** The live page for another site's frame. */
export const embedPath = (slug: string) => `${livePath(slug)}/embed`;

/** What describes that to other sites, by the address of a page of the coverage. */
export const oembedPath = (path: string) => `/oembed?url=${encodeURIComponent(siteUrl(path))}`;

/** How a page leads other sites to what describes it. */
export const oembedLink = (path: string) => ({ type: 'application/json+oembed', path: oembedPath(path) });
