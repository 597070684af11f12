import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { amcheck } from '@electric-sql/pglite/contrib/amcheck';
import postgres from 'postgres';
import { pgliteOptions } from '../../packages/embedded-supabase/src/engine/pglite-options.ts';
import { pgliteSessionPool } from '../../packages/embedded-supabase/src/engine/pglite-session.ts';
import { openFiles } from '../../packages/embedded-supabase/src/storage/files.ts';
import type { Ledger } from './ledger.ts';

/** Access to the database of a stopped site, as its owner. */
export type DataReader = {
  query<Row>(statement: string, parameters?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
};

export async function openDataReader(data: string, databaseUrl: string | undefined): Promise<DataReader> {
  if (databaseUrl) {
    const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
    return {
      query: async (statement, parameters = []) =>
        [...(await sql.unsafe(statement, parameters as []))] as never,
      close: () => sql.end(),
    };
  }
  const extensions = { ...pgliteOptions.extensions, amcheck };
  const pg = await PGlite.create(join(data, 'db'), { ...pgliteOptions, extensions });
  return {
    query: async <Row>(statement: string, parameters: unknown[] = []) => {
      const { rows } = await pgliteSessionPool(pg).transaction((session) =>
        session.query<Row>(statement, parameters),
      );
      return rows;
    },
    close: () => pg.close(),
  };
}

/** Inconsistencies that no data may have: a description, and a query that must return no rows. */
const CONTRADICTIONS: [string, string][] = [
  [
    'changes of a coverage are not 1 to its seq',
    `select c.id from public.coverages c left join public.coverage_changes h on h.coverage_id = c.id
     group by c.id having count(h.seq) <> c.seq or coalesce(max(h.seq), 0) <> c.seq or coalesce(min(h.seq), 1) <> 1`,
  ],
  [
    'numbers of a coverage are not 1 to its count',
    `select c.id from public.coverages c left join public.updates u on u.coverage_id = c.id
     group by c.id having count(u.number) <> c.update_count or coalesce(max(u.number), 0) <> c.update_count
       or count(distinct u.number) <> count(u.number)`,
  ],
  [
    'an update was published other than once',
    `select u.id from public.updates u left join public.coverage_changes h on h.update_id = u.id and h.kind = 'publication'
     group by u.id having count(h.seq) <> (u.number is not null)::int`,
  ],
  [
    'the seq of an update is not its last change',
    `select u.id from public.updates u join public.coverage_changes h on h.update_id = u.id and h.kind <> 'pin'
     group by u.id having max(h.seq) <> u.seq`,
  ],
  [
    'the newest version of an update has another headline',
    `select u.id from public.updates u where u.state <> 'withdrawn' and not exists (
       select from public.update_revisions r where r.update_id = u.id and r.version = u.version
       and r.content ->> 'headline' is not distinct from u.headline)`,
  ],
  ['a command has no result', `select o.key as id from private.idempotency_keys o where o.result is null`],
  [
    'an account is not one person',
    `select coalesce(u.id, p.id) as id from auth.users u full join public.people p on p.id = u.id
     where u.id is null and p.deleted_at is null or p.id is null`,
  ],
  [
    'an address has two accounts',
    `select min(u.id::text) as id from auth.users u group by lower(u.email) having count(*) > 1`,
  ],
  [
    'an alert has two deliveries to one follower or device',
    `select min(d.id::text) as id from public.deliveries d
     group by d.alert_id, d.follower_id, d.channel, d.subscription_id having count(*) > 1`,
  ],
  [
    'a photo is ready without one of its renditions',
    `select p.id from public.photos p, jsonb_array_elements(p.renditions) print
     where p.state = 'ready' and not exists (select from storage.objects o where o.bucket_id = p.bucket
       and o.name = 'renditions/' || p.id || '/' || (print ->> 'width') and (o.metadata ->> 'size')::int = (print ->> 'bytes')::int)`,
  ],
  [
    'a session does not have exactly one valid token',
    `select s.id from auth.sessions s left join auth.refresh_tokens t on t.session_id = s.id and not t.revoked
     group by s.id having count(t.id) <> 1`,
  ],
];

/** Returns descriptions of all lost, duplicated or inconsistent data. */
export async function checkData(reader: DataReader, data: string, ledger: Ledger): Promise<Findings> {
  const inconsistent: string[] = [];
  for (const [sentence, query] of CONTRADICTIONS) {
    for (const { id } of await reader.query<{ id: string }>(query)) inconsistent.push(`${sentence}: ${id}`);
  }
  inconsistent.push(...(await strayFiles(reader, data)), ...(await brokenIndexes(reader)));
  return {
    inconsistent,
    lost: await findLosses(reader, ledger),
    duplicated: await findDuplicates(reader, ledger),
  };
}

export type Findings = { inconsistent: string[]; lost: string[]; duplicated: string[] };

type Row = Record<string, string>;

async function findLosses(reader: DataReader, ledger: Ledger): Promise<string[]> {
  const lost: string[] = [];
  const keys = async (query: string) =>
    new Map(
      (await reader.query<{ key: string; value: string }>(query)).map(({ key, value }) => [key, value]),
    );
  const versions = await keys(
    `select update_id || ' ' || version as key, content ->> 'headline' as value from public.update_revisions`,
  );
  for (const { id, version, headline } of ledger.versions) {
    if (versions.get(`${id} ${version}`) !== headline) lost.push(`version ${version} of ${id}: ${headline}`);
  }
  const changes = await keys(
    `select coverage_id || ' ' || seq as key, update_id::text as value from public.coverage_changes`,
  );
  const [{ id: coverage = '' } = {}] = await reader.query<Row>(
    'select id from public.coverages order by seq desc limit 1',
  );
  for (const { id, seq } of ledger.changes) {
    if (changes.get(`${coverage} ${seq}`) !== id) lost.push(`change ${seq}, of ${id}`);
  }
  const updates = new Map(
    (await reader.query<Row>('select id, number::text, state::text from public.updates')).map((row) => [
      row.id,
      row,
    ]),
  );
  for (const [id, number] of ledger.numbers) {
    if (updates.get(id)?.number !== String(number)) lost.push(`update ${number}: ${id}`);
  }
  for (const id of ledger.withdrawn)
    if (updates.get(id)?.state !== 'withdrawn') lost.push(`withdrawal of ${id}`);
  for (const id of ledger.scheduled) {
    if (updates.get(id)?.state !== 'published') lost.push(`scheduled ${id}: ${updates.get(id)?.state}`);
  }
  const commandResults = await keys('select key::text, result::text as value from private.idempotency_keys');
  for (const [idempotency_key, result] of ledger.commandResults) {
    if (canonical(JSON.parse(commandResults.get(idempotency_key) ?? 'null')) !== canonical(result))
      lost.push(`command ${idempotency_key}`);
  }
  const checkPresence = async (kind: string, query: string, expected: Iterable<string>) => {
    const rows = await keys(query);
    for (const one of expected) if (!rows.has(one)) lost.push(`${kind} ${one}`);
  };
  await checkPresence('tip', 'select id::text as key, 1 as value from public.tips', ledger.tips);
  const photos = await keys('select id::text as key, state::text as value from public.photos');
  for (const id of ledger.photos) if (photos.get(id) !== 'ready') lost.push(`photo ${id}: ${photos.get(id)}`);
  await checkPresence('account', 'select email as key, 1 as value from auth.users', ledger.signUps);
  return lost;
}

async function findDuplicates(reader: DataReader, ledger: Ledger): Promise<string[]> {
  const duplicated: string[] = [...ledger.differingResults];
  for (const [person, times] of ledger.roles) {
    const [row] = await reader.query<{ entries: number }>(
      `select count(*)::int as entries from public.audit_log where action = 'set_role' and subject_id = $1`,
      [person],
    );
    // This person got no role when the newsroom was created, so each entry belongs to a change that was counted.
    if (row?.entries !== times) duplicated.push(`${row?.entries} entries of ${times} changes of a role`);
  }
  const updates = await reader.query<Row>(
    `select headline from public.updates where headline is not null group by headline having count(*) > 1`,
  );
  duplicated.push(...updates.map(({ headline }) => `update ${headline}`));
  const tips = await reader.query<Row>('select body from public.tips group by body having count(*) > 1');
  duplicated.push(...tips.map(({ body }) => `tip ${body}`));
  return duplicated;
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

const DAYS_MS = 3 * 24 * 60 * 60 * 1000;

/**
 * Returns the rows whose file is missing or has another size. Before that, it deletes the files without a row, as the
 * cleanup does after a day.
 */
async function strayFiles(reader: DataReader, data: string): Promise<string[]> {
  const rows = await reader.query<{ version: string; name: string; size: number }>(
    `select version, bucket_id || '/' || name as name, (metadata ->> 'size')::int as size from storage.objects`,
  );
  const versions = new Set(rows.map(({ version }) => version));
  const files = await openFiles(data);
  await files.deleteOrphans(
    async (ids) => new Set(ids.filter((one) => versions.has(one))),
    Date.now() + DAYS_MS,
  );
  const stray: string[] = [];
  for (const { version, name, size } of rows) {
    const file = await stat(join(data, 'files', version.slice(0, 2), version)).catch(() => undefined);
    if (file?.size !== size) stray.push(`the file of ${name} has ${file?.size} bytes of ${size}`);
  }
  return stray;
}

/** Returns the findings of PostgreSQL's own checks of all B-trees and tables. */
async function brokenIndexes(reader: DataReader): Promise<string[]> {
  await reader.query('create extension if not exists amcheck with schema extensions');
  const broken: string[] = [];
  const indexes = await reader.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_index i on i.indexrelid = c.oid
     join pg_am a on a.oid = c.relam where a.amname = 'btree' and i.indisvalid and c.relpersistence = 'p'`,
  );
  for (const { name } of indexes) {
    await reader
      .query('select extensions.bt_index_check($1::regclass, true)', [name])
      .catch((error: Error) => broken.push(`index ${name}: ${error.message}`));
  }
  const tables = await reader.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c where c.relkind in ('r', 't') and c.relpersistence = 'p'`,
  );
  for (const { name } of tables) {
    const problems = await reader
      .query<{ msg: string }>('select msg from extensions.verify_heapam($1::regclass)', [name])
      .catch((error: Error) => [{ msg: error.message }]);
    broken.push(...problems.map(({ msg }) => `table ${name}: ${msg}`));
  }
  return broken;
}
