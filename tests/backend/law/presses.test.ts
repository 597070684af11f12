import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Courtroom,
  makeCase,
  makeCoverage,
  openCourtroom,
  press,
  recordOf,
  says,
} from '../../support/actors.ts';
import { subscription } from '../../support/alerts.ts';
import { call, paragraph } from '../../support/newsroom.ts';

let court: Courtroom;
beforeAll(async () => {
  court = await openCourtroom();
});
afterAll(() => court.stop());

type Args = Record<string, unknown>;

/** Every function that takes an op, with arguments that an owner may use; but for the end of their account. */
const PRESSES: [name: string, args: () => Promise<Args>][] = [
  ['save_update', async () => ({ ...(await blank()), content: says('Draft.') })],
  ['submit_update', () => drafted()],
  ['spike_update', () => drafted()],
  [
    'schedule_update',
    async () => ({ ...(await blank()), content: says('Later.'), scheduled_for: inAnHour() }),
  ],
  ['unschedule_update', () => scheduled()],
  ['publish_update', async () => ({ ...(await blank()), content: says('News.') })],
  ['revise_update', async () => ({ ...(await published()), content: says('Revised.') })],
  ['correct_update', async () => ({ ...(await published()), content: says('Right.'), note: 'A name.' })],
  ['withdraw_update', async () => ({ update_id: (await published()).update_id, reason: 'Not true.' })],
  ['pin_update', async () => ({ coverage_id: (await blank()).coverage_id, update_id: null })],
  ['set_summary', async () => ({ ...(await seen()), summary: [paragraph('So far.')] })],
  ['save_coverage', async () => ({ ...(await seen()), content: { kicker: 'Now' } })],
  ['set_coverage_state', async () => ({ coverage_id: (await blank()).coverage_id, state: 'ended' })],
  [
    'set_coverage_member',
    async () => ({ coverage_id: (await blank()).coverage_id, person_id: court.parties.contributor.id }),
  ],
  [
    'create_coverage',
    async () => ({ coverage_id: randomUUID(), content: { slug: newSlug(), headline: 'New' } }),
  ],
  ['save_topic', async () => ({ slug: newSlug(), name: 'Weather' })],
  ['save_site', async () => ({ content: { tagline: randomUUID() } })],
  ['set_surge', async () => ({ mode: 'off' })],
  ['set_role', async () => ({ person_id: court.parties.reader.id, role: 'reader' })],
  ['set_active', async () => ({ person_id: court.parties.reader.id, active: true })],
  ['save_me', async () => ({ content: { bio: randomUUID() } })],
  [
    'save_follow',
    async () => ({
      target: { coverage: `case-${(await blank()).coverage_id}` },
      scope: 'all',
      mail: true,
      push: false,
    }),
  ],
  ['save_push', async () => ({ subscription: subscription(), device: 'Phone' })],
  ['drop_push', async () => ({ id: randomUUID() })],
];

const newSlug = () => `new-${randomUUID()}`;
const blank = async () => ({ coverage_id: await makeCase(court), update_id: randomUUID() });
const seen = async () => ({ coverage_id: await makeCase(court), version: 1 });

async function drafted() {
  const scene = await blank();
  await call(court.parties.owner.client, 'save_update', { ...scene, content: says('Draft.') });
  return { update_id: scene.update_id, version: 1 };
}

const inAnHour = () => new Date(Date.now() + 3600_000).toISOString();

async function scheduled() {
  const scene = await blank();
  const args = { ...scene, content: says('Later.'), scheduled_for: inAnHour() };
  await call(court.parties.owner.client, 'schedule_update', args);
  return { update_id: scene.update_id, version: 1 };
}

async function published() {
  const scene = await blank();
  await call(court.parties.owner.client, 'publish_update', { ...scene, content: says('News.') });
  return { update_id: scene.update_id, version: 1 };
}

