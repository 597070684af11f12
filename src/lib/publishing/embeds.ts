import { escapeUTF8 } from 'entities';
import { readKeyEventList, readPinned, readUrgent } from '../data/coverages.ts';
import { siteUrl } from '../data/environment.ts';
import { embedPath, type OembedRequest } from '../data/public-routes.ts';
import type { Site } from '../data/site.ts';
import { readNewestLines, readUpdatesBetween, readUrgentEvent } from '../data/updates.ts';
import type { PartRequest } from '../domain/coverage-part.ts';
import { livePath } from '../domain/coverages.ts';
import { LIMITS } from '../domain/limits.ts';
import type { ReaderPhoto } from '../domain/photos.ts';
import { hasEnded, type ReaderCoverage } from '../domain/reader-coverage.ts';
import type { KeyEvent, ReaderUpdate } from '../domain/updates.ts';
import type { Messages } from '../i18n/messages.ts';
import { PAGE_ROOM, showWithin } from './excerpts.server.ts';
import { coverageOgImageLink, OG_IMAGE_SIZE } from './og-image.ts';

/** Height of a frame in pixels if no script adjusts it. */
const FRAME_HEIGHT = 600;

type FrameOptions = { slug: string; headline: string; width?: number; height?: number };

/**
 * Returns the HTML that another site inserts: the frame, and a script that adjusts its height. The script handles
 * only frames of this site and may be included several times.
 */
export function embedSnippet({ slug, headline, width, height = FRAME_HEIGHT }: FrameOptions): string {
  const origin = siteUrl('/').slice(0, -1);
  const frame = [
    `src="${escapeUTF8(siteUrl(embedPath(slug)))}"`,
    `title="${escapeUTF8(headline)}"`,
    `width="${width ?? '100%'}" height="${height}" loading="lazy"`,
    `style="border:0;width:100%${width ? `;max-width:${width}px` : ''}"`,
  ];
  return `<iframe ${frame.join(' ')}></iframe>\n${resizeScript(origin)}`;
}

/** Written for old browsers. */
const resizeScript = (origin: string) =>
  `<script>
addEventListener('message', function (e) {
  var d = e.data;
  if (e.origin !== '${origin}' || !d || d.type !== 'stoppress:height' || !(d.height > 0 && d.height < 50000)) return;
  var f = document.getElementsByTagName('iframe');
  for (var i = 0; i < f.length; i++) if (f[i].contentWindow === e.source) f[i].style.height = d.height + 'px';
});
</script>`;

/**
 * A link for WordPress. It removes our script, hides the frame until it has reported its height, and shows this quote
 * until then. It loads its own script for that only if there is a quote at the beginning. It removes the attribute,
 * which hides the quote everywhere else.
 */
const wordPressQuote = ({ slug, headline }: FrameOptions) =>
  `<blockquote hidden><a href="${escapeUTF8(siteUrl(livePath(slug)))}">${escapeUTF8(headline)}</a></blockquote>\n`;

/** Maximum width of a frame in pixels: the column of updates with its times. */
const FRAME_WIDTH = 700;

/** Seconds for which the response may be cached. */
const CACHE_AGE_S = 300;

/** Whether the host is this site. The scheme is ignored, because old links may use http. */
export const isOwnHost = (host: string): boolean => new URL(siteUrl('/')).host === host;

/** Describes a coverage as oEmbed 1.0: as a frame, or as a link if frames are not allowed. */
export function oembedResponse(
  messages: Messages,
  coverage: ReaderCoverage,
  site: Site,
  { width, height }: OembedRequest,
): object {
  const { slug, headline } = coverage;
  const about = {
    version: '1.0',
    title: headline,
    provider_name: site.name,
    provider_url: siteUrl('/'),
    cache_age: CACHE_AGE_S,
    ...thumbnail(messages, coverage, site, width, height),
  };
  if (site.embed_origins.length === 0) return { type: 'link', ...about };
  const size = {
    width: Math.min(width ?? FRAME_WIDTH, FRAME_WIDTH),
    height: Math.min(height ?? FRAME_HEIGHT, FRAME_HEIGHT),
  };
  const frame = { slug, headline, ...size };
  return { type: 'rich', ...about, ...size, html: wordPressQuote(frame) + embedSnippet(frame) };
}

/** The Open Graph image of the coverage. Left out if it is larger than requested. */
function thumbnail(
  messages: Messages,
  coverage: ReaderCoverage,
  site: Site,
  width: number = OG_IMAGE_SIZE.width,
  height: number = OG_IMAGE_SIZE.height,
): object {
  if (width < OG_IMAGE_SIZE.width || height < OG_IMAGE_SIZE.height) return {};
  return {
    thumbnail_url: siteUrl(coverageOgImageLink(messages, coverage, site).path),
    thumbnail_width: OG_IMAGE_SIZE.width,
    thumbnail_height: OG_IMAGE_SIZE.height,
  };
}

/**
 * Returns the content of a frame: the newest updates, the urgent and the pinned one, shortened to fit into the first
 * round trip.
 */
export async function readEmbed(coverage: ReaderCoverage, { name }: Site) {
  const { id, update_count: count, kicker, headline } = coverage;
  const [updates, urgent, pinned] = await Promise.all([
    readUpdatesBetween(id, Math.max(1, count - LIMITS.page_size + 1), count),
    readUrgent(coverage),
    readPinned(coverage),
  ]);
  const content = { updates, urgent, pinned, summary: [], keyEvents: { events: [], more: false } };
  return { updates, pinned, shown: await showWithin(content, [headline, kicker, name], PAGE_ROOM) };
}

/** What a part shows. Lists that its layout does not show are empty. */
type PartContent = {
  /** The newest urgent update of a coverage that has not ended. */
  urgent: KeyEvent | null;
  keyEvents: KeyEvent[];
  /** The newest updates as lines. */
  lines: KeyEvent[];
  /** The newest updates, withdrawn ones included. */
  updates: ReaderUpdate[];
  /** The photo that stands for the coverage. */
  photo: ReaderPhoto | null;
};

/** Everything that a part is rendered from. `messages` are in the language of the coverage, if it is supported. */
export type PartProps = {
  messages: Messages;
  coverage: ReaderCoverage;
  site: Site;
  request: PartRequest;
  content: PartContent;
};

/** Renders a part as HTML. */
export type DrawPart = (props: PartProps) => string;

/** Number of lines in the layout `newest`. */
const LINES = 3;

/** Reads what a part shows. */
export async function readPart(
  coverage: ReaderCoverage,
  { layout, updates }: PartRequest,
): Promise<PartContent> {
  const { id, state, update_count: count } = coverage;
  const lineCount = { full: 0, summary: 0, newest: LINES, strip: 1 }[layout];
  const [urgent, list, lines, newest] = await Promise.all([
    hasEnded(state) ? null : readUrgentEvent(id),
    layout === 'full' || layout === 'summary' ? readKeyEventList(coverage) : null,
    lineCount > 0 ? readNewestLines(id, lineCount) : [],
    layout === 'full' ? readUpdatesBetween(id, Math.max(1, count - updates + 1), count) : [],
  ]);
  return {
    urgent,
    keyEvents: layout === 'summary' && list ? list.events : [],
    lines,
    updates: newest,
    photo: list?.photo ?? null,
  };
}
