import { Refused } from '../_shared/refusals.ts';
import { callWordPress, responseId, type WordPress, type WordPressAccess } from './rest.ts';

/** Blocks of a body, as the database stores them (src/lib/domain/body/blocks.ts). */
type Run = { text: string; bold?: boolean; italic?: boolean; link?: string };
export type DraftBlock =
  | { type: 'paragraph'; runs: Run[] }
  | { type: 'list'; ordered?: boolean; items: Run[][] }
  | { type: 'quote'; text: string; attribution?: string }
  | { type: 'link'; url: string; title: string; description?: string; site?: string }
  | { type: 'table'; rows: Run[][][]; caption?: string; source?: string }
  | { type: 'map'; name: string; latitude: number; longitude: number; zoom?: number }
  | { type: 'post'; url: string; author: string; handle?: string; network?: string; text: string }
  | { type: 'media'; url: string; title: string; description?: string }
  | { type: 'photo'; photo: string };

/** A photo of a body with its texts, as `claim_wordpress_draft()` returns it. */
export type DraftPhoto = {
  id: string;
  bucket: string;
  width: number;
  alt: string;
  caption: string | null;
  credit: string | null;
};

/** A photo in the media library of WordPress. */
export type UploadedPhoto = { id: number; url: string };

/** The photos of a body that readers see, and those of them that are in WordPress, by their ids at our site. */
type DraftPhotos = { all: readonly DraftPhoto[]; uploaded: ReadonlyMap<string, UploadedPhoto> };

/** Zoom level of a map without one (src/lib/domain/body/places.ts). */
const DEFAULT_ZOOM = 16;

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // WordPress runs shortcodes in brackets.
  '[': '&#91;',
  ']': '&#93;',
};

/** Escapes plain text for HTML of WordPress, also within attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"'[\]]/g, (character) => ENTITIES[character] ?? '');

/**
 * Returns a body as blocks of WordPress's editor. A photo that is not in WordPress becomes a link to the photo at our site.
 * @param site URL of our site, for files of the newsroom
 */
export const blocksOf = (body: DraftBlock[], site: string, photos: DraftPhotos): string =>
  body
    .map((block) => (block.type === 'photo' ? photoOf(block.photo, site, photos) : blockOf(block, site)))
    .filter(Boolean)
    .join('\n\n');

/** Returns caption and credit of a photo in one line. */
export const photoLine = ({ caption, credit }: DraftPhoto): string =>
  [caption, credit].filter(Boolean).join(' – ');

/** Returns a paragraph with a link. */
export const linkParagraph = (url: string, text: string): string => paragraph(anchor(url, escapeHtml(text)));

function blockOf(block: Exclude<DraftBlock, { type: 'photo' }>, site: string): string {
  switch (block.type) {
    case 'paragraph':
      return paragraph(html(block.runs));
    case 'list': {
      const tag = block.ordered ? 'ol' : 'ul';
      const items = block.items.map((item) => wrap('list-item', `<li>${html(item)}</li>`)).join('');
      return wrap(block.ordered ? 'list {"ordered":true}' : 'list', `<${tag}>${items}</${tag}>`);
    }
    case 'quote':
      return quote(block.text, block.attribution ? escapeHtml(block.attribution) : '');
    case 'post': {
      const author = [block.author, block.handle, block.network].filter(Boolean).join(', ');
      return quote(block.text, anchor(block.url, escapeHtml(author)));
    }
    case 'link':
      return linked(block.url, block.title, [block.description, block.site]);
    case 'media':
      return linked(new URL(block.url, site).href, block.title, [block.description]);
    case 'table':
      return table(block.rows, [block.caption, block.source]);
    case 'map':
      return linked(mapUrl(block), block.name, [`${block.latitude}, ${block.longitude}`]);
  }
}

/** Returns the address of a place on OpenStreetMap, with a marker. */
function mapUrl({ latitude, longitude, zoom = DEFAULT_ZOOM }: Extract<DraftBlock, { type: 'map' }>): string {
  const place = `${latitude}/${longitude}`;
  return `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=${zoom}/${place}`;
}

/** Returns a photo, or nothing for one that readers do not see. */
function photoOf(id: string, site: string, { all, uploaded }: DraftPhotos): string {
  const photo = all.find((each) => each.id === id);
  if (!photo) return '';
  const file = uploaded.get(id);
  const line = escapeHtml(photoLine(photo));
  if (!file) return linked(new URL(`/photos/${id}/1600`, site).href, photo.alt, [photoLine(photo)]);
  const image = `<img src="${escapeHtml(file.url)}" alt="${escapeHtml(photo.alt)}" class="wp-image-${file.id}"/>`;
  const caption = line && `<figcaption class="wp-element-caption">${line}</figcaption>`;
  const attributes = `{"id":${file.id},"sizeSlug":"full","linkDestination":"none"}`;
  return wrap(`image ${attributes}`, `<figure class="wp-block-image size-full">${image}${caption}</figure>`);
}

const wrap = (name: string, content: string) =>
  `<!-- wp:${name} -->${content}<!-- /wp:${name.split(' ')[0]} -->`;

const paragraph = (content: string) => wrap('paragraph', `<p>${content}</p>`);

const anchor = (url: string, content: string) => `<a href="${escapeHtml(url)}">${content}</a>`;

const lines = (text: string) => escapeHtml(text).replaceAll('\n', '<br>');

function html(runs: Run[]): string {
  return runs
    .map(({ text, bold, italic, link }) => {
      let content = lines(text);
      if (italic) content = `<em>${content}</em>`;
      if (bold) content = `<strong>${content}</strong>`;
      return link ? anchor(link, content) : content;
    })
    .join('');
}

