import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

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
