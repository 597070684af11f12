import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
import { call, paragraph } from '../../support/newsroom.ts';

let court: Courtroom;
beforeAll(async () => {
  court = await openCourtroom();
});
afterAll(() => court.stop());

const EDITORS: Who[] = ['editor', 'owner'];
const WRITERS: Who[] = ['contributor', 'reporter', 'colleague', 'editor', 'owner'];
/** Who may change what the reporter wrote. */
const OWN: Who[] = ['reporter', 'editor', 'owner'];

type Scene = { coverage_id: string; update_id: string; version: number };
type Author = 'reporter' | 'contributor';

/** An update at the desk, or a published one, by one of those who may write. */
async function written(by: Author, published = false): Promise<Scene> {
  const coverage_id = await makeCase(court);
  const update_id = randomUUID();
  const content = says('Written.');
  const { client } = court.parties[by];
  let { version } = await call<Scene>(client, 'save_update', { coverage_id, update_id, content });
  if (published) {
    const args = { coverage_id, update_id, content, version };
    ({ version } = await call<Scene>(court.parties.editor.client, 'publish_update', args));
  }
  return { coverage_id, update_id, version };
}

const blank = async (): Promise<Scene> => ({
  coverage_id: await makeCase(court),
  update_id: randomUUID(),
  version: 1,
});

/** What can be done, to what, and who may. The permission table of the specification, spelled out. */
const RIGHTS: {
  right: string;
  act: string;
  scene: () => Promise<Scene>;
  args: (scene: Scene) => Record<string, unknown>;
  who: Who[];
}[] = [
  {
    right: 'write an update',
    act: 'save_update',
    scene: blank,
    args: ({ coverage_id, update_id }) => ({ coverage_id, update_id, content: says('New.') }),
    who: WRITERS,
  },
  {
    right: 'rewrite what the reporter has at the desk',
    act: 'save_update',
    scene: () => written('reporter'),
    args: (scene) => ({ ...scene, content: says('Mended.') }),
    who: OWN,
  },
  {
    right: 'rewrite what the contributor has at the desk',
    act: 'save_update',
    scene: () => written('contributor'),
    args: (scene) => ({ ...scene, content: says('Mended.') }),
    who: ['contributor', 'editor', 'owner'],
  },
  {
    right: 'hand in what the contributor wrote',
    act: 'submit_update',
    scene: () => written('contributor'),
    args: ({ update_id, version }) => ({ update_id, version }),
    who: ['contributor', 'editor', 'owner'],
  },
  {
    right: 'put away what the reporter wrote',
    act: 'spike_update',
    scene: () => written('reporter'),
    args: ({ update_id, version }) => ({ update_id, version }),
    who: OWN,
  },
  {
    right: 'publish something new',
    act: 'publish_update',
    scene: blank,
    args: ({ coverage_id, update_id }) => ({ coverage_id, update_id, content: says('New.') }),
    who: ['reporter', 'colleague', 'editor', 'owner'],
  },
  {
    right: 'publish something urgent',
    act: 'publish_update',
    scene: blank,
    args: ({ coverage_id, update_id }) => ({
      coverage_id,
      update_id,
      content: says('New.', { urgency: 'urgent' }),
    }),
    who: EDITORS,
  },
  {
    right: 'save something urgent',
    act: 'save_update',
    scene: blank,
    args: ({ coverage_id, update_id }) => ({
      coverage_id,
      update_id,
      content: says('New.', { urgency: 'urgent' }),
    }),
    who: EDITORS,
  },
  {
    right: 'publish what the reporter has at the desk',
    act: 'publish_update',
    scene: () => written('reporter'),
    args: (scene) => ({ ...scene, content: says('Ready.') }),
    who: OWN,
  },
  {
    right: 'publish what the contributor has at the desk',
    act: 'publish_update',
    scene: () => written('contributor'),
    args: (scene) => ({ ...scene, content: says('Ready.') }),
    who: EDITORS,
  },
  ...(['reporter', 'contributor'] as const).flatMap((author) => [
    {
      right: `revise what the ${author} published`,
      act: 'revise_update',
      scene: () => written(author, true),
      args: ({ update_id, version }: Scene) => ({ update_id, version, content: says('Revised.') }),
      who: author === 'reporter' ? OWN : EDITORS,
    },
    {
      right: `correct what the ${author} published`,
      act: 'correct_update',
      scene: () => written(author, true),
      args: ({ update_id, version }: Scene) => ({
        update_id,
        version,
        content: says('Right.'),
        note: 'A name.',
      }),
      who: author === 'reporter' ? OWN : EDITORS,
    },
    {
      right: `withdraw what the ${author} published`,
      act: 'withdraw_update',
      scene: () => written(author, true),
      args: ({ update_id }: Scene) => ({ update_id, reason: 'Not true.' }),
      who: author === 'reporter' ? OWN : EDITORS,
    },
  ]),
  {
    right: 'raise a published update to urgent',
    act: 'revise_update',
    scene: () => written('reporter', true),
    args: ({ update_id, version }) => ({
      update_id,
      version,
      content: says('Written.', { urgency: 'urgent' }),
    }),
    who: EDITORS,
  },
  {
    right: 'pin',
    act: 'pin_update',
    scene: () => written('reporter', true),
    args: ({ coverage_id, update_id }) => ({ coverage_id, update_id }),
    who: EDITORS,
  },
  {
    right: 'write the summary',
    act: 'set_summary',
    scene: blank,
    args: ({ coverage_id }) => ({ coverage_id, version: 1, summary: [paragraph('So far.')] }),
    who: EDITORS,
  },
  {
    right: 'change a coverage',
    act: 'save_coverage',
    scene: blank,
    args: ({ coverage_id }) => ({ coverage_id, version: 1, content: { headline: 'Another' } }),
    who: EDITORS,
  },
  {
    right: 'end a coverage',
    act: 'set_coverage_state',
    scene: blank,
    args: ({ coverage_id }) => ({ coverage_id, state: 'ended' }),
    who: EDITORS,
  },
  {
    right: 'let a contributor in',
    act: 'set_coverage_member',
    scene: blank,
    args: ({ coverage_id }) => ({ coverage_id, person_id: court.parties.outsider.id }),
    who: EDITORS,
  },
];

