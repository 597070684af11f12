import { XMLBuilder, type XmlBuilderOptions } from 'fast-xml-parser';

/** An element: attributes (`@…`), text (`#text`) and children by name. Undefined values are left out. */
export type Xml = { [name: string]: string | Xml | Xml[] | undefined };

/**
 * Characters that XML 1.0 does not allow, even escaped: most control characters, unpaired surrogates, U+FFFE and
 * U+FFFF.
 */
const FORBIDDEN_CHARACTERS = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** Removes characters that are not allowed in XML. */
export const withoutForbidden = (text: string): string => text.replace(FORBIDDEN_CHARACTERS, '');

/** Writes an XML document in UTF-8. @param root the root element by its name */
export function writeXml(root: Xml, options: XmlBuilderOptions = {}): string {
  const builder = new XMLBuilder({
    attributeNamePrefix: '@',
    ignoreAttributes: false,
    suppressBooleanAttributes: false,
    tagValueProcessor: (_, value) => withoutForbidden(String(value)),
    attributeValueProcessor: (_, value) => withoutForbidden(String(value)),
    ...options,
  });
  return builder.build({ '?xml': { '@version': '1.0', '@encoding': 'UTF-8' }, ...root });
}
