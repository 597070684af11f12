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
