import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Validator from '@adobe/structured-data-validator';
import ts from 'typescript';

/*
 * Checks structured data with two independent tools. Adobe's validator checks types and properties against
 * schema.org and the requirements of search engines. The compiler checks the types of values against the
 * declarations of `schema-dts`.
 */

type Entity = {
  '@id': string;
  '@type': 'rdfs:Class' | 'rdf:Property';
  'rdfs:subClassOf'?: { '@id': string }[];
  'schema:domainIncludes'?: { '@id': string }[];
};

const DECLARED = fileURLToPath(import.meta.resolve('schema-dts')).replace(/\.js$/, '.d.ts');

let vocabulary: { '@graph': Entity[] } | undefined;

/** Returns the classes and properties of schema.org, read from the declarations of `schema-dts`. */
function vocabularyOf(): { '@graph': Entity[] } {
  if (vocabulary) return vocabulary;
  const classes: Entity[] = [];
  const domains = new Map<string, Set<string>>();
  const source = ts.createSourceFile(DECLARED, readFileSync(DECLARED, 'utf8'), ts.ScriptTarget.Latest);
  for (const statement of source.statements) {
    if (!ts.isInterfaceDeclaration(statement)) continue;
    const name = statement.name.text.replace(/Leaf$/, '');
    const parents = (statement.heritageClauses ?? []).flatMap(({ types }) =>
      types.map(({ expression }) => ({ '@id': `schema:${expression.getText(source)}` })),
    );
    classes.push({ '@id': `schema:${name}`, '@type': 'rdfs:Class', 'rdfs:subClassOf': parents });
    for (const member of statement.members) {
      const property = member.name && ts.isStringLiteral(member.name) ? member.name.text : '@';
      if (property.startsWith('@')) continue;
      domains.set(property, (domains.get(property) ?? new Set()).add(name));
    }
  }
  const properties = [...domains].map(
    ([name, of]): Entity => ({
      '@id': `schema:${name}`,
      '@type': 'rdf:Property',
      'schema:domainIncludes': [...of].map((one) => ({ '@id': `schema:${one}` })),
    }),
  );
  vocabulary = { '@graph': [...classes, ...properties] };
  return vocabulary;
}

type Thing = { '@type': string };
type Issue = { issueMessage: string; severity: string; errorType?: string; path?: unknown };

/** Returns the errors in the text of a page's `application/ld+json`. */
export async function mistakesIn(text: string): Promise<string[]> {
  const things = parsed(text);
  if (typeof things === 'string') return [things];
  const jsonld = Object.groupBy(structuredClone(things), (thing) => thing['@type']);
  const issues = (await new Validator(vocabularyOf()).validate({ jsonld })) as Issue[];
  // The remaining warnings are recommendations for single products.
  return issues
    .filter(({ severity, errorType }) => severity === 'ERROR' || errorType === 'schemaOrg')
    .map(({ issueMessage, path }) => `${issueMessage} ${JSON.stringify(path ?? '')}`);
}

function parsed(text: string): Thing[] | string {
  try {
    const { '@context': context, '@graph': graph } = JSON.parse(text) as {
      '@context'?: string;
      '@graph'?: Thing[];
    };
    if (context !== 'https://schema.org' || !graph?.length)
      return `No graph of schema.org: ${text.slice(0, 80)}`;
    const without = graph.filter((thing) => !thing['@type']);
    return without.length > 0 ? `Of no type: ${JSON.stringify(without)}` : graph;
  } catch (error) {
    return String(error);
  }
}

/** Returns the type of a thing. `WebSite` has no property for the input of an action, so this type adds it. */
const typeOf = (kind: string) =>
  kind === 'WebSite'
    ? `Omit<Exclude<WebSite, string>, 'potentialAction'> & { potentialAction: WithActionConstraints<SearchAction> }`
    : `Exclude<${kind}, string>`;

/** Returns the texts of a page's `application/ld+json`. */
export const dataOf = (html: string): string[] =>
  [...html.matchAll(/<script type="application\/ld\+json">([^<]*)<\/script>/g)].map(([, text = '']) => text);

/** Returns the type errors in the values of these texts. Checks all texts at once, because compiling takes seconds. */
export function valueMistakesIn(texts: string[]): string[] {
  const path = fileURLToPath(new URL('./vocabulary-literals.ts', import.meta.url));
  const kinds = new Set<string>();
  const literals = texts.flatMap((text) => {
    const things = parsed(text);
    if (typeof things === 'string') return [];
    return things.map((thing) => {
      kinds.add(thing['@type']);
      return `(${JSON.stringify(thing)}) satisfies ${typeOf(thing['@type'])};`;
    });
  });
  const names = [...kinds, 'SearchAction', 'WithActionConstraints'].join(', ');
  const lines = [`import type { ${names} } from 'schema-dts';`, ...literals];
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) =>
    name === path
      ? ts.createSourceFile(name, lines.join('\n'), ts.ScriptTarget.ESNext)
      : getSourceFile(name, ...rest);
  const program = ts.createProgram([path], options, host);
  const source = program.getSourceFile(path);
  return program.getSemanticDiagnostics(source).map(({ messageText, start = 0 }) => {
    const line = source?.getLineAndCharacterOfPosition(start);
    const around = lines[line?.line ?? 0]?.slice(line?.character, (line?.character ?? 0) + 80);
    return `${ts.flattenDiagnosticMessageText(messageText, ' ')} (${around})`;
  });
}
