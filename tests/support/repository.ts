import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** The files of the repository, as paths from its root. Without git or its folder: all files but ignored ones. */
export function repositoryFiles(...folders: string[]): string[] {
  const { status, stdout } = spawnSync('git', ['ls-files', ...folders], { encoding: 'utf8' });
  const paths = status === 0 ? stdout.split('\n') : readableFiles();
  return paths.filter((path) => path && isInside(path, folders));
}

const isInside = (path: string, folders: string[]) =>
  folders.length === 0 || folders.some((folder) => path.startsWith(`${folder}/`));

/** The entries of .gitignore are paths from the root (with a slash before their end), names, and one pattern for logs. */
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

/** A regular expression as it is written, `/a+/g`, and the files that it stands in. */
export type Patterns = Map<string, string[]>;

/** Every regular expression that is written out in what runs for visitors, or on what they have sent. */
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
  // What stands below the code of a page calls functions, and holds no patterns.
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

/** A written pattern in its two parts. */
export function partsOf(pattern: string): { source: string; flags: string } {
  const end = pattern.lastIndexOf('/');
  return { source: pattern.slice(1, end), flags: pattern.slice(end + 1) };
}
