import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** Returns the paths of the repository's files. Without git, these are all files that are not ignored. */
export function repositoryFiles(...folders: string[]): string[] {
  const { status, stdout } = spawnSync('git', ['ls-files', ...folders], { encoding: 'utf8' });
  const paths = status === 0 ? stdout.split('\n') : readableFiles();
  return paths.filter((path) => path && isInside(path, folders));
}

const isInside = (path: string, folders: string[]) =>
  folders.length === 0 || folders.some((folder) => path.startsWith(`${folder}/`));

/** Applies the entries of this project's .gitignore: paths from the root, names, and a pattern for logs. */
function readableFiles(): string[] {
  const ignored = readFileSync('.gitignore', 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.replace(/\/$/, ''));
  const isIgnored = (path: string) =>
    path.endsWith('.log') ||
    ignored.some((entry) =>
      entry.includes('/') ? path === entry.replace(/^\//, '') : `/${path}`.endsWith(`/${entry}`),
    );
  const walk = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name === '.git' || isIgnored(path)) return [];
      return entry.isDirectory() ? walk(path) : [path];
    });
  return walk('.');
}

/** Regular expression literals, such as `/a+/g`, with the files that contain them. */
export type Patterns = Map<string, string[]>;

/** Finds all regular expressions in code that handles requests. */
export function patternsInSources(): Patterns {
  const patterns: Patterns = new Map();
  for (const file of repositoryFiles('src', 'supabase', 'packages').filter((name) =>
    /\.(ts|tsx|astro)$/.test(name),
  )) {
    for (const pattern of patternsIn(file, readFileSync(file, 'utf8'))) {
      patterns.set(pattern, [...(patterns.get(pattern) ?? []), file]);
    }
  }
  return patterns;
}

export function patternsIn(file: string, text: string): string[] {
  // Below the front matter, pages contain no regular expressions.
  const code = file.endsWith('.astro') ? (text.split(/^---$/m)[1] ?? '') : text;
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const patterns: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) patterns.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, code, ts.ScriptTarget.Latest, false, kind));
  return patterns;
}

/** Returns the source and the flags of a literal. */
export function partsOf(pattern: string): { source: string; flags: string } {
  const end = pattern.lastIndexOf('/');
  return { source: pattern.slice(1, end), flags: pattern.slice(end + 1) };
}
