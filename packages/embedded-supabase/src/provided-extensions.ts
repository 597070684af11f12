/**
 * Extensions of a hosted project whose schema the backend makes itself, and whose work it does: no engine has them.
 */
const BROUGHT = ['pg_cron', 'pg_net', 'supabase_vault'];

/** Catalog views of extensions that migrations query. Views of the same names (brought-extensions.sql) list those too. */
const CATALOGS = ['pg_extension', 'pg_available_extensions'];

/** How statements about extensions begin, up to the name. */
const FORMS = [
  'create extension if not exists',
  'create extension',
  'alter extension',
  'comment on extension',
  'drop extension if exists',
  'drop extension',
].map((form) => form.split(' '));

/** Tokens of SQL, as far as needed to tell statements from strings. */
const TOKEN = new RegExp(
  [
    String.raw`(?<space>\s+|--[^\n]*)`,
    String.raw`(?<comment>\/\*)`,
    String.raw`(?<text>[eE]'[^'\\]*(?:(?:\\[^]|'')[^'\\]*)*'|'[^']*(?:''[^']*)*')`,
    '(?<quoted>"[^"]*(?:""[^"]*)*")',
    String.raw`(?<dollar>\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)`,
    String.raw`(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)`,
    String.raw`(?<number>\d[\w.]*)`,
    '(?<other>[^])',
  ].join('|'),
  'y',
);

type Token = {
  kind: 'word' | 'quoted' | 'dollar' | 'end' | 'other';
  text: string;
  start: number;
  end: number;
};

/**
 * A migration without what it says of extensions that the backend brings itself (create, alter, comment on, drop), which
 * would fail on both engines; and where it asks whether they are there, it finds them. Comments, texts and the bodies
 * of functions are left as they are; the body of a DO block is looked through too.
 */
export const withoutProvidedExtensions = (script: string): string => without(script, '');

/** @param instead what stands in a statement's place: PL/pgSQL has no empty one */
function without(script: string, instead: string): string {
  let result = '';
  let done = 0;
  let statement: Token[] = [];
  const replace = (start: number, end: number, by: string) => {
    result += script.slice(done, start) + by;
    done = end;
  };
  for (const token of tokensOf(script)) {
    if (token.kind !== 'end') {
      statement.push(token);
      continue;
    }
    const said = aboutBrought(statement);
    for (const { start, end, name } of askedCatalogs(statement)) {
      if (!said || start < said.start) replace(start, end, `extensions.${name}`);
    }
    if (said) replace(said.start, token.start, instead);
    const block = isWord(statement[0], 'do') && statement.find(({ kind }) => kind === 'dollar');
    if (block) {
      const mark = block.text.indexOf('$', 1) + 1;
      const body = block.text.slice(mark, -mark);
      replace(block.start + mark, block.end - mark, without(body, 'null'));
    }
    statement = [];
  }
  return result + script.slice(done);
}

/** Where a statement begins to be about nothing but them. In PL/pgSQL words like `then` may stand before it. */
function aboutBrought(statement: Token[]): Token | undefined {
  return statement.find((_, n) => {
    const form = FORMS.find((words) => words.every((word, k) => isWord(statement[n + k], word)));
    if (!form) return false;
    const names = statement.slice(n + form.length);
    // Only DROP may have several.
    let last = 0;
    while (isBrought(names[last]) && names[last + 1]?.text === ',') last += 2;
    return isBrought(names[last]);
  });
}

function isBrought(name: Token | undefined): boolean {
  if (name?.kind === 'quoted') return BROUGHT.includes(name.text.slice(1, -1));
  return name?.kind === 'word' && BROUGHT.includes(name.text.toLowerCase());
}

/** Where a statement reads from one of the catalogs, with or without its schema. */
function askedCatalogs(statement: Token[]): { start: number; end: number; name: string }[] {
  return statement.flatMap((token, n) => {
    const name = CATALOGS.find((one) => isWord(token, one));
    const hasSchema = statement[n - 1]?.text === '.' && isWord(statement[n - 2], 'pg_catalog');
    const first = hasSchema ? n - 2 : n;
    const reads = ['from', 'join'].some((word) => isWord(statement[first - 1], word));
    return name && reads ? [{ start: statement[first]?.start ?? token.start, end: token.end, name }] : [];
  });
}

const isWord = (token: Token | undefined, word: string) =>
  token?.kind === 'word' && token.text.toLowerCase() === word;

/** Tokens without white space and comments, with an `end` after each statement. */
function* tokensOf(script: string): Generator<Token> {
  let at = 0;
  while (at < script.length) {
    TOKEN.lastIndex = at;
    const { groups, 0: match } = TOKEN.exec(script) as RegExpExecArray;
    const start = at;
    at += match.length;
    if (groups?.comment) at = endOfComment(script, start);
    else if (groups?.dollar) {
      const end = script.indexOf(match, at);
      at = end === -1 ? script.length : end + match.length;
    }
    if (groups?.space || groups?.comment) continue;
    yield { kind: kindOf(match, groups), text: script.slice(start, at), start, end: at };
  }
  yield { kind: 'end', text: '', start: at, end: at };
}

function kindOf(match: string, groups: Record<string, string | undefined> = {}): Token['kind'] {
  if (match === ';') return 'end';
  return (['word', 'quoted', 'dollar'] as const).find((kind) => groups[kind]) ?? 'other';
}

/** Comments in stars nest. */
function endOfComment(script: string, start: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(script); mark; mark = marks.exec(script)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return script.length;
}
