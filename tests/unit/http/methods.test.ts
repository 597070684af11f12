import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decodePath, methodsOf } from '../../../src/lib/domain/paths.ts';

/** The methods that a file of src/pages answers. */
function exportedMethods(source: string): string[] {
  const exported = [...source.matchAll(/^export const (GET|POST|PUT|PATCH|DELETE)\b/gm)].map(
    ([, method = '']) => method,
  );
  if (exported.length > 0)
    return exported.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return /'POST'|openFollowPage/.test(source) ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD'];
}

test('the table of methods equals the pages and endpoints', () => {
  const files = readdirSync('src/pages', { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files.length).toBeGreaterThan(60);
  for (const { parentPath, name } of files) {
    const path = `${parentPath}/${name}`
      .replace('src/pages', '')
      .replace(/\.(astro|ts)$/, '')
      .replace(/\/index$/, '')
      .replace(/\[\w+\]/g, 'some');
    expect([...methodsOf(path || '/')], path).toEqual(
      exportedMethods(readFileSync(`${parentPath}/${name}`, 'utf8')),
    );
  }
});

test('decodes a path once, and rejects double or invalid encoding', () => {
  expect(decodePath('/%64esk?x=%2541')).toBe('/desk');
  for (const path of ['/%', '/%ff', '/%c0%ae', '/%2564esk', '/desk%25'])
    expect(decodePath(path), path).toBeNull();
});