function quote(text: string, cite: string): string {
  const content = paragraph(lines(text)) + (cite && `<cite>${cite}</cite>`);
  return wrap('quote', `<blockquote class="wp-block-quote">${content}</blockquote>`);
}

const linked = (url: string, title: string, more: (string | undefined)[]) =>
  paragraph(
    [anchor(url, escapeHtml(title)), ...more.flatMap((text) => (text ? [lines(text)] : []))].join('<br>'),
  );

function table([head = [], ...rows]: Run[][][], more: (string | undefined)[]): string {
  const row = (cells: Run[][], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${html(cell)}</${tag}>`).join('')}</tr>`;
  const body = rows.map((cells) => row(cells, 'td')).join('');
  const caption = more
    .filter(Boolean)
    .map((text) => escapeHtml(text ?? ''))
    .join('. ');
  const figcaption = caption && `<figcaption class="wp-element-caption">${caption}</figcaption>`;
  // The first row may be empty.
  const thead = head.some((cell) => cell.length > 0) ? `<thead>${row(head, 'th')}</thead>` : '';
  const content = `<table>${thead}<tbody>${body}</tbody></table>${figcaption}`;
  return wrap('table', `<figure class="wp-block-table">${content}</figure>`);
}

/** What `claim_wordpress_draft()` returns for an update without a draft. */
export type DraftSource = {
  slug: string;
  number: number;
  headline: string;
  /** Headline of the coverage. */
  coverage: string;
  body: DraftBlock[];
  /** The photos that readers see, in the order of the body. */
  photos: DraftPhoto[];
  /** An earlier call may have made the draft before it failed. */
  is_repeated: boolean;
};

/** A draft at WordPress. */
export type DraftPost = {
  id: number;
  /** The address that opens it there. */
  link: string;
  /** It has the content that we gave it, so that no text of a person is lost when the photos are added. */
  isUntouched: boolean;
};

/** Returns the content of a draft: the text, the photos and a link to the update. */
const contentOf = (
  source: DraftSource,
  liveUrl: string,
  uploaded: ReadonlyMap<string, UploadedPhoto> = new Map(),
): string =>
  [blocksOf(source.body, liveUrl, { all: source.photos, uploaded }), linkParagraph(liveUrl, source.coverage)]
    .filter(Boolean)
    .join('\n\n');

/**
 * Makes a draft from an update. Its photos are links until `placePhotos` replaces them.
 * @param liveUrl URL of the update
 * @throws Refused
 */
export async function makeDraft(
  wordpress: WordPress,
  source: DraftSource,
  liveUrl: string,
  access: WordPressAccess,
): Promise<DraftPost> {
  const content = contentOf(source, liveUrl);
  const existing = source.is_repeated ? await findDraft(wordpress, liveUrl, access) : undefined;
  const json = { status: 'draft', title: escapeHtml(source.headline), content };
  const id =
    existing?.id ??
    responseId(
      await callWordPress(wordpress, { route: '/wp/v2/posts', query: { _fields: 'id' }, json }, access),
    );
  const link = `${wordpress.url}/wp-admin/post.php?post=${id}&action=edit`;
  return { id, link, isUntouched: !existing || existing.content === content };
}

/** Returns the id and content of a post that has the link to an update. */
async function findDraft(
  wordpress: WordPress,
  liveUrl: string,
  access: WordPressAccess,
): Promise<{ id: number; content: string } | undefined> {
  const query = {
    status: 'draft,pending,future,publish',
    context: 'edit',
    search: liveUrl,
    _fields: 'id,content.raw',
  };
  const call = { route: '/wp/v2/posts', query };
  const answer = await callWordPress(wordpress, call, access).catch((error: unknown) => {
    // WordPress refuses the search to a user it does not know with 400. The next request says why.
    if (error instanceof Refused && error.reason === 'wordpress_not_understood') return [];
    throw error;
  });
  const posts: { id: number; content?: { raw?: string } }[] = Array.isArray(answer) ? answer : [];
  return posts
    .map(({ id, content }) => ({ id, content: content?.raw ?? '' }))
    .find(({ content }) => content.includes(`href="${liveUrl}"`));
}

/**
 * Uploads a photo to the media library, with its texts.
 * @throws Refused, for example because the user of WordPress may not upload files
 */
export async function uploadToMediaLibrary(
  wordpress: WordPress,
  photo: DraftPhoto,
  bytes: Uint8Array<ArrayBuffer>,
  access: WordPressAccess,
): Promise<UploadedPhoto> {
  const query = {
    alt_text: photo.alt,
    caption: escapeHtml(photoLine(photo)),
    _fields: 'id,source_url',
  };
  const file = { bytes, type: 'image/webp', name: `${photo.id}.webp` };
  const media = await callWordPress(wordpress, { route: '/wp/v2/media', query, file }, access);
  const { source_url } = media as { source_url?: unknown };
  const url = typeof source_url === 'string' ? URL.parse(source_url) : null;
  if (!url || !/^https?:$/.test(url.protocol)) throw new Refused('bad_state', 'wordpress_not_understood');
  return { id: responseId(media), url: url.href };
}

/**
 * Puts uploaded photos into their places in a draft, and makes the first one its featured image.
 * @throws Refused
 */
export async function placePhotos(
  wordpress: WordPress,
  draft: DraftPost,
  source: DraftSource,
  liveUrl: string,
  uploaded: ReadonlyMap<string, UploadedPhoto>,
  access: WordPressAccess,
): Promise<void> {
  const [first] = uploaded.values();
  const json = { content: contentOf(source, liveUrl, uploaded), featured_media: first?.id };
  const call = { route: `/wp/v2/posts/${draft.id}`, query: { _fields: 'id' }, json };
  await callWordPress(wordpress, call, access);
}