describe('the same press', () => {
  test.each(PRESSES)('%s answers twice what it answered once', async (name, makeArgs) => {
    const args = await makeArgs();
    const op = randomUUID();
    const { client } = court.parties.owner;
    const first = await press(client, name, { op, ...args });
    expect(first).toMatchObject({ code: 'ok' });
    const coverage_id = args.coverage_id ?? first.result?.coverage_id;
    const before = coverage_id ? await recordOf(court.service, String(coverage_id)) : null;
    expect(await press(client, name, { op, ...args })).toEqual(first);
    if (coverage_id) expect(await recordOf(court.service, String(coverage_id))).toEqual(before);
  });

  test('answers its first result also when much has happened since', async () => {
    const { client } = court.parties.reporter;
    const scene = await blank();
    const args = { op: randomUUID(), ...scene, content: says('News.') };
    const first = await press(client, 'publish_update', args);
    await call(client, 'withdraw_update', { update_id: scene.update_id, reason: 'Wrong.' });
    const before = await recordOf(court.service, scene.coverage_id);
    expect(await press(client, 'publish_update', args)).toEqual(first);
    expect(await recordOf(court.service, scene.coverage_id)).toEqual(before);
  });

  test('may be made again after it was refused, with other words', async () => {
    const { client } = court.parties.reporter;
    const scene = await blank();
    const op = randomUUID();
    const refused = await press(client, 'publish_update', { op, ...scene, content: says(' ') });
    expect(refused).toMatchObject({ code: 'invalid', field: 'body' });
    expect(await press(client, 'publish_update', { op, ...scene, content: says('News.') })).toMatchObject({
      code: 'ok',
      result: { number: 1 },
    });
  });
});

describe('a known op', () => {
  test('is refused in one way, whoever uses it, whatever for', async () => {
    const { owner, editor, reporter } = court.parties;
    const scene = await blank();
    const args = { op: randomUUID(), ...scene, content: says('News.') };
    await call(owner.client, 'publish_update', args);
    const before = await recordOf(court.service, scene.coverage_id);

    const another = { op: args.op, coverage_id: await makeCase(court), state: 'ended' };
    const outcomes = [
      await press(editor.client, 'publish_update', args),
      await press(reporter.client, 'publish_update', args),
      await press(owner.client, 'publish_update', { ...args, content: says('Other news.') }),
      await press(owner.client, 'publish_update', { ...args, update_id: randomUUID() }),
      await press(owner.client, 'save_update', args),
      await press(owner.client, 'set_coverage_state', another),
      await press(court.service, 'publish_update', args),
    ];
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ code: 'forbidden', status: 403, field: undefined });
      expect(outcome).toEqual(outcomes[0]);
    }
    expect(await recordOf(court.service, scene.coverage_id)).toEqual(before);
    expect((await recordOf(court.service, another.coverage_id)).coverage).toMatchObject([{ state: 'live' }]);
  });
});

describe('a known id', () => {
  test('with the same words, by a new press, is the same update', async () => {
    const { client } = court.parties.reporter;
    const args = { ...(await blank()), content: says('News.', { occurred_at: '2026-01-01T01:00:00+01:00' }) };
    const first = await press(client, 'publish_update', args);
    const before = await recordOf(court.service, args.coverage_id);
    expect(await press(client, 'publish_update', args)).toEqual(first);
    expect(await press(client, 'publish_update', { ...args, content: says('Other.') })).toMatchObject({
      code: 'bad_state',
    });
    expect(await recordOf(court.service, args.coverage_id)).toEqual(before);
  });

  test.each(['publish_update', 'save_update'])('of another coverage is taken, for %s', async (name) => {
    const { client } = court.parties.editor;
    const scene = await blank();
    await call(client, name, { ...scene, content: says('Here.') });
    const before = await recordOf(court.service, scene.coverage_id);
    const elsewhere = { ...scene, coverage_id: await makeCase(court), version: 1, content: says('There.') };
    expect(await press(client, name, elsewhere)).toMatchObject({ code: 'forbidden', status: 403 });
    expect(await recordOf(court.service, scene.coverage_id)).toEqual(before);
    expect((await recordOf(court.service, elsewhere.coverage_id)).updates).toEqual([]);
  });

  test('of a coverage is taken too', async () => {
    const coverage_id = await makeCase(court);
    const before = await recordOf(court.service, coverage_id);
    const content = { slug: newSlug(), headline: 'New' };
    const outcome = await press(court.parties.editor.client, 'create_coverage', { coverage_id, content });
    expect(outcome).toMatchObject({ code: 'forbidden', status: 403 });
    expect(await recordOf(court.service, coverage_id)).toEqual(before);
  });
});

