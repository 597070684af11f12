import type {
  NewsMediaOrganization,
  Organization,
  SearchAction,
  WebSite,
  WithActionConstraints,
} from 'schema-dts';
import { correctionsPath } from '../corrections/address.ts';
import { siteUrl } from '../site/address.ts';
import type { Site } from '../site/read.ts';

/** Who publishes everything here, and the site itself: named by these wherever they are spoken of. */
const publisherId = () => siteUrl('/#publisher');
export const siteId = () => siteUrl('/#site');

/** The public folder's icon, in pixels. */
const LOGO = { path: '/icon-512.png', size: 512 };

/** The newsroom as other things name it. */
export function publisherOf(site: Site): Exclude<NewsMediaOrganization, string> {
  return {
    '@type': 'NewsMediaOrganization',
    '@id': publisherId(),
    name: site.publisher || site.name,
    url: siteUrl('/'),
    logo: {
      '@type': 'ImageObject',
      url: siteUrl(LOGO.path),
      width: LOGO.size.toString(),
      height: LOGO.size.toString(),
    },
  };
}

/** The newsroom as author: by its name alone, where it is told of beside. */
export function authorOf(site: Site): Organization {
  return {
    '@type': 'NewsMediaOrganization',
    '@id': publisherId(),
    name: site.publisher || site.name,
    url: siteUrl('/'),
  };
}

const MAIL = /[^\s<>,;:"()]+@[^\s<>,;:"()]+\.[^\s<>,;:"().]+/;

/** The newsroom with all that it says of itself. */
export function newsroom(site: Site): Exclude<NewsMediaOrganization, string> {
  const mail = MAIL.exec(site.contact)?.[0];
  return {
    ...publisherOf(site),
    ...(site.publisher && site.publisher !== site.name && { alternateName: site.name }),
    ...(site.tagline && { slogan: site.tagline }),
    publishingPrinciples: siteUrl('/about'),
    ethicsPolicy: siteUrl('/about'),
    correctionsPolicy: siteUrl(correctionsPath()),
    ...(mail && { contactPoint: { '@type': 'ContactPoint', contactType: 'newsroom', email: mail } }),
  };
}

/** The site, and how to look for words in it. */
export function webSite(site: Site): Exclude<WebSite, string> {
  const search: WithActionConstraints<SearchAction> = {
    '@type': 'SearchAction',
    target: { '@type': 'EntryPoint', urlTemplate: `${siteUrl('/search')}?q={words}` },
    'query-input': 'required name=words',
  };
  return {
    '@type': 'WebSite',
    '@id': siteId(),
    url: siteUrl('/'),
    name: site.name,
    ...(site.tagline && { description: site.tagline }),
    inLanguage: site.language,
    publisher: { '@id': publisherId() },
    potentialAction: search,
  };
}
