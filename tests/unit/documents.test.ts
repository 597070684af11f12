import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/**/*.md')];

/** Paths of this repository that a document names in backticks, without patterns, `.env` files and installed packages. */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`((?:src|tests|packages|supabase|docs|deploy|integrations)\/[^\s`*{}$<>]+?)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => !path.endsWith('/.env') && !path.endsWith('/node_modules'));

test.each(DOCUMENTS)('%s names files that exist', (document) => {
  const missing = pathsIn(readFileSync(document, 'utf8')).filter((path) => !existsSync(path));
  expect(missing).toEqual([]);
});

test('the path of one update opens at most 30 files', () => {
  const steps = readFileSync('docs/architecture.md', 'utf8').match(/^\d+\. `/gm) ?? [];
  expect(steps.length).toBeGreaterThan(20);
  expect(steps.length).toBeLessThanOrEqual(30);
});
