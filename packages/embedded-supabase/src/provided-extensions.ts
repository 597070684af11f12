/** Extensions of a hosted project that the backend provides itself, because the engines do not have them. */
const PROVIDED_EXTENSIONS = ['pg_cron', 'pg_net', 'supabase_vault'];

const WORD_CHARACTER = String.raw`[\w$\u0080-\uffff]`;
const COMMENT = String.raw`\/\*(?:[^*\/]|\*(?!\/)|\/(?!\*)|NESTED)*\*\/`;

/**
 * Matches parts of SQL that contain no statements, and words, which may contain `$`. Comments may be nested, here up to
 * three levels.
 */
const OPAQUE = new RegExp(
  [
    String.raw`--[^\n]*`,
    [COMMENT, COMMENT, COMMENT, '(?!)'].reduceRight((nested, level) => level.replace('NESTED', () => nested)),
    String.raw`[eE]'[^'\\]*(?:(?:\\[^]|'')[^'\\]*)*'`,
    `'[^']*(?:''[^']*)*'`,
    '"[^"]*(?:""[^"]*)*"',
    String.raw`(?<tag>\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)[^]*?(?:\k<tag>|(?![^]))`,
    `(?<word>[A-Za-z_\u0080-\uffff]${WORD_CHARACTER}*)`,
  ].join('|'),
  'g',
);

const NAME = `(?:"(?:${PROVIDED_EXTENSIONS.join('|')})"|(?:${PROVIDED_EXTENSIONS.join('|')})(?!${WORD_CHARACTER}))`;

/** Matches a statement about provided extensions only. In PL/pgSQL, words such as `then` may precede it. */
const ABOUT_PROVIDED = new RegExp(
  String.raw`(?<!${WORD_CHARACTER})(?:create\s+extension(?:\s+if\s+not\s+exists)?|alter\s+extension|comment\s+on\s+extension|drop\s+extension(?:\s+if\s+exists)?)\s+${NAME}(?:\s*,\s*${NAME})*(?!\s*,)[^;]*`,
  'gi',
);

/** Matches a query of the extension catalog. Views of the same names (bootstrap.sql) list provided extensions too. */
const READS_CATALOG = new RegExp(
  String.raw`(?<!${WORD_CHARACTER})((?:from|join)\s+)(?:pg_catalog\s*\.\s*)?(pg_extension|pg_available_extensions)(?!${WORD_CHARACTER})`,
  'gi',
);

const DO_BLOCK = /(?<=^|;)(\s*do\b[^;$]*)(\$[^$]*\$)([^$]*)\2/gi;

/**
 * Removes the statements of a migration about provided extensions (create, alter, comment on, drop), which would fail
 * on both engines. Changes its queries of the extension catalog so that they find these extensions. Changes the body of
 * a DO block too, but no comments, strings or function bodies.
 */
export const removeProvidedExtensions = (script: string): string => replaceStatements(script, '');

/** @param replacement text that replaces a removed statement, because PL/pgSQL has no empty statement */
function replaceStatements(script: string, replacement: string): string {
  const masked = script.replaceAll(OPAQUE, mask);
  const edits = [
    ...Array.from(masked.matchAll(ABOUT_PROVIDED), ({ 0: all, index }) => ({
      index,
      length: all.length,
      text: replacement,
    })),
    ...Array.from(masked.matchAll(READS_CATALOG), ({ 0: all, 1: before = '', 2: name = '', index }) => ({
      index: index + before.length,
      length: all.length - before.length,
      text: `extensions.${name.toLowerCase()}`,
    })),
    ...Array.from(masked.matchAll(DO_BLOCK), ({ 1: before = '', 2: tag = '', 3: { length } = '', index }) => {
      const start = index + before.length + tag.length;
      return { index: start, length, text: replaceStatements(script.slice(start, start + length), 'null') };
    }),
  ].sort((a, b) => a.index - b.index);
  let result = '';
  let copiedUntil = 0;
  for (const { index, length, text } of edits) {
    if (index < copiedUntil) continue;
    result += script.slice(copiedUntil, index) + text;
    copiedUntil = index + length;
  }
  return result + script.slice(copiedUntil);
}

/**
 * Replaces the content of a match with spaces or `x` of the same length. Keeps words, dollar tags and quoted names of
 * provided extensions.
 */
function mask(part: string, ...groups: unknown[]): string {
  const { tag, word } = groups.at(-1) as Record<string, string | undefined>;
  if (word || PROVIDED_EXTENSIONS.some((name) => part === `"${name}"`)) return part;
  if (!tag)
    return part.startsWith('-') || part.startsWith('/') ? ' '.repeat(part.length) : 'x'.repeat(part.length);
  const isClosed = part.length >= 2 * tag.length && part.endsWith(tag);
  return isClosed ? tag + ' '.repeat(part.length - 2 * tag.length) + tag : 'x'.repeat(part.length);
}
