import { createHash } from 'node:crypto';
import { escapeUTF8 } from 'entities';
import { DomUtils, ElementType, parseDocument } from 'htmlparser2';
import { isPrivateRoute } from '../../domain/paths.ts';
import type { Messages } from '../../i18n/messages.ts';
import { convertLink, type FolderPage, type LinkContext, relativePath, renditionAt } from './links.ts';

/** HTML tree of htmlparser2, with functions for changing it. */
type Tree = ReturnType<typeof parseDocument>;
type Element = NonNullable<ReturnType<typeof DomUtils.findOne>>;
type Node = Tree['children'][number];
type Test = (element: Element) => boolean;

const isElement = (node: Node | Element['parent']): node is Element =>
  node !== null && ElementType.isTag(node);

const parseHtml = (html: string): Tree => parseDocument(html);

/** Serialises a tree. Encodes only characters that would be markup. */
const serializeHtml = (tree: Tree): string => DomUtils.getOuterHTML(tree, { encodeEntities: 'utf8' });

const findAll = (tree: Tree | Element, test: Test): Element[] => DomUtils.findAll(test, tree.children);

const hasName =
  (...names: string[]): Test =>
  ({ name }) =>
    names.includes(name);

const hasClass =
  (name: string): Test =>
  ({ attribs }) =>
    (attribs.class ?? '').split(/\s+/).includes(name);

const hasId =
  (id: string): Test =>
  ({ attribs }) =>
    attribs.id === id;

const remove = (element: Element): void => DomUtils.removeElement(element);

/** Replaces an element by its children. */
function unwrap(element: Element): void {
  for (const child of [...element.children]) DomUtils.prepend(element, child);
  DomUtils.removeElement(element);
}

/** Replaces an element by other HTML. */
function replace(element: Element, html: string): void {
  for (const node of [...parseDocument(html).children]) DomUtils.prepend(element, node);
  DomUtils.removeElement(element);
}

/** Removes an element, and parents that are empty without it. */
function removeWithEmptyParents(element: Element): void {
  const parent = element.parent;
  DomUtils.removeElement(element);
  if (isElement(parent) && REMOVED_WHEN_EMPTY.includes(parent.name) && isEmpty(parent))
    removeWithEmptyParents(parent);
}

const REMOVED_WHEN_EMPTY = ['li', 'p', 'ul', 'ol', 'nav'];

const isEmpty = (element: Element): boolean =>
  element.children.every((child) => !isElement(child) && !DomUtils.textContent(child).trim());

/** Whether the element has a matching ancestor. */
function isWithin(element: Element, test: Test): boolean {
  for (let around = element.parent; isElement(around); around = around.parent) {
    if (test(around)) return true;
  }
  return false;
}

const elementText = (element: Element): string => DomUtils.textContent(element);

/** Removes comments, which only tools need. */
function removeComments(tree: Tree): void {
  const comments = DomUtils.filter(({ type }) => type === ElementType.Comment, tree.children);
  for (const comment of comments) DomUtils.removeElement(comment as Node);
}

/** Attributes that the styles for paper need. */
const STYLED_ATTRIBUTES = ['data-day', 'data-order'];

/** Link relations that stay in the head of a page. */
const ALLOWED_LINK_RELATIONS = ['canonical', 'icon', 'prev', 'next', 'alternate'];

/** Removes scripts, forms and controls from a page, and keeps all text. Photos replace the placeholders of scripts. */
function makeStatic(tree: Tree): void {
  removeComments(tree);
  for (const place of findAll(tree, hasClass('place'))) remove(place);
  for (const part of findAll(tree, isOfPlayer)) remove(part);
  for (const element of findAll(tree, hasName('noscript', 'astro-island', 'astro-slot'))) unwrap(element);
  for (const script of findAll(tree, hasName('script', 'template'))) {
    if (script.attribs.type !== 'application/ld+json') remove(script);
  }
  for (const form of findAll(tree, (element) => element.name === 'form' || isTipForm(element)))
    removeWithEmptyParents(form);
  for (const control of findAll(
    tree,
    hasName('button', 'input', 'select', 'textarea', 'iframe', 'object', 'embed', 'base'),
  ))
    removeWithEmptyParents(control);
  for (const link of findAll(tree, hasName('link')))
    if (!relOf(link).some((rel) => ALLOWED_LINK_RELATIONS.includes(rel))) remove(link);
  for (const meta of findAll(tree, hasName('meta'))) if (meta.attribs['http-equiv']) remove(meta);
  for (const link of findAll(tree, isActionLink)) removeWithEmptyParents(link);
  for (const element of findAll(tree, () => true)) removeAttributes(element);
}

const relOf = ({ attribs }: Element): string[] => (attribs.rel ?? '').toLowerCase().split(/\s+/);

/** The button of a player and its empty frame. Its title and address stay. */
const isOfPlayer: Test = (element) =>
  hasClass('play')(element) ||
  (hasClass('frame')(element) && isElement(element.parent) && hasClass('media')(element.parent));

/** The tip form under the list. */
const isTipForm = hasClass('tip-us');

