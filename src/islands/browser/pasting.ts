import { linkAddress } from '../../lib/body/addresses.ts';
import type { Body } from '../../lib/body/blocks.ts';
import { type Chosen, type Edit, putIn, toggleLink } from '../../lib/body/edit.ts';
import { bodyOfHtml, type HtmlNode, TooDeep } from '../../lib/body/html.ts';
import { pastedText } from '../../lib/body/pasted.ts';

/** Clipboard content for a text: an edit or pictures. */
export type Pasted = { edit: Edit } | { pictures: File[] };

/** Limit in characters. Word processors add style sheets; an update is never this long. */
const MAX_HTML_LENGTH = 5_000_000;

/**
 * Reads a clipboard.
 * @returns null when the browser's own paste of plain text is best
 */
export function pasted(data: DataTransfer, selection: Chosen): Pasted | null {
  const plain = data.getData('text/plain').trim();
  const address =
    /^https?:\/\/\S+$/i.test(plain) && selection.from !== selection.to ? linkAddress(plain) : null;
  const link = address ? toggleLink(selection, address) : null;
  if (link) return { edit: link };
  const { markdown, isInline } = pastedText(bodyOf(data.getData('text/html')));
  if (markdown) return { edit: putIn(selection, markdown, isInline) };
  // Word processors add a picture of the text.
  const pictures = plain ? [] : picturesIn(data);
  return pictures.length > 0 ? { pictures } : null;
}

/** The image files of a paste or drop. */
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

/** The page's Content Security Policy reports each style attribute of parsed HTML, so it is renamed first. */
const STYLE_ATTRIBUTE = 'data-look';

function withoutStyles(html: string): string {
  const bare = withoutStyleElements(html);
  return bare.replace(/<[a-z][^<>]*>/gi, (tag) => tag.replace(/\sstyle(?=\s*=)/gi, ` ${STYLE_ATTRIBUTE}`));
}

/** Splits instead of matching a pattern, which would be quadratic for unclosed style elements. */
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
