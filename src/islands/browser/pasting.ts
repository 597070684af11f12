import { linkAddress } from '../../lib/body/addresses.ts';
import type { Body } from '../../lib/body/blocks.ts';
import { type Chosen, type Edit, putIn, toggleLink } from '../../lib/body/edit.ts';
import { bodyOfHtml, type HtmlNode, TooDeep } from '../../lib/body/html.ts';
import { pastedText } from '../../lib/body/pasted.ts';

/** What a clipboard holds for a text: words to be put in, or pictures. */
export type Pasted = { edit: Edit } | { pictures: File[] };

/** In characters. A word processor brings its style sheets along; an update is never as long. */
const MAX_HTML_LENGTH = 5_000_000;

/**
 * Reads a clipboard.
 * @returns null where the plain words are best, which the browser pastes by itself
 */
export function pasted(data: DataTransfer, selection: Chosen): Pasted | null {
  const plain = data.getData('text/plain').trim();
  const address =
    /^https?:\/\/\S+$/i.test(plain) && selection.from !== selection.to ? linkAddress(plain) : null;
  const link = address ? toggleLink(selection, address) : null;
  if (link) return { edit: link };
  const { markdown, isInline } = pastedText(bodyOf(data.getData('text/html')));
  if (markdown) return { edit: putIn(selection, markdown, isInline) };
  // Word processors add a picture of the words.
  const pictures = plain ? [] : picturesIn(data);
  return pictures.length > 0 ? { pictures } : null;
}

/** The files that are brought, of which each says by itself whether it can be a photo. */
export const picturesIn = (data: DataTransfer) =>
  [...data.files].filter(({ type }) => type.startsWith('image/'));

function bodyOf(html: string): Body {
  if (html === '' || html.length > MAX_HTML_LENGTH) return [];
  try {
    const { body } = new DOMParser().parseFromString(withoutStyles(html), 'text/html');
    return bodyOfHtml([...body.childNodes].flatMap(toHtmlNodes), undefined);
  } catch (error) {
    if (error instanceof TooDeep) return [];
    throw error;
  }
}

/** The policy of the page holds for what is parsed in it too, and complains of every style: what is read of them goes by another name. */
const STYLE_ATTRIBUTE = 'data-look';

function withoutStyles(html: string): string {
  const bare = withoutStyleElements(html);
  return bare.replace(/<[a-z][^<>]*>/gi, (tag) => tag.replace(/\sstyle(?=\s*=)/gi, ` ${STYLE_ATTRIBUTE}`));
}

/** Cut from sheet to sheet: a pattern with both ends looks through all of it from each beginning that has no end. */
function withoutStyleElements(html: string): string {
  const [first = '', ...rest] = html.split(/<style\b/i);
  const after = rest.map((part) =>
    part
      .split(/<\/style\s{0,9}>/i)
      .slice(1)
      .join(''),
  );
  return first + after.join('');
}

function toHtmlNodes(node: Node): HtmlNode[] {
  if (node instanceof Text) return [{ text: node.data }];
  if (!(node instanceof Element)) return [];
  return [
    {
      name: node.localName,
      attribute: (name) => node.getAttribute(name === 'style' ? STYLE_ATTRIBUTE : name) ?? '',
      children: () => [...node.childNodes].flatMap(toHtmlNodes),
    },
  ];
}
