import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HTTP_STATUS } from '../../../src/lib/domain/errors.ts';
import { type ErrorMessages, errorMessages as english } from '../../../src/lib/i18n/en/database-errors.ts';
import { errorMessages as spanish } from '../../../src/lib/i18n/es/database-errors.ts';
import { openCatalog } from '../../support/database.ts';

/** One call of `private.raise_error()` or `private.raise_invalid()` in a function body. */
type Raise = { where: string; code: string; reason: string; parameters: string[] };

const LANGUAGES: [name: string, messages: ErrorMessages][] = [
  ['English', english],
  ['Spanish', spanish],
];

let raises: Raise[];
let functionReasons: { code: string; reason: string }[];
beforeAll(async () => {
  [raises, functionReasons] = await Promise.all([readRaises(), readFunctionReasons()]);
});

describe('errors that database functions raise', () => {
  it('finds the calls in the migrated database', () => {
    expect(raises.length).toBeGreaterThan(200);
  });

  it('have a code of the error catalogue', () => {
    expect(raises.filter(({ code }) => !Object.hasOwn(HTTP_STATUS, code))).toEqual([]);
  });

  it.each(LANGUAGES)('have a sentence in %s with no other parameters than the details', (_name, messages) => {
    const wrong = raises.filter(
      ({ reason, parameters }) =>
        !Object.hasOwn(messages, reason) ||
        parametersOf(messages, reason).some((name) => !parameters.includes(name)),
    );
    expect(wrong).toEqual([]);
  });

  it('use every reason that has a sentence', () => {
    const used = new Set([...raises, ...functionReasons].map(({ reason }) => reason));
    expect(Object.keys(english).filter((reason) => !used.has(reason))).toEqual([]);
  });
});

describe('errors of edge functions', () => {
  it('have a code of the error catalogue and a sentence for their reason', () => {
    expect(functionReasons.length).toBeGreaterThan(15);
    expect(
      functionReasons.filter(
        ({ code, reason }) => !Object.hasOwn(HTTP_STATUS, code) || !Object.hasOwn(english, reason),
      ),
    ).toEqual([]);
  });
});

/** The names of the parameters that a sentence uses. */
function parametersOf(messages: ErrorMessages, reason: string): string[] {
  const message = messages[reason as keyof ErrorMessages] as string | ((details: object) => string);
  if (typeof message === 'string') return [];
  const names: string[] = [];
  const record = (_: object, name: string) => {
    names.push(name);
    // The proxy value can be joined, mapped and used as text.
    return [];
  };
  message(new Proxy({}, { get: record as ProxyHandler<object>['get'] }));
  return names;
}

async function readRaises(): Promise<Raise[]> {
  const catalog = await openCatalog();
  afterAll(() => catalog.close());
  const functions = await catalog.rows<{ name: string; definition: string }>(`
    select p.oid::regprocedure::text as name, pg_get_functiondef(p.oid) as definition
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('public', 'private') and p.prokind in ('f', 'p')
      and p.proname not in ('raise_error', 'raise_invalid') order by 1`);
  return functions.flatMap(({ name, definition }) => raisesIn(name, definition.replaceAll(/--.*/g, '')));
}

function raisesIn(where: string, definition: string): Raise[] {
  return [...definition.matchAll(/\braise_(error|invalid)\(/g)].map((call) => {
    const given = argumentsAt(definition, call.index + call[0].length);
    const [first = '', reason = '', details = ''] = given;
    return {
      where,
      code: call[1] === 'invalid' ? 'invalid' : literal(first),
      reason: literal(reason),
      parameters: keysOf(details, definition),
    };
  });
}

/** The keys of `jsonb_build_object(…)`, also when it is passed in a variable. */
function keysOf(details: string, definition: string): string[] {
  if (details === '') return [];
  const initial = new RegExp(`\\b${details} jsonb := (?=jsonb_build_object\\()`).exec(definition);
  const text = initial ? definition.slice(initial.index + initial[0].length) : details;
  const values = argumentsAt(text, 'jsonb_build_object('.length);
  return values.filter((_, position) => position % 2 === 0).map(literal);
}

/** The text of a SQL literal. Any other expression gets a mark, so that it matches no code or reason. */
const literal = (sql: string) => /^'(\w+)'(::text)?$/.exec(sql)?.[1] ?? `not a literal: ${sql}`;

/** The arguments of a call, from its opening bracket to the closing one. */
function argumentsAt(text: string, start: number): string[] {
  const args: string[] = [];
  let depth = 0;
  let from = start;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === "'") at = text.indexOf("'", at + 1);
    else if ('(['.includes(character)) depth += 1;
    else if (depth > 0 && ')]'.includes(character)) depth -= 1;
    else if (depth === 0 && ',)'.includes(character)) {
      args.push(text.slice(from, at).trim());
      from = at + 1;
      if (character === ')') break;
    }
  }
  return args;
}

async function readFunctionReasons() {
  const folder = 'supabase/functions';
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const sources = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return sources.flatMap((source) =>
    [...source.matchAll(/(?:new Refused\(\s*'(\w+)',\s*|\brefuse\()'(\w+)'/g)].map(
      ([, code = 'invalid', reason = '']) => ({ code, reason }),
    ),
  );
}
