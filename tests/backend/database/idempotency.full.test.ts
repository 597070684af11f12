import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  contentOf,
  createCoverage,
  createSharedCoverage,
  openTestContext,
  readCoverageRows,
  type TestContext,
  tryCall,
} from '../../support/actors.ts';
import { subscription } from '../../support/alerts.ts';
import { call, callServer, paragraph } from '../../support/newsroom.ts';
import { imageOf } from '../../support/site-images.ts';

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context.stop());

type Args = Record<string, unknown>;

/** Every function with an idempotency key, and arguments that an owner may use. delete_account is tested elsewhere. */
const PRESSES: [name: string, args: () => Promise<Args>][] = [
  ['save_update', async () => ({ ...(await blank()), content: contentOf('Draft.') })],
  ['submit_update', () => drafted()],
  ['spike_update', () => drafted()],
  [
    'schedule_update',
    async () => ({ ...(await blank()), content: contentOf('Later.'), scheduled_for: inAnHour() }),
  ],
  ['unschedule_update', () => scheduled()],
  ['publish_update', async () => ({ ...(await blank()), content: contentOf('News.') })],
  ['revise_update', async () => ({ ...(await published()), content: contentOf('Revised.') })],
  ['correct_update', async () => ({ ...(await published()), content: contentOf('Right.'), note: 'A name.' })],
  ['withdraw_update', async () => ({ update_id: (await published()).update_id, reason: 'Not true.' })],
  ['pin_update', async () => ({ coverage_id: (await blank()).coverage_id, update_id: null })],
  ['set_summary', async () => ({ ...(await seen()), summary: [paragraph('So far.')] })],
  ['save_coverage', async () => ({ ...(await seen()), content: { kicker: 'Now' } })],
  ['set_coverage_state', async () => ({ coverage_id: (await blank()).coverage_id, state: 'ended' })],
  [
    'set_coverage_member',
    async () => ({ coverage_id: (await blank()).coverage_id, person_id: context.actors.contributor.id }),
  ],
  [
    'create_coverage',
    async () => ({ coverage_id: randomUUID(), content: { slug: newSlug(), headline: 'New' } }),
  ],
  ['save_topic', async () => ({ slug: newSlug(), name: 'Weather' })],
  ['save_site', async () => ({ content: { tagline: randomUUID() } })],
  [
    'save_site_identity',
    async () => {
      const { data } = await context.service.from('site').select('identity_version').single().throwOnError();
      return { content: { sponsor: { label: randomUUID() } }, version: data.identity_version };
    },
  ],
  ['save_site_image', async () => ({ files: imageOf(randomUUID()).files })],
  ['arrange_front_page', async () => ({ coverage_ids: [(await blank()).coverage_id] })],
  ['set_canonical_url', async () => ({ coverage_id: (await blank()).coverage_id })],
  ['set_lead_photo', async () => ({ coverage_id: (await blank()).coverage_id })],
  [
    'save_media_file',
    async () => ({ coverage_id: (await blank()).coverage_id, file_id: randomUUID(), format: 'mp3' }),
  ],
  ['set_surge', async () => ({ mode: 'off' })],
  [
    'save_wordpress',
    async () => ({ url: 'https://paper.example', username: 'desk', password: 'x'.repeat(60) }),
  ],
  ['remove_wordpress', async () => ({})],
  ['offer_wordpress_transfer', async () => ({ code_hash: 'a'.repeat(64) })],
  ['close_wordpress_transfer', async () => ({})],
  ['connect_filing_channel', async () => FILING_CHANNEL],
  ['set_filing_trust', async () => ({ sender_id: await linkedSender(), publishes: true })],
  ['unlink_filing_sender', async () => ({ sender_id: await linkedSender() })],
  [
    'make_filing_code',
    async () => {
      await call(context.actors.owner.client, 'connect_filing_channel', FILING_CHANNEL);
      return { channel: 'telegram', code_hash: randomDigest(), language: 'en' };
    },
  ],
  ['remove_filing_channel', async () => ({ channel: 'telegram' })],
  ['set_role', async () => ({ person_id: context.actors.reader.id, role: 'reader' })],
  ['set_active', async () => ({ person_id: context.actors.reader.id, active: true })],
  ['save_me', async () => ({ content: { bio: randomUUID() } })],
  ['adopt_address_follows', async () => ({})],
  [
    'save_follow',
    async () => ({
      target: { coverage: `case-${(await blank()).coverage_id}` },
      scope: 'all',
      by_mail: true,
      by_push: false,
    }),
  ],
  ['save_push_subscription', async () => ({ subscription: subscription(), device: 'Phone' })],
  ['delete_push_subscription', async () => ({ id: randomUUID() })],
];

