import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signUp } from '../../support/backend.ts';
import {
  type Courtroom,
  makeCase,
  openCourtroom,
  type Party,
  press,
  recordOf,
  says,
  WHO,
  type Who,
} from '../../support/law.ts';
import { call } from '../../support/newsroom.ts';
import { blank, EDITORS, RIGHTS, type Scene } from './rights-cases.ts';

let court: Courtroom;
/** A reader whom nobody acts as. */
let subject: string;
beforeAll(async () => {
  court = await openCourtroom();
  subject = (await signUp(court.backend)).user.id;
});
afterAll(() => court.stop());

describe('in a live coverage', () => {
  const granted = RIGHTS.flatMap((right) => right.who.map((who) => ({ ...right, who })));
  test.each(granted)('$who may $right', async ({ act, scene, args, who }) => {
    const made = await scene(court);
    const before = await recordOf(court.service, made.coverage_id);
    const outcome = await press(court.parties[who].client, act, args(made, court));
    expect(outcome).toMatchObject({ code: 'ok', status: 200 });
    expect(await recordOf(court.service, made.coverage_id)).not.toEqual(before);
  });

  test.each(RIGHTS)('nobody else may $right', async ({ act, scene, args, who }) => {
    // Whoever is refused leaves the scene as it was, so one serves all of them.
    const made = await scene(court);
    const before = await recordOf(court.service, made.coverage_id);
    // What is at the desk only is not there for those who may not read the desk.
    const hidden =
      before.updates.some(({ number }) => number === null) && !('coverage_id' in args(made, court));
    const refusal = (one: Who) => {
      if (one === 'visitor') return { code: 'denied', status: 401 };
      if (one === 'deactivated') return { code: 'signed_out', status: 401 };
      const outside = ['reader', 'outsider', 'expired'].includes(one);
      return hidden && outside ? { code: 'not_found', status: 404 } : { code: 'forbidden', status: 403 };
    };
    const others = WHO.filter((one) => !who.includes(one));
    const outcomes: Partial<Record<Who, object>> = {};
    for (const one of others) {
      const { code, status } = await press(court.parties[one].client, act, args(made, court));
      outcomes[one] = { code, status };
    }
    expect(outcomes).toEqual(Object.fromEntries(others.map((one) => [one, refusal(one)])));
    expect(await recordOf(court.service, made.coverage_id)).toEqual(before);
  });
});

describe('in a draft coverage', () => {
  const outside = ['reader', 'outsider', 'expired'] as const;
  let draft: Scene;
  let before: Awaited<ReturnType<typeof recordOf>>;
  beforeAll(async () => {
    draft = { ...(await blank(court)), coverage_id: await makeCase(court, 'draft') };
    before = await recordOf(court.service, draft.coverage_id);
  });

  test.each(RIGHTS.filter(({ scene }) => scene === blank))(
    'who is outside, asking to $right, hears what they would of a coverage that never was',
    async ({ act, args }) => {
      for (const who of outside) {
        const { client } = court.parties[who];
        const outcome = await press(client, act, args(draft, court));
        expect(outcome, who).toMatchObject({ code: 'not_found', status: 404 });
        const never = { ...draft, coverage_id: randomUUID() };
        expect(outcome, who).toEqual(await press(client, act, args(never, court)));
      }
      expect(await recordOf(court.service, draft.coverage_id)).toEqual(before);
    },
  );
});

/** What does not belong to one coverage, and how to see that nothing happened. */
const ELSEWHERE: { act: string; args: () => Record<string, unknown>; table: string; who: Who[] }[] = [
  {
    act: 'create_coverage',
    args: () => ({
      coverage_id: randomUUID(),
      content: { slug: `new-${randomUUID().slice(0, 8)}`, headline: 'New' },
    }),
    table: 'coverages',
    who: EDITORS,
  },
  {
    act: 'save_topic',
    args: () => ({ slug: `topic-${randomUUID().slice(0, 8)}`, name: 'Weather' }),
    table: 'topics',
    who: EDITORS,
  },
  { act: 'set_surge', args: () => ({ mode: nextMode() }), table: 'site', who: EDITORS },
  { act: 'save_site', args: () => ({ content: { tagline: randomUUID() } }), table: 'site', who: ['owner'] },
  {
    act: 'set_role',
    args: () => ({ person_id: subject, role: 'contributor' }),
    table: 'people',
    who: ['owner'],
  },
  {
    act: 'set_active',
    args: () => ({ person_id: subject, active: false }),
    table: 'people',
    who: ['owner'],
  },
];

