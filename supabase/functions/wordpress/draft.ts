import { Refused } from '../_shared/refusals.ts';
import { callWordPress, responseId, type WordPress, type WordPressAccess } from './rest.ts';

/** What `claim_wordpress_draft()` returns for an update without a draft. */
export type DraftSource = {
  slug: string;
  number: number;
  headline: string;
  /** Headline of the coverage. */
  coverage: string;
  body: Block[];
  photo: DraftPhoto | null;
  /** An earlier call may have made the draft before it failed. */
  is_repeated: boolean;
};

export type DraftPhoto = {
  id: string;
  bucket: string;
  width: number;
  alt: string;
  caption: string | null;
  credit: string | null;
};

/** A draft at WordPress: the address that opens it there, and its id. */
type Draft = { id: number; link: string };

/**
 * Makes a draft from an update: headline, text and a link to the update.
 * @param liveUrl URL of the update
 * @throws Refused
 */
export async function makeDraft(
  wordpress: WordPress,
  source: DraftSource,
  liveUrl: string,
  access: WordPressAccess,
): Promise<Draft> {
  const id =
    (source.is_repeated && (await findDraft(wordpress, liveUrl, access))) ||
    responseId(
      await callWordPress(
        wordpress,
        {
          route: '/wp/v2/posts',
          query: { _fields: 'id' },
          json: {
            status: 'draft',
            title: escapeHtml(source.headline),
            content: [blocksOf(source.body, liveUrl), linkParagraph(liveUrl, source.coverage)]
              .filter(Boolean)
              .join('\n\n'),
          },
        },
        access,
      ),
    );
  return { id, link: `${wordpress.url}/wp-admin/post.php?post=${id}&action=edit` };
}

/** Returns the id of a post that has the link to an update. */
async function findDraft(
  wordpress: WordPress,
  liveUrl: string,
  access: WordPressAccess,
): Promise<number | undefined> {
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
  return posts.find(({ content }) => content?.raw?.includes(`href="${liveUrl}"`))?.id;
}

/**
 * Uploads a photo and makes it the featured image of a draft.
 * @throws Refused, for example because the user of WordPress may not upload files
 */
export async function addPhoto(
  wordpress: WordPress,
  draft: Draft,
  photo: DraftPhoto,
  bytes: Uint8Array<ArrayBuffer>,
  access: WordPressAccess,
): Promise<void> {
  const caption = [photo.caption, photo.credit].filter(Boolean).join(' – ');
  const query = { alt_text: photo.alt, caption: escapeHtml(caption), _fields: 'id' };
  const file = { bytes, type: 'image/webp', name: `${photo.id}.webp` };
  const media = await callWordPress(wordpress, { route: '/wp/v2/media', query, file }, access);
  const json = { featured_media: responseId(media) };
  await callWordPress(
    wordpress,
    { route: `/wp/v2/posts/${draft.id}`, query: { _fields: 'id' }, json },
    access,
  );
}

/** Blocks of a body, as the database stores them (src/lib/domain/body/blocks.ts). */
type Run = { text: string; bold?: boolean; italic?: boolean; link?: string };
export type Block =
  | { type: 'paragraph'; runs: Run[] }
  | { type: 'list'; ordered?: boolean; items: Run[][] }
  | { type: 'quote'; text: string; attribution?: string }
  | { type: 'link'; url: string; title: string; description?: string; site?: string }
  | { type: 'table'; rows: Run[][][]; caption?: string; source?: string }
  | { type: 'map'; name: string; latitude: number; longitude: number }
  | { type: 'post'; url: string; author: string; handle?: string; network?: string; text: string }
  | { type: 'media'; url: string; title: string; description?: string }
  | { type: 'photo'; photo: string };

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
 * Returns a body as blocks of WordPress's editor. Photos are left out: the first one becomes the featured image.
 * @param site URL of our site, for files of the newsroom
 */
export const blocksOf = (body: Block[], site: string): string =>
  body
    .map((block) => blockOf(block, site))
    .filter(Boolean)
    .join('\n\n');

/** Returns a paragraph with a link. */
export const linkParagraph = (url: string, text: string): string => paragraph(anchor(url, escapeHtml(text)));

function blockOf(block: Block, site: string): string {
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
      return paragraph(escapeHtml(`${block.name} (${block.latitude}, ${block.longitude})`));
    case 'photo':
      return '';
  }
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
  const content = `<table><thead>${row(head, 'th')}</thead><tbody>${body}</tbody></table>${figcaption}`;
  return wrap('table', `<figure class="wp-block-table">${content}</figure>`);
}
