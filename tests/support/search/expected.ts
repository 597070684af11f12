/**
 * What a person expects of a search, written down before there was one. A coverage is named by its slug, an update by
 * its coverage and number (`river/3`).
 */
export type Expected = {
  /** As it is typed. */
  query: string;
  /** What somebody who types this is looking for. */
  why: string;
  /** These are found, all of them, among the first so many (`within`, by default as many as are named). */
  finds?: string[];
  within?: number;
  /** These are not found at all. */
  never?: string[];
  /** So many are found, at least or exactly. */
  atLeast?: number;
  exactly?: number;
  /** What is said to have been understood instead of a typing error. */
  meant?: string;
};

/** What was found, as it is named above, in its order. */
export type Answered = { found: string[]; total: number; meant: string | null };

/** @returns what is not as it was expected; nothing, when all of it is */
export function missing(expected: Expected, { found, total, meant }: Answered): string[] {
  const { finds = [], never = [], within = finds.length, atLeast, exactly } = expected;
  const first = found.slice(0, within);
  return [
    ...finds.filter((one) => !first.includes(one)).map((one) => `${one} is not among the first ${within}`),
    ...never.filter((one) => found.includes(one)).map((one) => `${one} is found`),
    ...(atLeast !== undefined && total < atLeast ? [`${total} are found, not ${atLeast} or more`] : []),
    ...(exactly !== undefined && total !== exactly ? [`${total} are found, not ${exactly}`] : []),
    ...((expected.meant ?? null) === meant ? [] : [`understood as ${meant}, not ${expected.meant ?? null}`]),
  ].map((fault) => `${expected.query}: ${fault} (${found.slice(0, 5).join(', ')})`);
}
