import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

/** Modules of src/lib/i18n without messages. */
const WITHOUT_MESSAGES = [
  'language',
  'language-names',
  'messages',
  'messages-in',
  'plural',
  'request-language.server',
];

/** The names under which a file imports messages. */
function importedMessages(file: ts.SourceFile): Set<string> {
  const names = new Set<string>();
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const [, part] = /(?:^|\/)i18n\/([\w.-]+)\.ts$/.exec(statement.moduleSpecifier.text) ?? [];
    if (!part || WITHOUT_MESSAGES.includes(part)) continue;
    const { namedBindings, phaseModifier } = statement.importClause ?? {};
    if (phaseModifier === ts.SyntaxKind.TypeKeyword) continue;
    if (namedBindings && ts.isNamedImports(namedBindings))
      for (const { name, isTypeOnly } of namedBindings.elements) if (!isTypeOnly) names.add(name.text);
  }
  return names;
}

/** Places where messages are read at import time. */
function readsAtImport(name: string, text: string): string[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const imported = importedMessages(file);
  const reads: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) || ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    const isName = ts.isPropertyAssignment(node.parent) && node.parent.name === node;
    if (ts.isIdentifier(node) && !isName && imported.has(node.text))
      reads.push(`${name}: ${node.parent.getText(file)}`);
    ts.forEachChild(node, visit);
  };
  if (imported.size > 0) ts.forEachChild(file, visit);
  return reads;
}

it('finds messages that are read at import time, and no others', () => {
  const code = `import { a } from './i18n/a.ts';\nconst stored = a.b;\nconst read = () => a.b;`;
  expect(readsAtImport('a.ts', code)).toEqual(['a.ts: a.b']);
});

it('no file reads messages at import time', async () => {
  // The terminal has one language.
  const files = (await readdir('src', { recursive: true })).filter(
    (name) => /\.tsx?$/.test(name) && !/^lib\/(i18n|cli|server)\//.test(name),
  );
  const all = await Promise.all(
    files.map(async (name) => [name, await readFile(join('src', name), 'utf8')] as const),
  );
  const texts = all.filter(([, text]) => text.includes('i18n/'));
  expect(texts.length).toBeGreaterThan(20);
  expect(texts.flatMap(([name, text]) => readsAtImport(name, text))).toEqual([]);
});
