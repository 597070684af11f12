import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** Modules without messages. */
const WORDLESS = ['direction', 'language', 'plural', 'spoken', 'words-in'];

/** The names under which a file imports messages. */
function wordsOf(file: ts.SourceFile): Set<string> {
  const names = new Set<string>();
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const [, part] = /(?:^|\/)text\/([\w-]+)\.ts$/.exec(statement.moduleSpecifier.text) ?? [];
    if (!part || WORDLESS.includes(part)) continue;
    const { namedBindings, phaseModifier } = statement.importClause ?? {};
    if (phaseModifier === ts.SyntaxKind.TypeKeyword) continue;
    if (namedBindings && ts.isNamedImports(namedBindings))
      for (const { name, isTypeOnly } of namedBindings.elements) if (!isTypeOnly) names.add(name.text);
  }
  return names;
}

/** Places where messages are read at import time. */
function keptWords(name: string, text: string): string[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const words = wordsOf(file);
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) || ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    const isName = ts.isPropertyAssignment(node.parent) && node.parent.name === node;
    if (ts.isIdentifier(node) && !isName && words.has(node.text))
      found.push(`${name}: ${node.parent.getText(file)}`);
    ts.forEachChild(node, look);
  };
  if (words.size > 0) ts.forEachChild(file, look);
  return found;
}

test('no file reads messages at import time', async () => {
  // The terminal has one language.
  const files = (await readdir('src', { recursive: true })).filter(
    (name) => /\.tsx?$/.test(name) && !/^lib\/(i18n|cli|server)\//.test(name),
  );
  const kept = await Promise.all(
    files.map(async (name) => keptWords(name, await readFile(join('src', name), 'utf8'))),
  );
  expect(kept.flat()).toEqual([]);
  expect(
    keptWords('a.ts', `import { a } from './text/a.ts';\nconst kept = a.b;\nconst asked = () => a.b;`),
  ).toEqual(['a.ts: a.b']);
});
