/** A path of ours with those of the parameters that there are. */
export function pathWith(path: string, parameters: Record<string, string | null>): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== null);
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
}

/** Parameters that mean something, in their order, each with the values that do. */
export type Declared = Readonly<Record<string, RegExp>>;

/** Of any value that there may be. */
export const ANYTHING = /^/;

/** Those of the parameters that mean something, in the order in which they are declared. */
export function pick(parameters: URLSearchParams, declared: Declared): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(declared).map(([name, values]) => {
      const value = parameters.get(name);
      return [name, value !== null && values.test(value) ? value : null];
    }),
  );
}

/** Whether a text is a UUID as the database writes them. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** What every path can be asked: to be read. */
const READ: readonly string[] = ['GET', 'HEAD'];
const FORM: readonly string[] = [...READ, 'POST'];

/** What takes a form, or is only ever told something; tests/unit/http/methods.test.ts holds it against src/pages. */
const OTHERS: readonly (readonly [path: RegExp, methods: readonly string[]])[] = [
  [/^\/api\/push$/, ['POST', 'DELETE']],
  [/^\/api\/(?:token|photos\/[^/]+)$/, ['POST']],
  [/^\/auth\/sign-out$/, ['POST']],
  [/^\/(?:sign-in|sign-up|reset-password|setup|tips|auth\/(?:code|confirm)|account(?:\/delete)?)$/, FORM],
  [/^\/(?:invites|unsubscribe|follow\/(?:live|topics))\/[^/]+$/, FORM],
  [/^\/desk(?:\/(?:new|site(?:\/export)?|[^/]+\/settings|photos\/[^/]+))?$/, FORM],
  [/^\/desk\/people(?:\/(?!log$)[^/]+)?$/, FORM],
];

/** The methods that a path of the site knows. @param path decoded, without a query */
export const methodsOf = (path: string): readonly string[] =>
  OTHERS.find(([pattern]) => pattern.test(path))?.[1] ?? READ;

/**
 * A path as the pages know it: what is written as `%64` means `d`. Null for what cannot be read, and for what is
 * written so twice, which nobody needs and every reader of it understands differently.
 */
export function decodedPath(url: string): string | null {
  const cut = url.indexOf('?');
  const path = cut < 0 ? url : url.slice(0, cut);
  if (!path.includes('%')) return path;
  try {
    const decoded = decodeURIComponent(path);
    return decoded.includes('%') ? null : decoded;
  } catch {
    return null;
  }
}
