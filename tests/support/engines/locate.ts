/** A text that must be contained (case-insensitive), be equal (`exact`) or match a pattern. */
export type TextMatch = { text: string; exact: boolean } | { pattern: string; flags: string };

/** The part of axe that is used here. Its own types do not have all of it. */
type Axe = {
  setup(root: Element): void;
  teardown(): void;
  commons: {
    aria: { getRole(element: Element): string | null };
    text: { accessibleText(element: Element): string };
  };
};

/** One step of a locator: it narrows the elements of the steps before it. */
export type Step =
  | { by: 'css'; selector: string }
  | { by: 'role'; role: string; name?: TextMatch }
  | { by: 'label'; name: TextMatch }
  | { by: 'text'; text: TextMatch }
  | { by: 'hasText'; text: TextMatch }
  | { by: 'nth'; index: number };

/**
 * Runs in the page: the elements that the steps lead to, in the order of the document. Roles and accessible names are
 * computed by axe, which must be in the page; roles, labels and texts find visible elements only.
 */
export function findElements(steps: Step[]): Element[] {
  const { axe } = window as unknown as { axe: Axe };
  const { aria, text: texts } = axe.commons;
  const isVisible = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const normal = (text: string) => text.replace(/\s+/g, ' ').trim();
  const matches = (text: string, match: TextMatch) => {
    if ('pattern' in match) return new RegExp(match.pattern, match.flags).test(normal(text));
    const [actual, expected] = [normal(text), normal(match.text)];
    return match.exact ? actual === expected : actual.toLowerCase().includes(expected.toLowerCase());
  };
  const within = (scope: Document | Element, selector: string) => [...scope.querySelectorAll(selector)];
  const textOf = (element: Element) => (element as HTMLElement).innerText ?? '';
  const step = (scope: Document | Element, by: Exclude<Step, { by: 'nth' | 'hasText' }>): Element[] => {
    if (by.by === 'css') return within(scope, by.selector);
    if (by.by === 'label')
      return within(scope, 'input, textarea, select, [contenteditable]').filter((element) =>
        matches(texts.accessibleText(element), by.name),
      );
    if (by.by === 'role')
      return within(scope, '*').filter(
        (element) =>
          aria.getRole(element) === by.role &&
          isVisible(element) &&
          (!by.name || matches(texts.accessibleText(element), by.name)),
      );
    // The innermost elements with the text.
    const inside = within(scope, scope === document ? 'body *' : '*');
    const having = inside.filter((element) => isVisible(element) && matches(textOf(element), by.text));
    return having.filter((element) => !having.some((other) => other !== element && element.contains(other)));
  };
  axe.setup(document.documentElement);
  try {
    let scopes: (Document | Element)[] = [document];
    for (const by of steps) {
      if (by.by === 'nth') scopes = scopes.slice(by.index, by.index + 1);
      else if (by.by === 'hasText')
        scopes = scopes.filter((scope) => matches(textOf(scope as Element), by.text));
      else scopes = [...new Set(scopes.flatMap((scope) => step(scope, by)))];
    }
    return scopes.filter((scope) => scope instanceof Element);
  } finally {
    axe.teardown();
  }
}

/** Runs in the page: whether `findElements` can be used there. */
export const hasAxe = (): boolean => 'axe' in window;

/** Runs in the page: scrolls to an element and gives the point to press, or says what hinders. */
export function pointOf(element: Element): { x: number; y: number } | string {
  if ('disabled' in element && element.disabled) return 'it is disabled';
  const isInView = ({ top, bottom }: DOMRect) => top >= 0 && bottom <= innerHeight;
  if (!isInView(element.getBoundingClientRect()))
    element.scrollIntoView({ block: 'center', behavior: 'instant' });
  // A link over several lines has no middle of its own.
  const [box] = element.getClientRects();
  if (!box || box.width === 0) return 'it is not visible';
  const [x, y] = [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
  const hit = document.elementFromPoint(x, y);
  const labelled = hit?.closest('label')?.control;
  if (!hit || !(element.contains(hit) || hit.contains(element) || labelled === element))
    return `${hit?.outerHTML.slice(0, 80)} is in front of it`;
  return { x, y };
}
