import { createHash } from 'node:crypto';
import { escapeUTF8 } from 'entities';
import { isPrivateRoute } from '../../domain/routes.ts';
import { folder as words } from '../../i18n/folder.ts';
import {
  all,
  type Element,
  htmlOf,
  isWithin,
  named,
  remove,
  removeComments,
  removeWhole,
  replace,
  type Tree,
  textOf,
  treeOf,
  unwrap,
  withClass,
  withId,
} from './html-tree.ts';
import { between, lead, type Place, printAt, type Standing } from './links.ts';

/** Attributes that the styles for paper need. */
const SAID_BY_STYLES = ['data-day', 'data-order'];

/** Link relations that stay in the head of a page. */
const KEPT_LINKS = ['canonical', 'icon', 'prev', 'next', 'alternate'];

/** Removes scripts, forms and controls from a page, and keeps all text. Photos replace the placeholders of scripts. */
export function makeStill(tree: Tree): void {
  removeComments(tree);
  for (const place of all(tree, withClass('place'))) remove(place);
  for (const element of all(tree, named('noscript', 'astro-island', 'astro-slot'))) unwrap(element);
  for (const script of all(tree, named('script', 'template'))) {
    if (script.attribs.type !== 'application/ld+json') remove(script);
  }
  for (const form of all(tree, (element) => element.name === 'form' || isTipBox(element))) removeWhole(form);
  for (const control of all(
    tree,
    named('button', 'input', 'select', 'textarea', 'iframe', 'object', 'embed', 'base'),
  ))
    removeWhole(control);
  for (const link of all(tree, named('link')))
    if (!relOf(link).some((rel) => KEPT_LINKS.includes(rel))) remove(link);
  for (const meta of all(tree, named('meta'))) if (meta.attribs['http-equiv']) remove(meta);
  for (const link of all(tree, isWayToAct)) removeWhole(link);
  for (const element of all(tree, () => true)) removeAttributes(element);
}

export const relOf = ({ attribs }: Element): string[] => (attribs.rel ?? '').toLowerCase().split(/\s+/);

/** The tip form under the list. */
const isTipBox = withClass('tip-us');

const isFurniture = (element: Element): boolean =>
  ['nav', 'footer'].includes(element.name) ||
  ['following', 'masthead', 'more'].some((name) => withClass(name)(element));

/** Whether a link of the navigation leads to a form or reloads the page. Links in texts of the newsroom stay. */
function isWayToAct(element: Element): boolean {
  if (element.name !== 'a' || !isWithin(element, isFurniture) || isWithin(element, named('article')))
    return false;
  if (isWithin(element, withClass('check'))) return true;
  const { pathname, searchParams } = new URL(element.attribs.href ?? '', 'http://site');
  return (
    isPrivateRoute(pathname) ||
    /^\/(tips|search)(\/|$)/.test(pathname) ||
    searchParams.get('order') === 'oldest'
  );
}

function removeAttributes(element: Element): void {
  for (const name of Object.keys(element.attribs)) {
    const isUnused = name.startsWith('data-') && !SAID_BY_STYLES.includes(name);
    if (isUnused || name.startsWith('on') || name === 'style') delete element.attribs[name];
  }
  if (withId('saved')(element)) delete element.attribs.hidden;
}

/** A page of the folder. */
export type KeptPage = {
  html: string;
  /** Styles in a separate file, which most pages share. */
  style: { file: string; text: string };
  /** Pages of the folder that this page links to. */
  leadsTo: Place[];
};

/** The page shows a photo that the folder lacks: the coverage changed after its data was written. */
export class PhotoMissing extends Error {
  override name = 'PhotoMissing';
}

/**
 * Content security policy of the pages: only styles and images of the folder. Files on a disk have no origin, so
 * `file:` is allowed too. It has no effect on a web server.
 */
const POLICY = [
  "default-src 'none'",
  "img-src 'self' file: data:",
  "style-src 'self' file:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/**
 * Converts a page of the site to a file of the folder.
 * @throws PhotoMissing
 */
export function keptPage(html: string, standing: Standing): KeptPage {
  const tree = treeOf(html);
  makeStill(tree);
  const style = takeStyle(tree, standing);
  for (const charset of all(tree, ({ name, attribs }) => name === 'meta' && attribs.charset !== undefined))
    replace(charset, `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
  const leadsTo = [...leadHead(tree, standing), ...leadLinks(tree, standing)];
  sayWhereFrom(tree, standing);
  for (const picture of all(tree, named('img'))) showPicture(picture, standing);
  return { html: htmlOf(tree), style, leadsTo };
}

function takeStyle(tree: Tree, { place }: Standing): KeptPage['style'] {
  const styles = all(tree, named('style'));
  const text = styles.map(textOf).join('\n');
  const file = `style-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.css`;
  const [first, ...others] = styles;
  if (first) replace(first, `<link rel="stylesheet" href="${between(place.file, file)}">`);
  for (const style of others) remove(style);
  return { file, text };
}

/** Replaces the time of the copy in the head of the page by a link to the original page. */
function sayWhereFrom(tree: Tree, { place, siteUrl }: Standing): void {
  const address = escapeUTF8(new URL(place.path, siteUrl).href);
  for (const forPaper of all(tree, withClass('address'))) remove(forPaper);
  const times = all(tree, named('time')).filter((time) => isWithin(time, withClass('folio')));
  for (const { parent } of times) {
    const line = parent as Element;
    replace(line, `<p>${escapeUTF8(words.copyOf)} <a href="${address}">${address}</a></p>`);
  }
}

/** Converts links to neighbouring pages and feeds. Removes those to pages that the folder lacks. */
function leadHead(tree: Tree, standing: Standing): Place[] {
  const links = all(
    tree,
    (element) => element.name === 'link' && relOf(element).some((rel) => LED.includes(rel)),
  );
  return links.flatMap((link) => {
    const { href, place } = lead(link.attribs.href ?? '', standing);
    if (!href || !place) remove(link);
    else link.attribs.href = href;
    return place ?? [];
  });
}

const LED = ['prev', 'next', 'alternate'];

function leadLinks(tree: Tree, standing: Standing): Place[] {
  const links = all(
    tree,
    ({ name, attribs }) => (name === 'a' || name === 'area') && attribs.href !== undefined,
  );
  return links.flatMap((link) => {
    const { href, place } = lead(link.attribs.href ?? '', standing);
    if (href === undefined) delete link.attribs.href;
    else link.attribs.href = href;
    return place ?? [];
  });
}

function showPicture(picture: Element, standing: Standing): void {
  const fileOf = (address: string) => {
    const file = printAt(new URL(address, standing.siteUrl), standing);
    if (!file) throw new PhotoMissing(address);
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
