import { isPrivateRoute } from '../http/routes.ts';
import {
  all,
  type Element,
  isWithin,
  named,
  remove,
  removeComments,
  removeWhole,
  type Tree,
  unwrap,
  withClass,
  withId,
} from './tree.ts';

/** What a page needs of its `data-` attributes without scripts: paper's order and days. */
const SAID_BY_STYLES = ['data-day', 'data-order'];

/** What a page may say of others in its head; the rest is for programs of a site. */
const KEPT_LINKS = ['canonical', 'icon', 'prev', 'next', 'alternate'];

/**
 * A page of the site with nothing in it that runs, asks, sends or waits: all that is to be read stays. Photos stand
 * where a script would have put them.
 */
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

/** The form for tips, folded under the list. */
const isTipBox = withClass('tip-us');

const isFurniture = (element: Element): boolean =>
  ['nav', 'footer'].includes(element.name) ||
  ['following', 'masthead', 'more'].some((name) => withClass(name)(element));

/** A link of the site's furniture that leads to where something is done or asked for, or that loads the page again. What a newsroom wrote stays. */
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
