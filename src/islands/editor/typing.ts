import type { KeyboardEvent } from 'react';
import { type Body, normalizeUrl } from '../../lib/domain/body/blocks.ts';
import {
  insertMarkdown,
  insertMedia,
  type TextEdit,
  type TextSelection,
  toggleLink,
} from '../../lib/domain/body/edit.ts';
import { type HtmlNode, htmlToBody, NestingError, pastedMarkdown } from '../../lib/domain/body/html.ts';
import { machineTime } from '../../lib/domain/time.ts';

/** The selection in a text field. */
export function selectionIn({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): TextSelection {
  return { text: value, from: selectionStart, to: selectionEnd };
}

/**
 * Inserts an edit as if it had been typed, so that it can be undone. Only `execCommand` does that; without it the text
 * is inserted directly.
 */
export function typeInto(
  area: HTMLTextAreaElement,
  { from, to, insert: put, selection: choose }: TextEdit,
): void {
  if (area.readOnly || area.disabled) return;
  area.focus();
  area.setSelectionRange(from, to);
  const isDone =
    put === ''
      ? from === to || document.execCommand('delete')
      : document.execCommand('insertText', false, put);
  if (!isDone) {
    area.setRangeText(put, from, to, 'end');
    area.dispatchEvent(new Event('input', { bubbles: true }));
  }
  area.setSelectionRange(...choose);
}

const isGrowthNative = () => CSS.supports('field-sizing', 'content');

/** Makes a field as high as its text where CSS cannot. */
export function growToFit(area: HTMLTextAreaElement): void {
  if (isGrowthNative()) return;
  area.style.blockSize = 'auto';
  area.style.blockSize = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`;
}

/** Limit in characters. Word processors add style sheets; an update is never this long. */
const MAX_HTML_LENGTH = 5_000_000;

/**
 * Reads formatted text or a link from a clipboard.
 * @returns null when the browser's own paste of plain text is best, or if there is no text
 */
export function pasted(data: DataTransfer, selection: TextSelection): TextEdit | null {
  const plain = data.getData('text/plain').trim();
  const address =
    /^https?:\/\/\S+$/i.test(plain) && selection.from !== selection.to ? normalizeUrl(plain) : null;
  const link = address ? toggleLink(selection, address) : null;
  if (link) return link;
  const media = insertMedia(selection, plain);
  if (media) return media;
  const html = isEmbedCode(plain) ? plain : data.getData('text/html');
  const { markdown, isInline } = pastedMarkdown(bodyOf(html));
  return markdown ? insertMarkdown(selection, markdown, isInline) : null;
}

/** Whether a text is the code that a network offers for embedding a post. */
const isEmbedCode = (text: string) =>
  /^<blockquote\s[^>]{0,1000}>/i.test(text) && text.includes('</blockquote>');

/** Reads the files of a clipboard. There are none beside text: word processors add a picture of it. */
export function filesIn(data: DataTransfer): File[] {
  const files = [...data.files];
  const lines = data.getData('text/plain').trim().split('\n');
  // Some systems copy a file together with its name.
  const isText = lines.some((line) => line && !files.some(({ name }) => name === line.trim()));
  return isText ? [] : files;
}

function bodyOf(html: string): Body {
  if (html === '' || html.length > MAX_HTML_LENGTH) return [];
  try {
    const { body } = new DOMParser().parseFromString(withoutStyles(html), 'text/html');
    return htmlToBody([...body.childNodes].flatMap(toHtmlNodes), undefined, machineTime(new Date()));
  } catch (error) {
    if (error instanceof NestingError) return [];
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

/**
 * Handles Enter in a field of the editor, which would submit the form of the update. With Ctrl or ⌘ it is a shortcut.
 * @param act gets the field
 */
export const onEnter =
  <Field extends HTMLElement>(act: (field: Field) => void) =>
  (event: KeyboardEvent<Field>): void => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act(event.currentTarget);
  };
