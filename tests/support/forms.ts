/** The fields of a page's form whose button says these words, as a browser would send them untouched. */
export function formIn(page: string, button: string): { action: string; fields: Record<string, string> } {
  for (const [, attributes = '', inside = ''] of page.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)) {
    if (!inside.includes(button)) continue;
    const tags = [...inside.matchAll(/<(input|button)([^>]*)>([^<]*)/g)];
    const fields = tags
      .filter(([, tag, , words]) => tag === 'input' || words?.includes(button))
      .map(([, , given = '']) => [attribute(given, 'name'), attribute(given, 'value') ?? ''] as const)
      .filter((field): field is [string, string] => field[0] !== undefined);
    return { action: attribute(attributes, 'action') ?? '', fields: Object.fromEntries(fields) };
  }
  throw new Error(`No form has a button "${button}".`);
}

function attribute(attributes: string, name: string): string | undefined {
  return new RegExp(`\\b${name}="([^"]*)"`)
    .exec(attributes)?.[1]
    ?.replaceAll('&amp;', '&')
    .replaceAll('&#38;', '&');
}
