/*
 * Checks requests before lite parses them. lite stores the names of a query as keys of objects, so some names would
 * reach properties of Object.prototype. It also parses nested conditions by recursion.
 */

/**
 * Maximum number of opening brackets in one parameter, which bounds nested conditions and tables. Our clients send
 * fewer. Parsing two thousand takes a third of a second.
 */
const MAX_BRACKETS = 100;

/** Names that reach Object.prototype or its properties. No table or column has such a name. */
const INHERITED_NAME = /(?<!\w)(?:__proto__|constructor|prototype)(?!\w)/;

/** Parameters whose value names columns and tables. The values of all others are compared with rows. */
const NAMING_PARAMETER = /^(?:.*\.)?(?:select|order|columns|on_conflict|or|and)$/;

/** The operator before the first dot. lite uses it as the key of an object. */
const LEADING_OPERATOR = /^(?:not\.)?(\w+)/;

/** Returns whether the names of tables, columns and operators in a `/rest/v1` request are safe to parse. */
export function hasSafeNames({ url, method }: { url: string; method: string }): boolean {
  const { pathname, searchParams } = new URL(url);
  let path: string;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    return false;
  }
  const namingTexts = [
    path,
    ...[...searchParams].map(([key, value]) => (NAMING_PARAMETER.test(key) ? `${key} ${value}` : key)),
  ];
  // A function that is called without POST gets its arguments from the query, so their values may be any text.
  const givesArguments = path.startsWith('/rest/v1/rpc/') && method !== 'POST';
  return (
    !namingTexts.some((text) => (text.match(/\(/g)?.length ?? 0) > MAX_BRACKETS) &&
    !namingTexts.some((text) => INHERITED_NAME.test(text)) &&
    (givesArguments || ![...searchParams.values()].some(usesInheritedName))
  );
}

function usesInheritedName(value: string): boolean {
  const [, operator = ''] = LEADING_OPERATOR.exec(value) ?? [];
  return operator in Object.prototype;
}