/** Scenes that whoever is refused leaves as they were, so one serves all of them. */
const untouched = new Map<string, Promise<{ made: Scene; before: Awaited<ReturnType<typeof recordOf>> }>>();

function untouchedScene(right: string, scene: () => Promise<Scene>) {
  const made = untouched.get(right) ?? setUp();
  untouched.set(right, made);
  return made;
  async function setUp() {
    const made = await scene();
    return { made, before: await recordOf(court.service, made.coverage_id) };
  }
}

describe('in a live coverage', () => {
  const granted = RIGHTS.flatMap((right) => right.who.map((who) => ({ ...right, who })));
  const refused = RIGHTS.flatMap((right) =>
    WHO.filter((who) => !right.who.includes(who)).map((who) => ({ ...right, who })),
  );

  test.each(granted)('$who may $right', async ({ act, scene, args, who }) => {
    const made = await scene();
    const before = await recordOf(court.service, made.coverage_id);
    const outcome = await press(court.parties[who].client, act, args(made));
    expect(outcome).toMatchObject({ code: 'ok', status: 200 });
    expect(await recordOf(court.service, made.coverage_id)).not.toEqual(before);
  });

  test.each(refused)('$who may not $right', async ({ right, act, scene, args, who }) => {
    const { made, before } = await untouchedScene(right, scene);
    const outcome = await press(court.parties[who].client, act, args(made));
    if (who === 'visitor') expect(outcome).toEqual({ code: 'denied', status: 401 });
    else {
      // What is at the desk only is not there for those who may not read the desk.
      const hidden = before.updates.some(({ number }) => number === null) && !('coverage_id' in args(made));
      const outside = ['reader', 'outsider', 'expired', 'deactivated'].includes(who);
      expect(outcome).toMatchObject(
        hidden && outside ? { code: 'not_found', status: 404 } : { code: 'forbidden', status: 403 },
      );
    }
    expect(await recordOf(court.service, made.coverage_id)).toEqual(before);
  });
});