const randomDigest = () => randomUUID().replaceAll('-', '').repeat(2);
const FILING_CHANNEL = {
  channel: 'telegram',
  account: '@desk_bot',
  token: 'x'.repeat(60),
  delivery_hash: 'a'.repeat(64),
};

/** Returns the id of a sender that is linked to the owner. */
async function linkedSender(): Promise<string> {
  const { owner } = context.actors;
  const code = randomUUID();
  const code_hash = createHash('sha256').update(code).digest('hex');
  await call(owner.client, 'connect_filing_channel', FILING_CHANNEL);
  await call(owner.client, 'make_filing_code', { channel: 'telegram', code_hash, language: 'en' });
  const sender = { channel: 'telegram', sender: randomUUID(), name: '@ana', code };
  await callServer(context.service, 'link_filing_sender', sender);
  const own = await callServer<{ senders: { id: string }[] }>(owner.client, 'my_filing', {});
  return own.senders.at(-1)?.id ?? '';
}

const newSlug = () => `new-${randomUUID()}`;
const blank = async () => ({ coverage_id: await createSharedCoverage(context), update_id: randomUUID() });
const seen = async () => ({ coverage_id: await createSharedCoverage(context), version: 1 });

async function drafted() {
  const scene = await blank();
  await call(context.actors.owner.client, 'save_update', { ...scene, content: contentOf('Draft.') });
  return { update_id: scene.update_id, version: 1 };
}

const inAnHour = () => new Date(Date.now() + 3600_000).toISOString();

async function scheduled() {
  const scene = await blank();
  const args = { ...scene, content: contentOf('Later.'), scheduled_for: inAnHour() };
  await call(context.actors.owner.client, 'schedule_update', args);
  return { update_id: scene.update_id, version: 1 };
}

async function published() {
  const scene = await blank();
  await call(context.actors.owner.client, 'publish_update', { ...scene, content: contentOf('News.') });
  return { update_id: scene.update_id, version: 1 };
}

describe('a repeated command', () => {
  test.each(PRESSES)('%s returns its first result again', async (name, makeArgs) => {
    const args = await makeArgs();
    const idempotency_key = randomUUID();
    const { client } = context.actors.owner;
    const first = await tryCall(client, name, { idempotency_key, ...args });
    expect(first).toMatchObject({ code: 'ok' });
    const coverage_id = args.coverage_id ?? first.result?.coverage_id;
    const before = coverage_id ? await readCoverageRows(context.service, String(coverage_id)) : null;
    expect(await tryCall(client, name, { idempotency_key, ...args })).toEqual(first);
    if (coverage_id) expect(await readCoverageRows(context.service, String(coverage_id))).toEqual(before);
  });

  test('returns its first result even after later changes', async () => {
    const { client } = context.actors.reporter;
    const scene = await blank();
    const args = { idempotency_key: randomUUID(), ...scene, content: contentOf('News.') };
    const first = await tryCall(client, 'publish_update', args);
    await call(client, 'withdraw_update', { update_id: scene.update_id, reason: 'Wrong.' });
    const before = await readCoverageRows(context.service, scene.coverage_id);
    expect(await tryCall(client, 'publish_update', args)).toEqual(first);
    expect(await readCoverageRows(context.service, scene.coverage_id)).toEqual(before);
  });

  test('can be corrected and repeated with the same key after a refusal', async () => {
    const { client } = context.actors.reporter;
    const scene = await blank();
    const idempotency_key = randomUUID();
    const refused = await tryCall(client, 'publish_update', {
      idempotency_key,
      ...scene,
      content: contentOf(' '),
    });
    expect(refused).toMatchObject({ code: 'invalid', field: 'body' });
    expect(
      await tryCall(client, 'publish_update', { idempotency_key, ...scene, content: contentOf('News.') }),
    ).toMatchObject({
      code: 'ok',
      result: { number: 1 },
    });
  });
});

