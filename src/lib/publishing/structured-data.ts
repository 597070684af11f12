import type {
  AudioObject,
  BlogPosting,
  BreadcrumbList,
  CollectionPage,
  CorrectionComment,
  Graph,
  ImageObject,
  LiveBlogPosting,
  NewsArticle,
  NewsMediaOrganization,
  Organization,
  Person,
  Place,
  ProfilePage,
  SearchAction,
  SocialMediaPosting,
  Thing,
  VideoObject,
  WebSite,
  WithActionConstraints,
} from 'schema-dts';
import { type CoverageLine, monthStart } from '../data/coverages.ts';
import { siteUrl } from '../data/environment.ts';
import { type Site, type SitePlace, siteClock } from '../data/site.ts';
import { bodyText, excerpt, photoIds, placesOf } from '../domain/body/blocks.ts';
import { playerOf } from '../domain/body/media.ts';
import { livePath, updatePath } from '../domain/coverages.ts';
import { archivePath, correctionsPath, monthPath, topicPath } from '../domain/list-paths.ts';
import { mediaFileOf } from '../domain/media-files.ts';
import { PHOTO_WIDTHS, photoPath, type ReaderPhoto, renditionFor } from '../domain/photos.ts';
import { clockOf, type ReaderCoverage } from '../domain/reader-coverage.ts';
import { iconPath } from '../domain/site-look.ts';
import { type Clock, dayKey, monthName, zonedTime } from '../domain/time.ts';
import type { Byline, ReaderUpdate } from '../domain/updates.ts';
import type { Messages } from '../i18n/messages.ts';

/** Structured data of a page. Things that others refer to have an `@id`. */
export type StructuredData = Exclude<Thing, string>[];

/** Serialises structured data for a `<script type="application/ld+json">`. */
export function jsonLd(things: StructuredData): string {
  const graph: Graph = { '@context': 'https://schema.org', '@graph': things };
  return scriptJson(graph);
}

/**
 * Serialises JSON for a script element: without `<`, so that it cannot end the element, without character references
 * (src/lib/http/minify.ts decodes them), unpaired surrogates and line separators.
 */
export function scriptJson(value: object): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? part.toWellFormed() : part))
    .replaceAll('<', '\\u003c')
    .replaceAll('&#', '\\u0026#')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/** Ids of the publisher and the site in all structured data. */
const publisherId = () => siteUrl('/#publisher');
const siteId = () => siteUrl('/#site');

/** The default logo, and the size of every logo in pixels. */
const LOGO = { path: '/icon-512.png', size: 512 } as const;

/** Returns the newsroom as an author, without logo. */
const authorOf = (site: Site) =>
  ({
    '@type': 'NewsMediaOrganization',
    '@id': publisherId(),
    name: site.publisher || site.name,
    url: siteUrl('/'),
  }) as const satisfies Organization;

/** Returns the publisher with its logo. */
const publisherOf = (site: Site): Exclude<NewsMediaOrganization, string> => ({
  ...authorOf(site),
  logo: {
    '@type': 'ImageObject',
    url: siteUrl(iconPath(site, LOGO.size) ?? LOGO.path),
    width: LOGO.size.toString(),
    height: LOGO.size.toString(),
  },
});

