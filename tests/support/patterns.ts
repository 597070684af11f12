import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { repositoryFiles } from './repository.ts';

/** A regular expression as it is written, `/a+/g`, and the files that it stands in. */
export type Patterns = Map<string, string[]>;

/** Every regular expression that is written out in what runs for visitors, or on what they have sent. */
export function patternsInSources(): Patterns {
  const found: Patterns = new Map();
  for (const file of repositoryFiles('src', 'supabase', 'packages').filter((name) =>
    /\.(ts|tsx|astro)$/.test(name),
  )) {
    for (const pattern of patternsIn(file, readFileSync(file, 'utf8'))) {
      found.set(pattern, [...(found.get(pattern) ?? []), file]);
    }
  }
  return found;
}

export function patternsIn(file: string, text: string): string[] {
  // What stands below the code of a page calls functions, and holds no patterns.
  const code = file.endsWith('.astro') ? (text.split(/^---$/m)[1] ?? '') : text;
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, code, ts.ScriptTarget.Latest, false, kind));
  return found;
}

/** A written pattern in its two parts. */
export function partsOf(pattern: string): { source: string; flags: string } {
  const end = pattern.lastIndexOf('/');
  return { source: pattern.slice(1, end), flags: pattern.slice(end + 1) };
}
