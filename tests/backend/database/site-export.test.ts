import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { contentOf, createSharedCoverage, createUser } from '../../support/actors.ts';
import { apiTables, relationsOf } from '../../support/database.ts';
import { call } from '../../support/newsroom.ts';
import { catalog, context, log, newToken, owner, useOwner } from './owner-context.ts';

useOwner();

describe('the site export', () => {
  const begin = async (options: { tips: boolean; addresses: boolean }) => {
    const idempotency_key = randomUUID();
    return {
      idempotency_key,
      parts: (await owner.rpc('begin_export', { idempotency_key, ...options })).data.parts as string[],
    };
  };
  const rowsOf = async (idempotency_key: string, part: string, key: string[]) => {
    const rows: Record<string, unknown>[] = [];
    for (let after: object | null = null; ; ) {
      const answer = await owner.rpc('export_page', {
        export: idempotency_key,
        part,
        ...(after && { after }),
      });
      if (answer.error) throw new Error(`${part}: ${answer.error.message}`);
      const page: Record<string, unknown>[] = answer.data;
      rows.push(...page);
      if (page.length === 0) return rows;
      after = Object.fromEntries(key.map((column) => [column, page.at(-1)?.[column]]));
    }
  };

  test('contains every table, each row once, and no secret', async () => {
    const coverage_id = await createSharedCoverage(context);
    const update_id = randomUUID();
    await call(owner, 'publish_update', { coverage_id, update_id, content: contentOf('Out.') });
    const photo_id = randomUUID();
    const content = { body: 'A gate is open.', photo: photo_id };
    const sent = { tip_id: randomUUID(), content, receipt: newToken(), sender: {} };
    expect((await context.service.rpc('add_tip', sent)).error).toBeNull();
    const target = { coverage: `case-${coverage_id}` };
    await call(owner, 'save_follow', { target, scope: 'all', by_mail: true, by_push: false });
    const { idempotency_key, parts } = await begin({ tips: true, addresses: true });
    const tables = apiTables(await relationsOf(catalog)).filter(
      // Push subscriptions and deliveries belong to one server.
      ([name]) => !/^desk_|_notes$|_history$|^(push_subscriptions|alerts|deliveries)$/.test(name),
    );
    expect([...parts].sort()).toEqual(['addresses', ...tables.map(([name]) => name)].sort());
    const { rows: keys } = await catalog.rolledBack((session) =>
      session.query<{ part: string; key: string[] }>(
        'select part, to_jsonb(key) as key from private.export_parts',
      ),
    );
    const everything: Record<string, unknown[]> = {};
    for (const { part, key } of keys) {
      const rows = await rowsOf(idempotency_key, part, key);
      everything[part] = rows;
      const ids = rows.map((row) => JSON.stringify(key.map((column) => row[column])));
      expect(new Set(ids).size, part).toBe(ids.length);
      if (!['tips', 'invites', 'follows', 'followers'].includes(part)) {
        const { count } = await context.service.from(part).select('*', { count: 'exact', head: true });
        expect(rows.length, part).toBe(count);
      }
    }
    expect(everything.updates).toContainEqual(expect.objectContaining({ id: update_id, number: 1 }));
    expect(everything.follows).toContainEqual(expect.objectContaining({ coverage_id, mail: true }));
    expect(JSON.stringify(everything)).not.toMatch(/_hash"|_secret"|password/);
    expect(JSON.stringify(await rowsOf(idempotency_key, 'addresses', ['id']))).toContain('@example.com');
    expect((await log({ max_rows: 1 }))[0]).toMatchObject({ action: 'export', detail: { tips: true } });
    const less = await begin({ tips: false, addresses: false });
    expect(less.parts).not.toContain('tips');
    const idsIn = (rows: unknown[] = []) => rows.map((row) => Reflect.get(row as object, 'id'));
    expect(idsIn(everything.photos)).toContain(photo_id);
    expect(idsIn(await rowsOf(less.idempotency_key, 'photos', ['id']))).not.toContain(photo_id);
    const codeOf = async (by: string, part: string) =>
      (await owner.rpc('export_page', { export: by, part })).error?.code;
    for (const part of [
      'tips',
      'invites',
      'follows',
      'followers',
      'addresses',
      'push_subscriptions',
      'pg_class',
    ]) {
      expect(await codeOf(less.idempotency_key, part), part).toBe('PT404');
    }
    const colleague = await createUser(context, 'owner');
    const theirs = await colleague.client.rpc('export_page', { export: idempotency_key, part: 'updates' });
    expect([theirs.error?.code, await codeOf(randomUUID(), 'updates')]).toEqual(['PT409', 'PT409']);
  });
});
