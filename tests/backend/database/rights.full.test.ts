import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ACTOR_NAMES,
  type Actor,
  type ActorName,
  contentOf,
  createSharedCoverage,
  openTestContext,
  readCoverageRows,
  type TestContext,
  tryCall,
} from '../../support/actors.ts';
import { call } from '../../support/newsroom.ts';
import { type Mark, rowsOf } from './matrix/table.ts';
import { blank, RIGHTS, type Scene } from './rights-cases.ts';

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context.stop());

/** All actors, and the server, which has an owner's permissions. */
const EVERYBODY = [...ACTOR_NAMES, 'server'] as const;
type Everybody = (typeof EVERYBODY)[number];
const clientOf = (who: Everybody) => (who === 'server' ? context.service : context.actors[who].client);

const rows = new Map(rowsOf('Acts').map((row) => [row.what, row]));
/** The row of docs/permissions.md. */
const rowOf = ({ act, right }: { act: string; right: string }) => {
  const row = rows.get(`\`${act}\`: ${right}`);
  if (!row) throw new Error(`docs/permissions.md does not say who may ${right}.`);
  return row;
};

test('every documented command is tested', () => {
  expect([...rows.keys()].sort()).toEqual(RIGHTS.map(({ act, right }) => `\`${act}\`: ${right}`).sort());
});

describe('in a live coverage', () => {
  const granted = RIGHTS.flatMap((right) =>
    EVERYBODY.filter((who) => rowOf(right).marks[who] === '●').map((who) => ({ ...right, who })),
  );
  test.each(granted)('$who may $right', async ({ act, scene, args, who }) => {
    const made = await scene(context);
    const before = await readCoverageRows(context.service, made.coverage_id);
    const outcome = await tryCall(clientOf(who), act, args(made, context));
    expect(outcome).toMatchObject({ code: 'ok', status: 200 });
    expect(await readCoverageRows(context.service, made.coverage_id)).not.toEqual(before);
  });

  test.each(RIGHTS)('no other actor may $right', async (right) => {
    const { act, scene, args } = right;
    const { marks } = rowOf(right);
    // Refused calls change nothing, so all actors share one scene.
    const made = await scene(context);
    const before = await readCoverageRows(context.service, made.coverage_id);
    const others = EVERYBODY.filter((one) => marks[one] !== '●');
    const outcomes = await Promise.all(
      others.map(async (one) => {
        const { code, status } = await tryCall(clientOf(one), act, args(made, context));
        return [one, { code, status }];
      }),
    );
    const refusal = (one: Everybody) =>
      one === 'visitor' ? { code: 'denied', status: 401 } : REFUSALS[marks[one]];
    expect(Object.fromEntries(outcomes)).toEqual(
      Object.fromEntries(others.map((one) => [one, refusal(one)])),
    );
    expect(await readCoverageRows(context.service, made.coverage_id)).toEqual(before);
  });
});

/** The expected error for each mark. */
const REFUSALS: Partial<Record<Mark, object>> = {
  '–': { code: 'forbidden', status: 403 },
  '?': { code: 'not_found', status: 404 },
  '×': { code: 'signed_out', status: 401 },
};

describe('in a draft coverage', () => {
  const outside = ['reader', 'outsider', 'expired'] as const;
  let draft: Scene;
  let before: Awaited<ReturnType<typeof readCoverageRows>>;
  beforeAll(async () => {
    draft = { ...(await blank(context)), coverage_id: await createSharedCoverage(context, 'draft') };
    before = await readCoverageRows(context.service, draft.coverage_id);
  });

  test.each(RIGHTS.filter(({ scene }) => scene === blank))(
    'actors without access get the error of a missing coverage when they try to $right',
    async ({ act, args }) => {
      for (const who of outside) {
        const { client } = context.actors[who];
        const outcome = await tryCall(client, act, args(draft, context));
        expect(outcome, who).toMatchObject({ code: 'not_found', status: 404 });
        const never = { ...draft, coverage_id: randomUUID() };
        expect(outcome, who).toEqual(await tryCall(client, act, args(never, context)));
      }
      expect(await readCoverageRows(context.service, draft.coverage_id)).toEqual(before);
    },
  );
});

describe('desk rows', () => {
  const READERS: ActorName[] = ['contributor', 'reporter', 'colleague', 'moderator', 'editor', 'owner'];

  test.each(['live', 'draft', 'withdrawn'])(
    'of a %s coverage are visible to its desk only',
    async (state) => {
      const coverage_id = await createSharedCoverage(context, state);
      const content = contentOf('For the desk.', { desk_note: 'Ask the mayor.' });
      const update = { coverage_id, update_id: randomUUID(), content };
      await call(context.actors.reporter.client, 'save_update', update);
      const all = { desk_updates: 1, desk_revisions: 1, coverage_revisions: 1, coverage_members: 2 };
      const none = { desk_updates: 0, desk_revisions: 0, coverage_revisions: 0, coverage_members: 0 };
      for (const who of ACTOR_NAMES) {
        expect(await deskOf(context.actors[who], update), who).toEqual(READERS.includes(who) ? all : none);
      }
    },
  );

  async function deskOf({ client }: Actor, update: { coverage_id: string; update_id: string }) {
    const seen: Record<string, number> = {};
    for (const table of ['desk_updates', 'desk_revisions', 'coverage_revisions', 'coverage_members']) {
      const column = table === 'desk_revisions' ? 'update_id' : 'coverage_id';
      const { data } = await client.from(table).select('*').eq(column, update[column]);
      seen[table] = data?.length ?? 0;
    }
    return seen;
  }
});

describe('the function permissions()', () => {
  test('returns these permissions', async () => {
    const { data } = await context.service.rpc('permissions');
    const rows = (data as { permission: string; role: string; scope: string }[]).map(
      ({ permission, role, scope }) => `${permission}: ${role}, ${scope}`,
    );
    expect(rows.sort()).toEqual([
      'administer: owner, any',
      'handle_tips: editor, any',
      'handle_tips: moderator, any',
      'handle_tips: owner, any',
      'publish_update: editor, any',
      'publish_update: owner, any',
      'publish_update: reporter, own',
      'read_desk: contributor, member',
      'read_desk: editor, any',
      'read_desk: moderator, any',
      'read_desk: owner, any',
      'read_desk: reporter, any',
      'run_coverage: editor, any',
      'run_coverage: owner, any',
      'write_update: contributor, member',
      'write_update: editor, any',
      'write_update: owner, any',
      'write_update: reporter, any',
    ]);
  });
});
