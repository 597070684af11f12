import { DomUtils, ElementType, parseDocument } from 'htmlparser2';

/** Markup as a tree that can be changed, by htmlparser2 and its helpers. */
export type Tree = ReturnType<typeof parseDocument>;
export type Element = NonNullable<ReturnType<typeof DomUtils.findOne>>;
type Node = Tree['children'][number];
type Test = (element: Element) => boolean;

const isElement = (node: Node | Element['parent']): node is Element =>
  node !== null && ElementType.isTag(node);

export const treeOf = (html: string): Tree => parseDocument(html);

/** Characters are written as themselves, but for those that would be markup. */
export const htmlOf = (tree: Tree): string => DomUtils.getOuterHTML(tree, { encodeEntities: 'utf8' });

export const all = (tree: Tree | Element, test: Test): Element[] => DomUtils.findAll(test, tree.children);

export const named =
  (...names: string[]): Test =>
  ({ name }) =>
    names.includes(name);

export const withClass =
  (name: string): Test =>
  ({ attribs }) =>
    (attribs.class ?? '').split(/\s+/).includes(name);

export const withId =
  (id: string): Test =>
  ({ attribs }) =>
    attribs.id === id;

export const remove = (element: Element): void => DomUtils.removeElement(element);

/** Its content in its place. */
export function unwrap(element: Element): void {
  for (const child of [...element.children]) DomUtils.prepend(element, child);
  DomUtils.removeElement(element);
}

/** Other markup in its place. */
export function replace(element: Element, html: string): void {
  for (const node of [...parseDocument(html).children]) DomUtils.prepend(element, node);
  DomUtils.removeElement(element);
}

/** Takes an element away, and what stood around nothing but it. */
export function removeWhole(element: Element): void {
  const parent = element.parent;
  DomUtils.removeElement(element);
  if (isElement(parent) && EMPTIED.includes(parent.name) && isEmpty(parent)) removeWhole(parent);
}

const EMPTIED = ['li', 'p', 'ul', 'ol', 'nav'];

const isEmpty = (element: Element): boolean =>
  element.children.every((child) => !isElement(child) && !DomUtils.textContent(child).trim());

/** Whether it stands within something. */
export function isWithin(element: Element, test: Test): boolean {
  for (let around = element.parent; isElement(around); around = around.parent) {
    if (test(around)) return true;
  }
  return false;
}

export const textOf = (element: Element): string => DomUtils.textContent(element);

/** Comments are for machines that make pages. */
export function removeComments(tree: Tree): void {
  const comments = DomUtils.filter(({ type }) => type === ElementType.Comment, tree.children);
  for (const comment of comments) DomUtils.removeElement(comment as Node);
}