const isNavigation = (element: Element): boolean =>
  ['nav', 'footer'].includes(element.name) ||
  ['following', 'masthead', 'more'].some((name) => hasClass(name)(element));

/** Whether a link of the navigation leads to a form or reloads the page. Links in texts of the newsroom stay. */
function isActionLink(element: Element): boolean {
  if (element.name !== 'a' || !isWithin(element, isNavigation) || isWithin(element, hasName('article')))
    return false;
  if (isWithin(element, hasClass('check'))) return true;
  const { pathname, searchParams } = new URL(element.attribs.href ?? '', 'http://site');
  return (
    isPrivateRoute(pathname) ||
    /^\/(tips|search|follow)(\/|$)/.test(pathname) ||
    searchParams.get('order') === 'oldest'
  );
}

function removeAttributes(element: Element): void {
  for (const name of Object.keys(element.attribs)) {
    const isUnused = name.startsWith('data-') && !STYLED_ATTRIBUTES.includes(name);
    if (isUnused || name.startsWith('on') || name === 'style') delete element.attribs[name];
  }
  if (hasId('saved')(element)) delete element.attribs.hidden;
}

/** The page shows a photo that the folder lacks: the coverage changed after its data was written. */
export class MissingPhotoError extends Error {
  override name = 'MissingPhotoError';
}

/**
 * Content security policy of the pages: only styles and images of the folder. Files on a disk have no origin, so
 * `file:` is allowed too. It has no effect on a web server.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "img-src 'self' file: data:",
  "style-src 'self' file:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/**
 * Converts a page of the site to a file of the folder. Returns its styles for a separate file, which most pages share,
 * and the pages of the folder that it links to.
 * @throws MissingPhotoError
 */
export function staticPage(messages: Messages, html: string, context: LinkContext) {
  const tree = parseHtml(html);
  makeStatic(tree);
  const style = extractStyle(tree, context);
  for (const charset of findAll(
    tree,
    ({ name, attribs }) => name === 'meta' && attribs.charset !== undefined,
  ))
    replace(
      charset,
      `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${CONTENT_SECURITY_POLICY}">`,
    );
  const linkedPages = [...convertHeadLinks(tree, context), ...convertLinks(tree, context)];
  addSourceLink(messages, tree, context);
  for (const picture of findAll(tree, hasName('img'))) convertImage(picture, context);
  return { html: serializeHtml(tree), style, linkedPages };
}

function extractStyle(tree: Tree, { page }: LinkContext) {
  const styles = findAll(tree, hasName('style'));
  const text = styles.map(elementText).join('\n');
  const file = `style-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.css`;
  const [first, ...others] = styles;
  if (first) replace(first, `<link rel="stylesheet" href="${relativePath(page.file, file)}">`);
  for (const style of others) remove(style);
  return { file, text };
}

/** Replaces the time of the copy in the head of the page by a link to the original page. */
function addSourceLink(messages: Messages, tree: Tree, { page, siteUrl }: LinkContext): void {
  const address = escapeUTF8(new URL(page.path, siteUrl).href);
  for (const addressLine of findAll(tree, hasClass('address'))) remove(addressLine);
  const times = findAll(tree, hasName('time')).filter((time) => isWithin(time, hasClass('folio')));
  for (const { parent } of times) {
    const line = parent as Element;
    replace(line, `<p>${escapeUTF8(messages.folder.copyOf)} <a href="${address}">${address}</a></p>`);
  }
}

/** Converts links to neighbouring pages and feeds. Removes those to pages that the folder lacks. */
function convertHeadLinks(tree: Tree, context: LinkContext): FolderPage[] {
  const links = findAll(
    tree,
    (element) => element.name === 'link' && relOf(element).some((rel) => CONVERTED_RELATIONS.includes(rel)),
  );
  return links.flatMap((link) => {
    const { href, page } = convertLink(link.attribs.href ?? '', context);
    if (!href || !page) remove(link);
    else link.attribs.href = href;
    return page ?? [];
  });
}

const CONVERTED_RELATIONS = ['prev', 'next', 'alternate'];

function convertLinks(tree: Tree, context: LinkContext): FolderPage[] {
  const links = findAll(
    tree,
    ({ name, attribs }) => (name === 'a' || name === 'area') && attribs.href !== undefined,
  );
  return links.flatMap((link) => {
    const { href, page } = convertLink(link.attribs.href ?? '', context);
    if (href === undefined) delete link.attribs.href;
    else link.attribs.href = href;
    return page ?? [];
  });
}

function convertImage(picture: Element, context: LinkContext): void {
  const fileOf = (address: string) => {
    const file = renditionAt(new URL(address, context.siteUrl), context);
    if (!file) throw new MissingPhotoError(address);
    return file;
  };
  const { src, srcset } = picture.attribs;
  if (src) picture.attribs.src = fileOf(src);
  if (srcset) {
    const sources = srcset.split(/,\s+/).map((source) => source.split(' ') as [string, ...string[]]);
    picture.attribs.srcset = sources
      .map(([address, ...size]) => [fileOf(address), ...size].join(' '))
      .join(', ');
  }
}
