/** A text that must be contained (case-insensitive), be equal (`exact`) or match a pattern. */
export type TextMatch = { text: string; exact: boolean } | { pattern: string; flags: string };

/** The part of axe's interface that is used here. axe's own types do not contain all of it. */
type Axe = {
  setup(root: Element): void;
  teardown(): void;
  commons: {
    aria: { getRole(element: Element): string | null };
    text: { accessibleText(element: Element): string };
  };
};

/** One step of a locator. It narrows the elements that the earlier steps found. */
export type Step =
  | { by: 'css'; selector: string }
  | { by: 'role'; role: string; name?: TextMatch }
  | { by: 'label'; name: TextMatch }
  | { by: 'text'; text: TextMatch }
  | { by: 'hasText'; text: TextMatch }
  | { by: 'nth'; index: number };

/** Result of `findElements` if a step needs axe and the page has not loaded it. */
export const NEEDS_AXE = 'needs axe';

/**
 * Runs in the page. Returns the elements that the steps find, in document order. axe computes roles and accessible
 * names. Roles and texts match visible elements only. Returns `needsAxe` if a step needs axe and it is not loaded.
 */
export function findElements<Missing extends string>(steps: Step[], needsAxe: Missing): Element[] | Missing {
  const { axe } = window as unknown as { axe?: Axe };
  const isVisible = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const normal = (text: string) => text.replace(/\s+/g, ' ').trim();
  const matches = (text: string, match: TextMatch) => {
    if ('pattern' in match) return new RegExp(match.pattern, match.flags).test(normal(text));
    const [actual, expected] = [normal(text), normal(match.text)];
    return match.exact ? actual === expected : actual.toLowerCase().includes(expected.toLowerCase());
  };
  const textOf = (element: Element) => (element as HTMLElement).innerText ?? '';
  const innermost = (elements: Element[]) =>
    elements.filter((element) => !elements.some((other) => other !== element && element.contains(other)));

  // axe prepares the whole document before it computes a role or a name, which takes long. These selectors limit the
  // work to elements that may match.
  const CANDIDATES: Record<string, string> = {
    button: 'button, summary, input',
    checkbox: 'input',
    link: 'a, area',
    listitem: 'li',
    radio: 'input',
    region: 'section',
  };
  const computed = (elements: Element[], test: (commons: Axe['commons'], element: Element) => boolean) => {
    if (elements.length === 0) return [];
    if (!axe) throw needsAxe;
    axe.setup(document.documentElement);
    try {
      return elements.filter((element) => test(axe.commons, element));
    } finally {
      axe.teardown();
    }
  };
  const narrow = (scopes: (Document | Element)[], step: Step): Element[] => {
    const within = (selector: string) => [
      ...new Set(scopes.flatMap((scope) => [...scope.querySelectorAll(selector)])),
    ];
    if (step.by === 'css') return within(step.selector);
    if (step.by === 'nth') return scopes.slice(step.index, step.index + 1) as Element[];
    if (step.by === 'hasText')
      return (scopes as Element[]).filter((scope) => matches(textOf(scope), step.text));
    if (step.by === 'text') {
      const own = scopes.filter((scope) => scope instanceof Element);
      const inside = [...own, ...within(own.length > 0 ? '*' : 'body *')];
      return innermost(inside.filter((element) => matches(textOf(element), step.text) && isVisible(element)));
    }
    const { name } = step;
    if (step.by === 'label')
      return computed(within('input, textarea, select'), ({ text }, element) =>
        matches(text.accessibleText(element), step.name),
      );
    const candidates = within(`${CANDIDATES[step.role] ?? '*'}, [role="${step.role}"]`).filter(isVisible);
    return computed(
      candidates,
      ({ aria, text }, element) =>
        aria.getRole(element) === step.role && (!name || matches(text.accessibleText(element), name)),
    );
  };
  try {
    return steps.reduce<(Document | Element)[]>(narrow, [document]) as Element[];
  } catch (error) {
    if (error === needsAxe) return needsAxe;
    throw error;
  }
}

/** Runs in the page. Scrolls to an element. Returns the point to click, or the reason why it cannot be clicked. */
export function pointOf(element: Element): { x: number; y: number } | string {
  if (element.matches(':disabled')) return 'it is disabled';
  const isInView = ({ top, bottom }: DOMRect) => top >= 0 && bottom <= innerHeight;
  if (!isInView(element.getBoundingClientRect()))
    element.scrollIntoView({ block: 'center', behavior: 'instant' });
  // The middle of a link over several lines may be outside the link. The first line contains its own middle.
  const [box] = element.getClientRects();
  if (!box || box.width === 0) return 'it is not visible';
  const [x, y] = [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
  const hit = document.elementFromPoint(x, y);
  const labelled = hit?.closest('label')?.control;
  if (!hit || !(element.contains(hit) || hit.contains(element) || labelled === element))
    return `${hit?.outerHTML.slice(0, 80)} is in front of it`;
  return { x, y };
}