describe('a used idempotency key', () => {
  test('is refused in the same way for other people and other commands', async () => {
    const { owner, editor, reporter } = context.actors;
    const scene = await blank();
    const args = { idempotency_key: randomUUID(), ...scene, content: contentOf('News.') };
    await call(owner.client, 'publish_update', args);
    const before = await readCoverageRows(context.service, scene.coverage_id);

    const another = {
      idempotency_key: args.idempotency_key,
      coverage_id: await createSharedCoverage(context),
      state: 'ended',
    };
    const outcomes = [
      await tryCall(editor.client, 'publish_update', args),
      await tryCall(reporter.client, 'publish_update', args),
      await tryCall(owner.client, 'publish_update', { ...args, content: contentOf('Other news.') }),
      await tryCall(owner.client, 'publish_update', { ...args, update_id: randomUUID() }),
      await tryCall(owner.client, 'save_update', args),
      await tryCall(owner.client, 'set_coverage_state', another),
      await tryCall(context.service, 'publish_update', args),
    ];
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ code: 'forbidden', status: 403, field: undefined });
      expect(outcome).toEqual(outcomes[0]);
    }
    expect(await readCoverageRows(context.service, scene.coverage_id)).toEqual(before);
    expect((await readCoverageRows(context.service, another.coverage_id)).coverage).toMatchObject([
      { state: 'live' },
    ]);
  });
});

describe('a used id', () => {
  test('with the same content and a new key returns the same update', async () => {
    const { client } = context.actors.reporter;
    const args = {
      ...(await blank()),
      content: contentOf('News.', { occurred_at: '2026-01-01T01:00:00+01:00' }),
    };
    const first = await tryCall(client, 'publish_update', args);
    const before = await readCoverageRows(context.service, args.coverage_id);
    expect(await tryCall(client, 'publish_update', args)).toEqual(first);
    expect(await tryCall(client, 'publish_update', { ...args, content: contentOf('Other.') })).toMatchObject({
      code: 'bad_state',
    });
    expect(await readCoverageRows(context.service, args.coverage_id)).toEqual(before);
  });

  test.each(['publish_update', 'save_update'])('of another coverage is refused by %s', async (name) => {
    const { client } = context.actors.editor;
    const scene = await blank();
    await call(client, name, { ...scene, content: contentOf('Here.') });
    const before = await readCoverageRows(context.service, scene.coverage_id);
    const elsewhere = {
      ...scene,
      coverage_id: await createSharedCoverage(context),
      version: 1,
      content: contentOf('There.'),
    };
    expect(await tryCall(client, name, elsewhere)).toMatchObject({ code: 'forbidden', status: 403 });
    expect(await readCoverageRows(context.service, scene.coverage_id)).toEqual(before);
    expect((await readCoverageRows(context.service, elsewhere.coverage_id)).updates).toEqual([]);
  });

  test('of a coverage is refused too', async () => {
    const coverage_id = await createSharedCoverage(context);
    const before = await readCoverageRows(context.service, coverage_id);
    const content = { slug: newSlug(), headline: 'New' };
    const outcome = await tryCall(context.actors.editor.client, 'create_coverage', { coverage_id, content });
    expect(outcome).toMatchObject({ code: 'forbidden', status: 403 });
    expect(await readCoverageRows(context.service, coverage_id)).toEqual(before);
  });
});

