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
