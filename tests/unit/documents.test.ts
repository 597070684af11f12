import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

/** Anchors of the headings of a document, as GitHub makes them. */
const anchorsOf = (document: string): string[] =>
  [...readFileSync(document, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/ /g, '-'),
  );

/** Links of a document that lead to nothing in this repository. */
const brokenLinksOf = (document: string): string[] =>
  [...readFileSync(document, 'utf8').matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(
    ([link, path = '', anchor]) => {
      const target = path ? join(dirname(document), path) : document;
      const isThere = existsSync(target) && (anchor === undefined || anchorsOf(target).includes(anchor));
      return isThere ? [] : [link];
    },
  );

test.each(DOCUMENTS)('%s links to files and headings that exist', (document) => {
  expect(brokenLinksOf(document)).toEqual([]);
});

test('the path of one update opens at most 30 files', () => {
  const steps = readFileSync('docs/architecture.md', 'utf8').match(/^\d+\. `/gm) ?? [];
  expect(steps.length).toBeGreaterThan(20);
  expect(steps.length).toBeLessThanOrEqual(30);
});