describe('on a bad connection', () => {
  /** Sends a call and closes the connection before the response. */
  async function loseReply(client: SupabaseClient, name: string, args: Args) {
    const { data } = await client.auth.getSession();
    const sent = request(`${context.backend.url}/rest/v1/rpc/${name}`, {
      method: 'POST',
      headers: {
        ...context.backend.headers,
        apikey: context.backend.publishableKey,
        authorization: `Bearer ${data.session?.access_token}`,
        'content-type': 'application/json',
      },
    });
    sent.on('error', () => {});
    sent.end(JSON.stringify(args));
    await once(sent, 'finish');
    sent.destroy();
  }

  test('fifty concurrent and repeated commands publish each update once, without gaps', async () => {
    const { service, actors: parties } = context;
    const coverages = [
      await createCoverage(service),
      await createCoverage(service),
      await createCoverage(service),
    ];
    const writers = [parties.reporter, parties.colleague, parties.editor, parties.owner];
    const presses = Array.from({ length: 50 }, (_, n) => ({
      client: (writers[n % writers.length] as (typeof writers)[0]).client,
      args: {
        idempotency_key: randomUUID(),
        coverage_id: coverages[n % coverages.length] as string,
        update_id: randomUUID(),
        content: contentOf(`News ${n}.`),
      },
    }));
    const outcomes = await Promise.all(
      presses.map(async ({ client, args }, n) => {
        if (n % 3 === 0) await loseReply(client, 'publish_update', args);
        // A double tap, and a retry of the device.
        const [first, second] = await Promise.all([
          tryCall(client, 'publish_update', args),
          tryCall(client, 'publish_update', args),
        ]);
        const third = await tryCall(client, 'publish_update', {
          ...args,
          idempotency_key: n % 2 ? args.idempotency_key : randomUUID(),
        });
        expect(second).toEqual(first);
        expect(third).toEqual(first);
        return first;
      }),
    );
    expect(new Set(outcomes.map(({ code }) => code))).toEqual(new Set(['ok']));

    for (const coverage_id of coverages) {
      const mine = presses
        .filter(({ args }) => args.coverage_id === coverage_id)
        .map(({ args }) => args.update_id);
      const { coverage, updates, changes, revisions } = await readCoverageRows(service, coverage_id);
      const upTo = (n: number, from = 1) => Array.from({ length: n }, (_, i) => i + from);
      const byNumber = updates.toSorted((a, b) => a.number - b.number);
      expect(updates.map(({ id }) => id).sort()).toEqual(mine.sort());
      expect(byNumber.map(({ number }) => number)).toEqual(upTo(mine.length));
      // The first change is the coverage going live.
      expect(changes.map(({ seq }) => seq)).toEqual(upTo(mine.length + 1));
      expect(byNumber.map(({ seq }) => seq)).toEqual(upTo(mine.length, 2));
      expect(changes.slice(1).map(({ update_id }) => update_id)).toEqual(byNumber.map(({ id }) => id));
      expect(revisions).toHaveLength(mine.length);
      expect(coverage).toMatchObject([{ seq: mine.length + 1, update_count: mine.length }]);
      const times = byNumber.map(({ published_at }) => published_at);
      expect(times).toEqual(times.toSorted());
    }
  });

  test('failed commands leave no gap in the numbers', async () => {
    const { service, actors: parties } = context;
    const coverage_id = await createCoverage(service);
    const publish = (content: object) =>
      tryCall(parties.reporter.client, 'publish_update', { coverage_id, update_id: randomUUID(), content });
    const item = (content: object) => ({ id: randomUUID(), published_at: '2020-01-01T00:00:00Z', content });

    expect(await publish(contentOf('One.'))).toMatchObject({ result: { number: 1, seq: 2 } });
    expect(await publish(contentOf('No.', { urgency: 'urgent' }))).toMatchObject({ code: 'forbidden' });
    // The first item of this batch has its number when the second one is refused.
    const items = [item(contentOf('Fit.')), item(contentOf(' '))].map((each) => ({
      ...each,
      published_at: new Date().toISOString(),
    }));
    const batch = await service.rpc('import_updates', { coverage_id, items });
    expect(batch.error).toMatchObject({ code: 'PT422' });
    expect(await publish(contentOf('Two.'))).toMatchObject({ result: { number: 2, seq: 3 } });
    expect((await readCoverageRows(service, coverage_id)).changes).toHaveLength(3);
  });
});