describe('on a bad line', () => {
  /** Sends a call and hangs up once it is on the wire: what it came to, nobody hears. */
  async function loseReply(client: SupabaseClient, name: string, args: Args) {
    const { data } = await client.auth.getSession();
    const sent = request(`${court.backend.url}/rest/v1/rpc/${name}`, {
      method: 'POST',
      headers: {
        ...court.backend.headers,
        apikey: court.backend.publishableKey,
        authorization: `Bearer ${data.session?.access_token}`,
        'content-type': 'application/json',
      },
    });
    sent.on('error', () => {});
    sent.end(JSON.stringify(args));
    await once(sent, 'finish');
    sent.destroy();
  }

  test('fifty at once, pressed again and again: every update once, without gaps', async () => {
    const { service, parties } = court;
    const coverages = [await makeCoverage(service), await makeCoverage(service), await makeCoverage(service)];
    const writers = [parties.reporter, parties.colleague, parties.editor, parties.owner];
    const presses = Array.from({ length: 50 }, (_, n) => ({
      client: (writers[n % writers.length] as (typeof writers)[0]).client,
      args: {
        op: randomUUID(),
        coverage_id: coverages[n % coverages.length] as string,
        update_id: randomUUID(),
        content: says(`News ${n}.`),
      },
    }));
    const outcomes = await Promise.all(
      presses.map(async ({ client, args }, n) => {
        if (n % 3 === 0) await loseReply(client, 'publish_update', args);
        // A thumb that presses twice, and a phone that tries again.
        const [first, second] = await Promise.all([
          press(client, 'publish_update', args),
          press(client, 'publish_update', args),
        ]);
        const third = await press(client, 'publish_update', { ...args, op: n % 2 ? args.op : randomUUID() });
        expect(second).toEqual(first);
        expect(third).toEqual(first);
        return first;
      }),
    );
    expect(outcomes.every(({ code }) => code === 'ok')).toBe(true);

    for (const coverage_id of coverages) {
      const mine = presses
        .filter(({ args }) => args.coverage_id === coverage_id)
        .map(({ args }) => args.update_id);
      const { coverage, updates, changes, revisions } = await recordOf(service, coverage_id);
      const upTo = (n: number, from = 1) => Array.from({ length: n }, (_, i) => i + from);
      const byNumber = updates.toSorted((a, b) => a.number - b.number);
      expect(updates.map(({ id }) => id).sort()).toEqual(mine.sort());
      expect(byNumber.map(({ number }) => number)).toEqual(upTo(mine.length));
      // The first change is that the coverage went live.
      expect(changes.map(({ seq }) => seq)).toEqual(upTo(mine.length + 1));
      expect(byNumber.map(({ seq }) => seq)).toEqual(upTo(mine.length, 2));
      expect(changes.slice(1).map(({ update_id }) => update_id)).toEqual(byNumber.map(({ id }) => id));
      expect(revisions).toHaveLength(mine.length);
      expect(coverage).toMatchObject([{ seq: mine.length + 1, update_count: mine.length }]);
      const times = byNumber.map(({ published_at }) => published_at);
      expect(times).toEqual(times.toSorted());
    }
  });

  test('what fails leaves no gap', async () => {
    const { service, parties } = court;
    const coverage_id = await makeCoverage(service);
    const publish = (content: object) =>
      press(parties.reporter.client, 'publish_update', { coverage_id, update_id: randomUUID(), content });
    const item = (content: object) => ({ id: randomUUID(), published_at: '2020-01-01T00:00:00Z', content });

    expect(await publish(says('One.'))).toMatchObject({ result: { number: 1, seq: 2 } });
    expect(await publish(says('No.', { urgency: 'urgent' }))).toMatchObject({ code: 'forbidden' });
    // The first item of this batch has had its number when the second is refused.
    const items = [item(says('Fit.')), item(says(' '))].map((each) => ({
      ...each,
      published_at: new Date().toISOString(),
    }));
    const batch = await service.rpc('import_updates', { coverage_id, items });
    expect(batch.error).toMatchObject({ code: 'PT422' });
    expect(await publish(says('Two.'))).toMatchObject({ result: { number: 2, seq: 3 } });
    expect((await recordOf(service, coverage_id)).changes).toHaveLength(3);
  });
});
