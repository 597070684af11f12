/*
 * Requests that lite would not survive, told before it reads them. It sorts what a query says into objects by name, so
 * some names would reach what all objects of the process have; and it walks what is nested by calling itself.
 */

/** Deeper than anything that a function of the product takes. */
const DEEPEST = 64;

/** More conditions and tables within each other than a client of ours asks for: reading two thousand takes a third of a second. */
const MOST_BRACKETS = 100;

/** Properties of Object.prototype. No table or column has such a name. */
const INHERITED = /(?<!\w)(?:__proto__|constructor|prototype)(?!\w)/;

/** Parameters whose value names columns and tables; in all others it is compared with rows. */
const NAMING = /^(?:.*\.)?(?:select|order|columns|on_conflict|or|and)$/;

/** The operator before the first dot. lite uses it as the key of an object. */
const COMPARISON = /^(?:not\.)?(\w+)/;

/** Whether the names of tables, columns and operators in a `/rest/v1` request are safe to parse. */
export function isReadable({ url, method }: { url: string; method: string }): boolean {
  const { pathname, searchParams } = new URL(url);
  let path: string;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    return false;
  }
  const named = [
    path,
    ...[...searchParams].map(([key, value]) => (NAMING.test(key) ? `${key} ${value}` : key)),
  ];
  // Of a function that is only read, the query is what it is given: any word.
  const givesArguments = path.startsWith('/rest/v1/rpc/') && method !== 'POST';
  return (
    !named.some((names) => (names.match(/\(/g)?.length ?? 0) > MOST_BRACKETS) &&
    !named.some((names) => INHERITED.test(names)) &&
    (givesArguments || ![...searchParams.values()].some(comparesByInherited))
  );
}

function comparesByInherited(value: string): boolean {
  const [, comparison = ''] = COMPARISON.exec(value) ?? [];
  return comparison in Object.prototype;
}

const [QUOTE, BACKSLASH] = ['"', '\\'].map((sign) => sign.charCodeAt(0));
const OPENING = new Set(['[', '{'].map((sign) => sign.charCodeAt(0)));
const CLOSING = new Set([']', '}'].map((sign) => sign.charCodeAt(0)));

/** Whether JSON nests too deep. Invalid JSON is not checked. */
export function nestsTooDeep(json: Uint8Array): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < json.length; at++) {
    const sign = json[at] as number;
    if (quoted) {
      if (sign === BACKSLASH) at++;
      else if (sign === QUOTE) quoted = false;
    } else if (sign === QUOTE) quoted = true;
    else if (OPENING.has(sign)) {
      if (++depth > DEEPEST) return true;
    } else if (CLOSING.has(sign)) depth--;
  }
  return false;
}