const MAIL = /[^\s<>,;:"()]+@[^\s<>,;:"()]+\.[^\s<>,;:"().]+/;

/** Returns the newsroom with all its details. */
export function newsroomDetails(site: Site): Exclude<NewsMediaOrganization, string> {
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

/** Returns the site with its search. */
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

/** Maximum number of characters of a headline made from the body. schema.org requires one. */
const HEADLINE_LENGTH = 110;

/** Number of updates in the structured data of a live page. Older updates have pages of their own. */
const MAX_UPDATES = 10;

/** Maximum number of photos that represent a live page. */
const MAX_PHOTOS = 3;

/** Path of the Open Graph image. */
type OgImagePath = { path: string };

const timeOf = (at: string | null, clock: Clock) => (at ? zonedTime(at, clock) : undefined);

/** Returns the LiveBlogPosting of a live page with its newest updates. */
export function liveBlogPosting(
  coverage: ReaderCoverage,
  updates: ReaderUpdate[],
  site: Site,
  card: OgImagePath,
): Exclude<LiveBlogPosting, string> {
  const url = siteUrl(livePath(coverage.slug));
  const clock = clockOf(coverage);
  const published = updates.filter(({ state }) => state === 'published');
  const changed = lastChange(coverage, updates);
  return {
    '@type': 'LiveBlogPosting',
    '@id': url,
    url,
    mainEntityOfPage: coverage.canonical_url ?? url,
    headline: coverage.headline,
    description: coverage.standfirst || undefined,
    articleSection: coverage.kicker || undefined,
    ...aboutOf(coverage),
    inLanguage: coverage.language,
    image: [siteUrl(card.path), ...published.flatMap(photoUrls).slice(0, MAX_PHOTOS)],
    datePublished: timeOf(coverage.published_at, clock),
    dateModified: changed && zonedTime(changed, clock),
    coverageStartTime: timeOf(coverage.starts_at ?? coverage.published_at, clock),
    coverageEndTime: timeOf(coverage.ended_at, clock),
    author: authorOf(site),
    publisher: publisherOf(site),
    liveBlogUpdate: published.slice(0, MAX_UPDATES).map((update) => posting(coverage, update, site, card)),
  };
}

/** Returns the NewsArticle of an update's page, which is part of the live page. */
export function newsArticle(
  coverage: ReaderCoverage,
  update: ReaderUpdate,
  site: Site,
  card: OgImagePath,
): Exclude<NewsArticle, string> {
  const { '@type': _, ...common } = posting(coverage, update, site, card);
  const live = siteUrl(livePath(coverage.slug));
  const article: Exclude<NewsArticle, string> = {
    '@type': 'NewsArticle',
    ...common,
    mainEntityOfPage: siteUrl(updatePath(coverage.slug, update.number)),
    image: [...photosOf(update).map(imageOf), siteUrl(card.path)],
    articleSection: coverage.kicker || undefined,
    ...aboutOf(coverage),
    dateline: update.dateline ?? undefined,
    inLanguage: coverage.language,
    publisher: publisherOf(site),
    isPartOf: { '@type': 'LiveBlogPosting', '@id': live, url: live, headline: coverage.headline },
  };
  return article;
}

function posting(coverage: ReaderCoverage, update: ReaderUpdate, site: Site, card: OgImagePath) {
  const url = siteUrl(updatePath(coverage.slug, update.number));
  const clock = clockOf(coverage);
  const pictures = photoUrls(update);
  const posting = {
    '@type': 'BlogPosting',
    '@id': url,
    url,
    headline: update.headline ?? excerpt(update.body, HEADLINE_LENGTH, update.photos),
    datePublished: timeOf(update.published_at, clock),
    dateModified: timeOf(update.revised_at, clock),
    articleBody: bodyText(update.body),
    image: pictures.length > 0 ? pictures : undefined,
    contentLocation: locationsOf(update),
    citation: citationsOf(update, clock),
    ...mediaOf(update, clock, card),
    correction: correctionsOf(update, clock),
    author: update.bylines.length > 0 ? update.bylines.map(personOf) : authorOf(site),
  } as const satisfies BlogPosting;
  return posting;
}

/** Returns the places of the maps of an update. */
function locationsOf({ body }: ReaderUpdate): Exclude<Place, string>[] | undefined {
  const places = placesOf(body);
  if (places.length === 0) return undefined;
  return places.map(({ name, latitude, longitude }) => ({
    '@type': 'Place',
    name,
    geo: { '@type': 'GeoCoordinates', latitude, longitude },
  }));
}

/**
 * Returns the videos and recordings of an update. A photo directly above one is its poster. Search engines require a
 * picture of each video, so that of the page stands for a missing poster.
 */
function mediaOf({ body, photos, published_at }: ReaderUpdate, clock: Clock, card: OgImagePath) {
  const video: Exclude<VideoObject, string>[] = [];
  const audio: Exclude<AudioObject, string>[] = [];
  for (const [index, block] of body.entries()) {
    if (block.type !== 'media') continue;
    const [file, player] = [mediaFileOf(block.url), playerOf(block.url)];
    const kind = (file ?? player)?.kind;
    if (!kind) continue;
    const above = body[index - 1];
    const poster = above?.type === 'photo' && photos.some(({ id }) => id === above.photo) && above.photo;
    const { title: name, description, url } = block;
    const thumbnailUrl = poster
      ? photoUrl({ id: poster })
      : kind === 'video'
        ? siteUrl(card.path)
        : undefined;
    const about = {
      name,
      description,
      ...(file
        ? {
            contentUrl: siteUrl(url),
            encodingFormat: file.type,
            contentSize: `${file.bytes}`,
            duration: file.seconds ? `PT${file.seconds}S` : undefined,
          }
        : { url, embedUrl: player?.embedUrl }),
      thumbnailUrl,
      // In this vocabulary: when it was added to this site.
      uploadDate: timeOf(published_at, clock),
    };
    if (kind === 'video') video.push({ '@type': 'VideoObject', ...about });
    else audio.push({ '@type': 'AudioObject', ...about });
  }
  return { ...(video.length > 0 && { video }), ...(audio.length > 0 && { audio }) };
}

/** Returns the author of an update. */
function personOf({ handle, display_name }: Byline): Exclude<Person, string> {
  const url = siteUrl(`/people/${handle}`);
  return { '@type': 'Person', '@id': url, name: display_name, url };
}

/** Returns the corrections and clarifications of an update. */
function correctionsOf({ notes }: ReaderUpdate, clock: Clock): CorrectionComment[] | undefined {
  if (notes.length === 0) return undefined;
  return notes.map(({ note, at }) => ({
    '@type': 'CorrectionComment',
    text: note,
    datePublished: zonedTime(at, clock),
  }));
}

/** Returns the quoted posts of an update. */
function citationsOf({ body }: ReaderUpdate, clock: Clock): SocialMediaPosting[] | undefined {
  const posts = body.filter((block) => block.type === 'post');
  if (posts.length === 0) return undefined;
  return posts.map(({ url, text, author, handle, posted_at = null }) => ({
    '@type': 'SocialMediaPosting',
    url,
    text,
    datePublished: timeOf(posted_at, clock),
    author: { '@type': 'Person', name: author, ...(handle && { alternateName: handle }) },
  }));
}

function aboutOf({ topics }: ReaderCoverage) {
  if (topics.length === 0) return {};
  return {
    about: topics.map(
      ({ slug, name }) => ({ '@type': 'Thing', name, url: siteUrl(`/topics/${slug}`) }) as const,
    ),
    keywords: topics.map(({ name }) => name),
  };
}

/** Returns the photos of an update that readers see, in the order of the text. */
function photosOf({ body, photos }: ReaderUpdate): ReaderPhoto[] {
  return photoIds(body).flatMap((id) => photos.find((photo) => photo.id === id) ?? []);
}

const photoUrl = ({ id }: Pick<ReaderPhoto, 'id'>) => siteUrl(photoPath(id, PHOTO_WIDTHS[2]));

const photoUrls = (update: ReaderUpdate): string[] => photosOf(update).map(photoUrl);

/** Returns a photo with its texts. Live pages name only the address, to save bytes. */
function imageOf(photo: ReaderPhoto): Exclude<ImageObject, string> {
  const { alt, caption, credit } = photo;
  const size = renditionFor(photo.renditions, PHOTO_WIDTHS[2]);
  return {
    '@type': 'ImageObject',
    url: photoUrl(photo),
    ...(size && { width: `${size.width}`, height: `${size.height}` }),
    description: alt,
    caption: caption ?? undefined,
    creditText: credit ?? undefined,
  };
}

/**
 * Returns the time of the last change shown on the page. Compares times, because the database writes fractions of a
 * second.
 */
function lastChange(coverage: ReaderCoverage, updates: ReaderUpdate[]): Date | undefined {
  const times = [
    coverage.published_at,
    coverage.revised_at,
    coverage.summary_at,
    coverage.ended_at,
    ...updates.flatMap((update) => [update.published_at, update.revised_at, update.withdrawn_at]),
  ].flatMap((at) => (at ? [Date.parse(at)] : []));
  return times.length > 0 ? new Date(Math.max(...times)) : undefined;
}

type Page = { path: string; name: string; description?: string; language: string };

/** Returns the structured data of a list of coverages. */
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

/** Returns the structured data of a person's page. */
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

/** A page on the way from the front page, with its title. */
type Breadcrumb = { name: string; path: string };

/** Returns the structured data of the breadcrumbs, from the front page to the page itself. */
export function breadcrumbList(
  site: Pick<Site, 'name'>,
  breadcrumbs: Breadcrumb[],
): Exclude<BreadcrumbList, string> {
  return {
    '@type': 'BreadcrumbList',
    itemListElement: [{ name: site.name, path: '/' }, ...breadcrumbs].map(({ name, path }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name,
      item: siteUrl(path),
    })),
  };
}

type NamedCoverage = Pick<ReaderCoverage, 'slug' | 'headline' | 'topics' | 'published_at'>;

/** Returns the breadcrumbs of a coverage: by its first topic, or else by the month of the archive in which it began. */
export function breadcrumbsTo(
  messages: Messages,
  { slug, headline, topics, published_at }: NamedCoverage,
  site: SitePlace,
): Breadcrumb[] {
  const [topic] = topics;
  const month = published_at && dayKey(published_at, siteClock(site)).slice(0, 7);
  return [
    ...(topic ? [{ name: topic.name, path: topicPath(topic.slug) }] : []),
    ...(!topic && month ? breadcrumbsToMonth(messages, month, site) : []),
    { name: headline, path: livePath(slug) },
  ];
}

/** @param month `2026-11`, in the site's time zone */
export const breadcrumbsToMonth = (messages: Messages, month: string, site: SitePlace): Breadcrumb[] => [
  { name: messages.archive.title, path: archivePath },
  { name: monthName(monthStart(month, siteClock(site)), siteClock(site)), path: monthPath(month) },
];

/**
 * Returns the breadcrumbs of an update.
 * @param name title of the update
 */
export const breadcrumbsToUpdate = (
  messages: Messages,
  coverage: NamedCoverage,
  number: number,
  name: string,
  site: SitePlace,
): Breadcrumb[] => [
  ...breadcrumbsTo(messages, coverage, site),
  { name, path: updatePath(coverage.slug, number) },
];