describe('in a draft coverage', () => {
  const acts = RIGHTS.filter(({ scene }) => scene === blank);
  const outside = ['reader', 'outsider', 'expired', 'deactivated'] as const;
  const draft = async () => ({ ...(await blank()), coverage_id: await makeCase(court, 'draft') });

  test.each(acts.flatMap((right) => outside.map((who) => ({ ...right, who }))))(
    '$who, asking to $right, hears what they would of a coverage that never was',
    async ({ act, args, who }) => {
      const { made, before } = await untouchedScene('draft', draft);
      const { client } = court.parties[who];
      const outcome = await press(client, act, args(made));
      expect(outcome).toMatchObject({ code: 'not_found', status: 404 });
      expect(outcome).toEqual(await press(client, act, args({ ...made, coverage_id: randomUUID() })));
      expect(await recordOf(court.service, made.coverage_id)).toEqual(before);
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
  { act: 'save_site', args: () => ({ content: { tagline: randomUUID() } }), table: 'site', who: ['owner'] },
  {
    act: 'set_role',
    args: () => ({ person_id: court.parties.reader.id, role: 'contributor' }),
    table: 'people',
    who: ['owner'],
  },
  {
    act: 'set_active',
    args: () => ({ person_id: court.parties.reader.id, active: false }),
    table: 'people',
    who: ['owner'],
  },
];

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
    // The reader is needed as a reader by the next line of the table.
    await call(court.service, 'set_role', { person_id: court.parties.reader.id, role: 'reader' });
    await call(court.service, 'set_active', { person_id: court.parties.reader.id, active: true });
    if (may) {
      expect(outcome).toMatchObject({ code: 'ok' });
      expect(after).not.toBe(before);
    } else {
      expect(outcome).toMatchObject(
        who === 'visitor' ? { code: 'denied', status: 401 } : { code: 'forbidden', status: 403 },
      );
      expect(after).toBe(before);
    }
  });

  test.each(WHO)("%s cannot run the server's own functions", async (who) => {
    const coverage_id = await makeCase(court);
    const { client } = court.parties[who];
    const items = [{ id: randomUUID(), published_at: '2020-01-01T00:00:00Z', content: says('Old.') }];
    for (const [name, args] of [
      ['limits', {}],
      ['permissions', {}],
      ['check_import', { items }],
      ['import_updates', { coverage_id, items }],
      ['import_state', { coverage_id, state: 'ended', at: '2020-01-01T00:00:00Z' }],
    ] as const) {
      const { error, status } = await client.rpc(name, args);
      expect(error?.code, name).toBe('42501');
      expect(status, name).toBe(who === 'visitor' ? 401 : 403);
    }
    expect(await recordOf(court.service, coverage_id)).toMatchObject({
      updates: [],
      coverage: [{ state: 'live' }],
    });
  });
});

describe('reading the desk', () => {
  const READERS: Who[] = ['contributor', 'reporter', 'colleague', 'moderator', 'editor', 'owner'];

  test.each(WHO.flatMap((who) => ['live', 'draft', 'withdrawn'].map((state) => [who, state] as const)))(
    '%s, of a %s coverage',
    async (who, state) => {
      const { made } = await untouchedScene(`desk, ${state}`, async () => {
        const scene = { coverage_id: await makeCase(court, state), update_id: randomUUID() };
        const content = says('For the desk.', { desk_note: 'Ask the mayor.' });
        await call(court.parties.reporter.client, 'save_update', { ...scene, content });
        return { ...scene, version: 1 };
      });
      const seen = await deskOf(court.parties[who], made.coverage_id);
      if (READERS.includes(who)) {
        expect(seen).toEqual({
          desk_updates: 1,
          desk_revisions: 1,
          coverage_revisions: 1,
          coverage_members: 2,
        });
      } else {
        expect(seen).toEqual({
          desk_updates: 0,
          desk_revisions: 0,
          coverage_revisions: 0,
          coverage_members: 0,
        });
      }
    },
  );

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
  test('is the one of the specification', async () => {
    const { data } = await court.service.rpc('permissions');
    const rows = (data as { permission: string; role: string; scope: string }[]).map(
      ({ permission, role, scope }) => `${permission}: ${role}, ${scope}`,
    );
    expect(rows.sort()).toEqual([
      'administer: owner, any',
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

describe('who one is', () => {
  test.each(WHO)('%s', async (who) => {
    const { client, id } = court.parties[who];
    const { data, error } = await client.rpc('me');
    if (who === 'visitor') expect(error?.code).toBe('42501');
    else if (who === 'deactivated') expect(data).toBeNull();
    else expect(data).toMatchObject({ id, role: expect.any(String) });
  });
});
