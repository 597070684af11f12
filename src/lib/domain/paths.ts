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
  [/^\/api\/device-follows$/, ['POST', 'PUT', 'DELETE']],
  [/^\/api\/(?:token|site-image|wordpress-transfer|(?:photos|media)\/[^/]+)$/, ['POST']],
  [/^\/auth\/sign-out$/, ['POST']],
  [
    /^\/(?:sign-in|sign-up|reset-password|setup|tips|auth\/(?:code|confirm)|account(?:\/delete)?)$/,
    FORM_METHODS,
  ],
  [/^\/(?:invites|unsubscribe|follow\/(?:live|topics|confirm))\/[^/]+$/, FORM_METHODS],
  [/^\/desk(?:\/(?:new|site\/[a-z-]+|[^/]+\/(?:end|settings)|photos\/[^/]+))?$/, FORM_METHODS],
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

/**
 * Routes that depend on the session. All other routes ignore cookies and are the same for every visitor, such as the
 * public list of coverages.
 */
const PRIVATE =
  /^\/(?:(?:desk|account|api(?!\/coverages\.json$)|auth|sign-in|sign-up|reset-password|invites|setup)(?:\/|$)|follow\/)/;

export const isPrivateRoute = (path: string): boolean => PRIVATE.test(path);

/** Public routes that contain a secret. */
const SECRET = /^\/(?:unsubscribe\/[^/]+|tips\/[^/]+(?:\/(?:photo|state))?)$/;

/** Public routes of video and audio files, which are too large for the page cache. */
const MEDIA_FILE = /^\/media\/[^/]+\/[^/]+$/;

/** Whether responses for this path are made for each request. All other pages are cached. */
export const isUncachedRoute = (path: string): boolean =>
  isPrivateRoute(path) || SECRET.test(path) || MEDIA_FILE.test(path);

/**
 * Prefix of the desk worker's caches. The site's setting for saved pages does not affect them, because they contain
 * nothing published.
 */
export const DESK_PREFIX = 'desk-';
export const DESK_SHELL_PATH = '/offline/desk';
/** Scope of the desk's worker. */
export const DESK_SCOPE = '/desk';
export const DESK_WORKER_PATH = '/desk-sw.js';

/** List of the scripts that the desk needs, written by lib/server/build/build-scripts.ts. */
export const deskFilesPath = (build: string): string => `/_astro/desk-files.${build}.json`;

/** Tag of the Background Sync that sends the outbox. */
export const SYNC_TAG = 'stoppress-outbox';
