/** Appends the parameters that are not null to a path. */
export function pathWith(path: string, parameters: Record<string, string | null>): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== null);
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
}

/** Known query parameters in canonical order, each with a pattern of its valid values. */
export type QueryParameters = Readonly<Record<string, RegExp>>;

/** Accepts any value. */
export const ANY_VALUE = /^/;

/** Returns the known parameters in canonical order. Missing and invalid values are null. */
export function pickParameters(
  parameters: URLSearchParams,
  declared: QueryParameters,
): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(declared).map(([name, values]) => {
      const value = parameters.get(name);
      return [name, value !== null && values.test(value) ? value : null];
    }),
  );
}

/** Whether the text is a UUID. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** Methods of every page. */
const READ_METHODS: readonly string[] = ['GET', 'HEAD'];
const FORM_METHODS: readonly string[] = [...READ_METHODS, 'POST'];

/** Paths with other methods. tests/unit/http/methods.test.ts compares the list with src/pages. */
const ROUTE_METHODS: readonly (readonly [path: RegExp, methods: readonly string[]])[] = [
  [/^\/api\/push$/, ['POST', 'DELETE']],
  [/^\/api\/(?:token|photos\/[^/]+)$/, ['POST']],
  [/^\/auth\/sign-out$/, ['POST']],
  [
    /^\/(?:sign-in|sign-up|reset-password|setup|tips|auth\/(?:code|confirm)|account(?:\/delete)?)$/,
    FORM_METHODS,
  ],
  [/^\/(?:invites|unsubscribe|follow\/(?:live|topics))\/[^/]+$/, FORM_METHODS],
  [/^\/desk(?:\/(?:new|site(?:\/export)?|[^/]+\/settings|photos\/[^/]+))?$/, FORM_METHODS],
  [/^\/desk\/people(?:\/(?!log$)[^/]+)?$/, FORM_METHODS],
];

/**
 * Returns the methods that a path of the site supports.
 * @param path decoded, without a query
 */
export const methodsOf = (path: string): readonly string[] =>
  ROUTE_METHODS.find(([pattern]) => pattern.test(path))?.[1] ?? READ_METHODS;

/**
 * Returns the path of a URL, percent-decoded, as the pages see it. Null if it is malformed or encoded twice: parsers
 * disagree about double encoding.
 */
export function decodePath(url: string): string | null {
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
