/** Comments and texts as blanks of the same length; the bodies of functions, between dollars, are read. */
const readable = (script: string) =>
  script
    .replace(/\/\*[\s\S]*?\*\/|--[^\n]*/g, (comment) => ' '.repeat(comment.length))
    .replace(/'(?:[^']|'')*'/g, (text) => `'${' '.repeat(text.length - 2)}'`);

const CHANGE =
  /\b(?:update\s+(?!set\b)(?:only\s+)?[\w.]+(?:\s+(?:as\s+)?\w+)?\s+set|delete\s+from\s+[\w.]+)\b/gi;

/**
 * Statements that change or delete every row of a table: without a WHERE, though one that is always true will do. A hosted project's
 * API refuses them (`safeupdate`), in functions too.
 */
export function unconditional(script: string): string[] {
  const text = readable(script);
  return [...text.matchAll(CHANGE)].flatMap((found) => {
    const statement = text.slice(found.index, endOf(text, found.index));
    return /\bwhere\b/i.test(withoutParentheses(statement)) ? [] : [statement.replace(/\s+/g, ' ').trim()];
  });
}

/** Where a statement ends: at its semicolon, at the parenthesis that it stands in, or with the body of its function. */
function endOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth < 0) return at;
    if (depth === 0 && (text[at] === ';' || text.startsWith('$$', at))) return at;
  }
  return text.length;
}

function withoutParentheses(statement: string): string {
  const without = statement.replace(/\([^()]*\)/g, ' ');
  return without === statement ? statement : withoutParentheses(without);
}
