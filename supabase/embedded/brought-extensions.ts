/**
 * Extensions of a hosted project whose schema the backend makes itself, and whose work it does: no engine has them.
 */
const BROUGHT = ['pg_cron', 'pg_net', 'supabase_vault'];

/** What SQL is made of, as far as it takes to know a statement from a text that looks like one. */
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
 * A migration without its `create extension` of what the backend brings itself, which would fail on both engines.
 * Comments, texts and the bodies of functions are left as they are; the body of a DO block is looked through too.
 */
export const withoutBrought = (script: string): string => without(script, '');

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
    const created = creation(statement);
    if (created) replace(created.start, token.start, instead);
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

/** Where a statement begins to create one of them. In PL/pgSQL words like `then` may stand before it. */
function creation(statement: Token[]): Token | undefined {
  return statement.find((token, n) => {
    if (!isWord(token, 'create') || !isWord(statement[n + 1], 'extension')) return false;
    const isCareful = ['if', 'not', 'exists'].every((word, k) => isWord(statement[n + 2 + k], word));
    const name = statement[n + (isCareful ? 5 : 2)];
    if (name?.kind === 'quoted') return BROUGHT.includes(name.text.slice(1, -1));
    return name?.kind === 'word' && BROUGHT.includes(name.text.toLowerCase());
  });
}

const isWord = (token: Token | undefined, word: string) =>
  token?.kind === 'word' && token.text.toLowerCase() === word;

/** What is neither white space nor comment, with an `end` after each statement. */
function* tokensOf(script: string): Generator<Token> {
  let at = 0;
  while (at < script.length) {
    TOKEN.lastIndex = at;
    const { groups, 0: found } = TOKEN.exec(script) as RegExpExecArray;
    const start = at;
    at += found.length;
    if (groups?.comment) at = endOfComment(script, start);
    else if (groups?.dollar) {
      const end = script.indexOf(found, at);
      at = end === -1 ? script.length : end + found.length;
    }
    if (groups?.space || groups?.comment) continue;
    yield { kind: kindOf(found, groups), text: script.slice(start, at), start, end: at };
  }
  yield { kind: 'end', text: '', start: at, end: at };
}

function kindOf(found: string, groups: Record<string, string | undefined> = {}): Token['kind'] {
  if (found === ';') return 'end';
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