/** Another one than the one before. */
function nextMode() {
  surges = !surges;
  return surges ? 'on' : 'off';
}
let surges = false;

/** What those hear who have no session. */
const REFUSED: Partial<Record<Who, object>> = {
  visitor: { code: 'denied', status: 401 },
  deactivated: { code: 'signed_out', status: 401 },
};

describe('beyond coverages', () => {
  const rowsOf = async (table: string) =>
    JSON.stringify(
      (await court.service.from(table).select('*')).data?.map((row) => JSON.stringify(row)).sort(),
    );

  test.each(
    ELSEWHERE.flatMap((right) => WHO.map((who) => ({ ...right, who, may: right.who.includes(who) }))),
  )('$who, $act: $may', async ({ act, args, table, who, may }) => {
    const before = await rowsOf(table);
    const outcome = await press(court.parties[who].client, act, args());
    const after = await rowsOf(table);
    // As the next line of the table finds them.
    await call(court.service, 'set_role', { person_id: subject, role: 'reader' });
    await call(court.service, 'set_active', { person_id: subject, active: true });
    if (may) {
      expect(outcome).toMatchObject({ code: 'ok' });
      expect(after).not.toBe(before);
    } else {
      expect(outcome).toMatchObject(REFUSED[who] ?? { code: 'forbidden', status: 403 });
      expect(after).toBe(before);
    }
  });

  test.each(WHO)("%s cannot run the server's own functions", async (who) => {
    const coverage_id = await makeCase(court);
    const { client } = court.parties[who];
    const items = [{ id: randomUUID(), published_at: '2020-01-01T00:00:00Z', content: says('Old.') }];
    for (const [name, args] of [
      ['limits', {}],
      ['surge_by_load', {}],
      ['permissions', {}],
      ['check_import', { items }],
      ['import_updates', { coverage_id, items }],
      ['import_state', { coverage_id, state: 'ended', at: '2020-01-01T00:00:00Z' }],
      ['offer_setup', { code_hash: 'a'.repeat(64) }],
      ['setup_is_open', {}],
      ['set_up', { code_hash: 'a'.repeat(64), person_id: subject }],
      ['photos_to_develop', {}],
      ['photo_developed', { photo_id: subject, prints: [], colour: '#000000' }],
      ['photo_refused', { photo_id: subject, code: 'invalid' }],
      ['photos_to_forget', {}],
      ['forget_photos', { ids: [subject] }],
      ['add_tip', { tip_id: randomUUID(), content: { body: 'x' }, receipt: 'x'.repeat(32), sender: {} }],
    ] as const) {
      const { error, status } = await client.rpc(name, args);
      expect(error?.code, name).toBe(who === 'deactivated' ? 'PT401' : '42501');
      expect(status, name).toBe(who in REFUSED ? 401 : 403);
    }
    expect(await recordOf(court.service, coverage_id)).toMatchObject({
      updates: [],
      coverage: [{ state: 'live' }],
    });
  });
});

describe('reading the desk', () => {
  const READERS: Who[] = ['contributor', 'reporter', 'colleague', 'moderator', 'editor', 'owner'];

  test.each(['live', 'draft', 'withdrawn'])('of a %s coverage', async (state) => {
    const coverage_id = await makeCase(court, state);
    const content = says('For the desk.', { desk_note: 'Ask the mayor.' });
    const update = { coverage_id, update_id: randomUUID(), content };
    await call(court.parties.reporter.client, 'save_update', update);
    const all = { desk_updates: 1, desk_revisions: 1, coverage_revisions: 1, coverage_members: 2 };
    const none = { desk_updates: 0, desk_revisions: 0, coverage_revisions: 0, coverage_members: 0 };
    for (const who of WHO) {
      expect(await deskOf(court.parties[who], coverage_id), who).toEqual(READERS.includes(who) ? all : none);
    }
  });

  async function deskOf({ client }: Party, coverage_id: string) {
    const seen: Record<string, number> = {};
    for (const table of ['desk_updates', 'desk_revisions', 'coverage_revisions', 'coverage_members']) {
      const { data } = await client.from(table).select('*').eq('coverage_id', coverage_id);
      seen[table] = data?.length ?? 0;
    }
    return seen;
  }
});

describe('the table of permissions', () => {
  test('is the one that is spelled out here', async () => {
    const { data } = await court.service.rpc('permissions');
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
