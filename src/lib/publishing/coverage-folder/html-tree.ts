import { DomUtils, ElementType, parseDocument } from 'htmlparser2';

/** HTML tree of htmlparser2, with functions for changing it. */
export type Tree = ReturnType<typeof parseDocument>;
export type Element = NonNullable<ReturnType<typeof DomUtils.findOne>>;
type Node = Tree['children'][number];
type Test = (element: Element) => boolean;

const isElement = (node: Node | Element['parent']): node is Element =>
  node !== null && ElementType.isTag(node);

export const parseHtml = (html: string): Tree => parseDocument(html);

/** Serialises a tree. Encodes only characters that would be markup. */
export const serializeHtml = (tree: Tree): string => DomUtils.getOuterHTML(tree, { encodeEntities: 'utf8' });

export const findAll = (tree: Tree | Element, test: Test): Element[] => DomUtils.findAll(test, tree.children);

export const hasName =
  (...names: string[]): Test =>
  ({ name }) =>
    names.includes(name);

export const hasClass =
  (name: string): Test =>
  ({ attribs }) =>
    (attribs.class ?? '').split(/\s+/).includes(name);

export const hasId =
  (id: string): Test =>
  ({ attribs }) =>
    attribs.id === id;

export const remove = (element: Element): void => DomUtils.removeElement(element);

/** Replaces an element by its children. */
export function unwrap(element: Element): void {
  for (const child of [...element.children]) DomUtils.prepend(element, child);
  DomUtils.removeElement(element);
}

/** Replaces an element by other HTML. */
export function replace(element: Element, html: string): void {
  for (const node of [...parseDocument(html).children]) DomUtils.prepend(element, node);
  DomUtils.removeElement(element);
}

/** Removes an element, and parents that are empty without it. */
export function removeWithEmptyParents(element: Element): void {
  const parent = element.parent;
  DomUtils.removeElement(element);
  if (isElement(parent) && REMOVED_WHEN_EMPTY.includes(parent.name) && isEmpty(parent))
    removeWithEmptyParents(parent);
}

const REMOVED_WHEN_EMPTY = ['li', 'p', 'ul', 'ol', 'nav'];

const isEmpty = (element: Element): boolean =>
  element.children.every((child) => !isElement(child) && !DomUtils.textContent(child).trim());

/** Whether the element has a matching ancestor. */
export function isWithin(element: Element, test: Test): boolean {
  for (let around = element.parent; isElement(around); around = around.parent) {
    if (test(around)) return true;
  }
  return false;
}

export const elementText = (element: Element): string => DomUtils.textContent(element);

/** Removes comments, which only tools need. */
export function removeComments(tree: Tree): void {
  const comments = DomUtils.filter(({ type }) => type === ElementType.Comment, tree.children);
  for (const comment of comments) DomUtils.removeElement(comment as Node);
}
