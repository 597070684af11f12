import type { CollectionPage, ProfilePage } from 'schema-dts';
import { livePath } from '../coverage/address.ts';
import type { CoverageLine } from '../coverage/lines.ts';
import { siteUrl } from '../site/address.ts';
import { personOf } from './live-blog.ts';
import { siteId } from './newsroom.ts';

type Page = { path: string; name: string; description?: string; language: string };

/** A page that lists coverages, in their order on it. */
export function collection(
  page: Page,
  lines: Pick<CoverageLine, 'slug' | 'headline'>[],
): Exclude<CollectionPage, string> {
  const url = siteUrl(page.path);
  return {
    '@type': 'CollectionPage',
    '@id': url,
    url,
    name: page.name,
    description: page.description || undefined,
    inLanguage: page.language,
    isPartOf: { '@id': siteId() },
    mainEntity: {
      '@type': 'ItemList',
      itemListElement: lines.map(({ slug, headline }, index) => ({
        '@type': 'ListItem',
        position: index + 1,
        name: headline,
        url: siteUrl(livePath(slug)),
      })),
    },
  };
}

/** A person's page. */
export function profile(
  person: { handle: string; display_name: string; bio: string },
  language: string,
): Exclude<ProfilePage, string> {
  const { '@id': id, ...named } = personOf(person) as {
    '@type': 'Person';
    '@id': string;
    name: string;
    url: string;
  };
  return {
    '@type': 'ProfilePage',
    url: named.url,
    inLanguage: language,
    isPartOf: { '@id': siteId() },
    mainEntity: { '@id': id, ...named, ...(person.bio && { description: person.bio }) },
  };
}
