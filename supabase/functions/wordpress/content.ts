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
