import { hash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { undefinedIfMissing } from './data-folder.ts';
import type { Engine } from './engine/engine.ts';
import { StartError } from './start-error.ts';

/** The Supabase CLI's rule for file names: digits that define the order, an underscore and a name. */
const FILE_NAME = /^(\d+)_(.+)\.sql$/;

type Migration = { file: string; version: string; name: string };

/**
 * Returns the versions of the migrations that the database has run; an empty set for a new database.
 * @throws StartError if the folder lacks one of them, because a newer program ran it
 */
export async function appliedVersions(
  engine: Pick<Engine, 'transaction'>,
  folder: string,
): Promise<Set<string>> {
  const migrations = await listMigrations(folder);
  const applied = await engine.transaction(async (session) => {
    const { rows } = await session.query<{ there: boolean }>(
      "select to_regclass('supabase_migrations.schema_migrations') is not null as there",
    );
    if (!rows[0]?.there) return [];
    return (
      await session.query<{ version: string }>('select version from supabase_migrations.schema_migrations')
    ).rows;
  });
  const versions = applied.map(({ version }) => version).sort();
  const unknown = versions.filter(
    (version) => !migrations.some((migration) => migration.version === version),
  );
  if (unknown.length > 0) {
    throw new StartError(
      `The data is newer than this program: it was migrated with ${unknown.at(-1)}, which is not in ${folder}. Start it with the version that made it, or a later one.`,
    );
  }
  return new Set(versions);
}

/**
 * Runs the new migrations in order. Each runs in one transaction with its row in `schema_migrations`.
 * @param isIncluded filters by version
 * @returns file names of the migrations that ran
 * @throws StartError if a migration fails, comes before one that has run, or only a newer program has one that has run
 */
export async function migrate(
  engine: Engine,
  folder: string,
  isIncluded: (version: string) => boolean = () => true,
): Promise<string[]> {
  const applied = await appliedVersions(engine, folder);
  const pending = (await listMigrations(folder)).filter(
    ({ version }) => !applied.has(version) && isIncluded(version),
  );
  const newest = [...applied].sort().at(-1) ?? '';
  const outOfOrder = pending.find(({ version }) => version < newest);
  if (outOfOrder) {
    throw new StartError(
      `Migration ${outOfOrder.file} comes before ${newest}, which was already applied to this data. Rename it so that it comes after.`,
    );
  }
  for (const migration of pending) await apply(engine, folder, migration);
  return pending.map((migration) => migration.file);
}

/**
 * Lists the migrations of a folder, sorted by file name.
 * @throws StartError for an unreadable folder, an invalid file name, or two files with the same version
 */
export async function listMigrations(folder: string): Promise<Migration[]> {
  const names = await readdir(folder).catch(() => {
    throw new StartError(`${folder} cannot be read: it must be the folder of migrations.`);
  });
  const files = names.filter((file) => file.endsWith('.sql')).sort();
  const migrations = files.map((file) => {
    const [, version, name] = FILE_NAME.exec(file) ?? [];
    if (!version || !name)
      throw new StartError(`${file} is not a migration's name: it must be like 20260101000000_name.sql.`);
    return { file, version, name };
  });
  const duplicate = migrations.find(({ version }, n) => version === migrations[n - 1]?.version);
  if (duplicate) throw new StartError(`${duplicate.file} and the migration before it have the same version.`);
  return migrations;
}

async function apply(engine: Engine, folder: string, { file, version, name }: Migration): Promise<void> {
  const statements = await readFile(join(folder, file), 'utf8');
  try {
    await engine.transaction(async (session) => {
      await session.exec(removeProvidedExtensions(statements));
      await session.query('insert into supabase_migrations.schema_migrations values ($1, $2, $3)', [
        version,
        [statements],
        name,
      ]);
    });
  } catch (error) {
    throw new StartError(`Migration ${file} failed and was rolled back: ${(error as Error).message}`);
  }
}

const SCRIPTS = [
  'bootstrap/bootstrap.sql',
  'realtime/realtime.sql',
  'storage/storage.sql',
  'jobs/extensions.sql',
];

/** Creates the schemas, roles and functions that a hosted project has before its first migration. Can be repeated. */
export async function runBootstrapScripts(engine: Engine): Promise<void> {
  for (const script of SCRIPTS) await engine.exec(await readFile(join(import.meta.dirname, script), 'utf8'));
}

/** New migrations by release, each file with its SHA-256. Existing newsrooms have run them. */
export type ReleasedMigrations = Record<string, Record<string, string>>;

/** Path of the list. It is not in the folder of the migrations, because the Supabase CLI rejects other files there. */
export const RELEASED_MIGRATIONS_FILE = 'supabase/released.json';

/**
 * Returns one sentence for each change to released migrations: a changed, missing or renamed file, or a new file with
 * an earlier version, which existing databases would never run.
 */
export async function releasedMigrationProblems(
  released: ReleasedMigrations,
  folder: string,
): Promise<string[]> {
  const files = (await listMigrations(folder)).map(({ file }) => file);
  const digests: Record<string, string> = Object.assign({}, ...Object.values(released));
  const newest = Object.keys(digests).sort().at(-1) ?? '';
  const problems: string[] = [];
  for (const [file, digest] of Object.entries(digests)) {
    if (!files.includes(file)) problems.push(`${file} was released, and is gone or called otherwise.`);
    else if ((await digestOf(join(folder, file))) !== digest)
      problems.push(`${file} was released, and says something else: write a migration that comes after it.`);
  }
  for (const file of files) {
    if (!(file in digests) && file < newest)
      problems.push(`${file} stands before ${newest}, which was released.`);
  }
  return problems;
}

/**
 * Returns the list with a release added. Its migrations are those that no earlier release has.
 * @throws StartError if a released migration was changed, or if the version is already listed and there are new
 *   migrations
 */
export async function addRelease(
  released: ReleasedMigrations,
  version: string,
  folder: string,
): Promise<ReleasedMigrations> {
  const { [version]: existing, ...earlier } = released;
  const problems = await releasedMigrationProblems(released, folder);
  if (problems.length > 0) throw new StartError(problems.join('\n'));
  const earlierFiles: Record<string, string> = Object.assign({}, ...Object.values(earlier));
  const newFiles: Record<string, string> = {};
  for (const { file } of await listMigrations(folder)) {
    if (!(file in earlierFiles)) newFiles[file] = await digestOf(join(folder, file));
  }
  if (existing && Object.keys(newFiles).some((file) => !(file in existing))) {
    throw new StartError(`${version} is released already: give the next one a version of its own.`);
  }
  return { ...earlier, [version]: newFiles };
}

/**
 * Records the migrations of a version in `supabase/released.json`.
 * @returns the number of these migrations
 * @throws the errors of `addRelease`
 */
export async function recordRelease(version: string): Promise<number> {
  const text = await undefinedIfMissing(readFile(RELEASED_MIGRATIONS_FILE, 'utf8'));
  const updated = await addRelease(
    JSON.parse(text ?? '{}') as ReleasedMigrations,
    version,
    'supabase/migrations',
  );
  await writeFile(RELEASED_MIGRATIONS_FILE, `${JSON.stringify(updated, null, 2)}\n`);
  return Object.keys(updated[version] ?? {}).length;
}

const digestOf = async (path: string) => hash('sha256', await readFile(path));

/** Extensions of a hosted project that the backend provides itself, because the engines do not have them. */
const PROVIDED_EXTENSIONS = ['pg_cron', 'pg_net', 'supabase_vault'];

const WORD_CHARACTER = String.raw`[\w$\u0080-\uffff]`;
const COMMENT = String.raw`\/\*(?:[^*\/]|\*(?!\/)|\/(?!\*)|NESTED)*\*\/`;

/**
 * Matches parts of SQL that contain no statements, and words, which may contain `$`. Comments may be nested, here up to
 * three levels.
 */
const OPAQUE = new RegExp(
  [
    String.raw`--[^\n]*`,
    [COMMENT, COMMENT, COMMENT, '(?!)'].reduceRight((nested, level) => level.replace('NESTED', () => nested)),
    String.raw`[eE]'[^'\\]*(?:(?:\\[^]|'')[^'\\]*)*'`,
    `'[^']*(?:''[^']*)*'`,
    '"[^"]*(?:""[^"]*)*"',
    String.raw`(?<tag>\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)[^]*?(?:\k<tag>|(?![^]))`,
    `(?<word>[A-Za-z_\u0080-\uffff]${WORD_CHARACTER}*)`,
  ].join('|'),
  'g',
);

const NAME = `(?:"(?:${PROVIDED_EXTENSIONS.join('|')})"|(?:${PROVIDED_EXTENSIONS.join('|')})(?!${WORD_CHARACTER}))`;

/** Matches a statement about provided extensions only. In PL/pgSQL, words such as `then` may precede it. */
const ABOUT_PROVIDED = new RegExp(
  String.raw`(?<!${WORD_CHARACTER})(?:create\s+extension(?:\s+if\s+not\s+exists)?|alter\s+extension|comment\s+on\s+extension|drop\s+extension(?:\s+if\s+exists)?)\s+${NAME}(?:\s*,\s*${NAME})*(?!\s*,)[^;]*`,
  'gi',
);

/** Matches a query of the extension catalog. Views of the same names (bootstrap.sql) list provided extensions too. */
const READS_CATALOG = new RegExp(
  String.raw`(?<!${WORD_CHARACTER})((?:from|join)\s+)(?:pg_catalog\s*\.\s*)?(pg_extension|pg_available_extensions)(?!${WORD_CHARACTER})`,
  'gi',
);

const DO_BLOCK = /(?<=^|;)(\s*do\b[^;$]*)(\$[^$]*\$)([^$]*)\2/gi;

/**
 * Removes the statements of a migration about provided extensions (create, alter, comment on, drop), which would fail
 * on both engines. Changes its queries of the extension catalog so that they find these extensions. Changes the body of
 * a DO block too, but no comments, strings or function bodies.
 */
export const removeProvidedExtensions = (script: string): string => replaceStatements(script, '');

/** @param replacement text that replaces a removed statement, because PL/pgSQL has no empty statement */
function replaceStatements(script: string, replacement: string): string {
  const masked = script.replaceAll(OPAQUE, mask);
  const edits = [
    ...Array.from(masked.matchAll(ABOUT_PROVIDED), ({ 0: all, index }) => ({
      index,
      length: all.length,
      text: replacement,
    })),
    ...Array.from(masked.matchAll(READS_CATALOG), ({ 0: all, 1: before = '', 2: name = '', index }) => ({
      index: index + before.length,
      length: all.length - before.length,
      text: `extensions.${name.toLowerCase()}`,
    })),
    ...Array.from(masked.matchAll(DO_BLOCK), ({ 1: before = '', 2: tag = '', 3: { length } = '', index }) => {
      const start = index + before.length + tag.length;
      return { index: start, length, text: replaceStatements(script.slice(start, start + length), 'null') };
    }),
  ].sort((a, b) => a.index - b.index);
  let result = '';
  let copiedUntil = 0;
  for (const { index, length, text } of edits) {
    if (index < copiedUntil) continue;
    result += script.slice(copiedUntil, index) + text;
    copiedUntil = index + length;
  }
  return result + script.slice(copiedUntil);
}

/**
 * Replaces the content of a match with spaces or `x` of the same length. Keeps words, dollar tags and quoted names of
 * provided extensions.
 */
function mask(part: string, ...groups: unknown[]): string {
  const { tag, word } = groups.at(-1) as Record<string, string | undefined>;
  if (word || PROVIDED_EXTENSIONS.some((name) => part === `"${name}"`)) return part;
  if (!tag)
    return part.startsWith('-') || part.startsWith('/') ? ' '.repeat(part.length) : 'x'.repeat(part.length);
  const isClosed = part.length >= 2 * tag.length && part.endsWith(tag);
  return isClosed ? tag + ' '.repeat(part.length - 2 * tag.length) + tag : 'x'.repeat(part.length);
}
