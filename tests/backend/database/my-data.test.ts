import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contentOf } from '../../support/actors.ts';
import { openAlerts, type Person } from '../../support/alerts.ts';
import { errorOf, openTestDatabase, SERVER, type TestDatabase, VISITOR } from '../../support/database.ts';

/* my_data() returns everything that is stored about a person, and nothing about others. */

let database: TestDatabase;
let editor: Person;
let alerts: ReturnType<typeof openAlerts>;
beforeAll(async () => {
  database = await openTestDatabase();
  editor = await database.createUser('editor');
  alerts = openAlerts(database, () => editor);
});
afterAll(() => database.close());

/** The name under which my_data() returns each column that refers to a person, or the reason why it does not. */
const KEPT: Record<string, string> = {
  'public.people.id': 'person',
  'public.coverage_members.person_id': 'memberships',
  'public.followers.person_id': 'follows',
  'public.tips.sender': 'tips',
  'public.update_revisions.created_by': 'versions',
  'public.update_bylines.person_id': 'bylines',
  'public.coverage_revisions.created_by': 'coverage_versions',
  'public.photos.uploaded_by': 'photos',
  'public.media_files.uploaded_by': 'media_files',
  'public.audit_log.created_by': 'actions',
  'public.invites.accepted_by': 'invites',
  'private.filing_senders.person_id': 'filing_senders',
};
const LEFT_OUT: Record<string, string> = {
  'public.audit_log.person_id': 'what others did: the newsroom’s',
  'public.coverages.created_by': 'said by coverage_versions and actions',
  'public.coverage_members.added_by': 'somebody else’s place: said by actions',
  'public.photos.removed_by': 'somebody’s photo: said by actions',
  'public.updates.author': 'said by versions: an update begins with one by its author',
  'public.updates.created_by': 'the author',
  'public.updates.published_by': 'of one’s own said by versions; else somebody else’s words: the newsroom’s',
  'public.updates.scheduled_by': 'said by versions: to schedule is to save one',
  'public.update_revisions.redacted_by': 'said by actions',
  'public.tips.assigned_to': 'somebody else’s tip',
  'public.tips.handled_by': 'somebody else’s tip',
  'public.invites.invited_by': 'somebody else’s invitation: said by actions',
  'private.wordpress_drafts.created_by': 'said by actions',
  'private.filing_codes.person_id': 'a digest of a code, for a day',
  'private.idempotency_keys.person_id': 'a digest of what was pressed, which is said by what came of it',
};

test('every column that refers to a person is returned, or left out for a reason', async () => {
  const columns = await database.rows<{ place: string }>(`
    select n.nspname || '.' || c.relname || '.' || a.attname as place
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'private') and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
      and (exists (select from pg_constraint f where f.contype = 'f' and f.conrelid = c.oid
          and f.confrelid = 'public.people'::regclass and f.conkey = array[a.attnum])
        or (a.atttypid = 'uuid'::regtype and a.attname ~ '^(by|person|person_id|sender|author|.*_by|.*_to)$')
        or (c.oid = 'public.people'::regclass and a.attname = 'id'))
    order by 1`);
  expect(columns.map(({ place }) => place)).toEqual([...Object.keys(KEPT), ...Object.keys(LEFT_OUT)].sort());
});

type Data = Record<string, Record<string, unknown>[]> & {
  person: Record<string, unknown>;
  account: Record<string, unknown>;
};
const dataOf = (who: Person) => database.call(who, ['my_data', {}]) as Promise<Data>;

/** Creates a person with rows in every table that refers to people. */
async function busy() {
  const coverage_id = await alerts.coverage();
  const who = await database.createUser('reporter');
  await database.rows('update auth.users set email_confirmed_at = now() where id = $1', [who.sub]);
  await database.call(who, ['save_me', { content: { display_name: 'Ada Löve', bio: 'On rivers.' } }]);
  await database.rows(
    "insert into public.coverage_members (coverage_id, person_id, expires_at) values ($1, $2, now() + interval '1 day')",
    [coverage_id, who.sub],
  );
  const follow = await alerts.follow(
    who,
    { coverage: alerts.slugOf(coverage_id) },
    { mail: true, push: true },
  );
  await alerts.subscribe(who);
  await alerts.publish(coverage_id, 'Words of an editor.');
  await alerts.advance(60);
  await alerts.deliver();
  const tip = {
    coverage: alerts.slugOf(coverage_id),
    body: 'The gate is open.',
    name: 'Ada',
    contact: 'ada@x.example',
  };
  await database.call(SERVER, [
    'add_tip',
    {
      tip_id: randomUUID(),
      content: tip,
      receipt: randomUUID() + randomUUID(),
      sender: { address: randomUUID(), person: who.sub },
    },
  ]);
  const photo_id = randomUUID();
  await database.call(who, ['save_photo', { coverage_id, photo_id, content: { alt: 'A dam.' } }]);
  const [update_id, withdrawn, draft] = [randomUUID(), randomUUID(), randomUUID()];
  await database.call(who, ['publish_update', { coverage_id, update_id, content: contentOf('Own words.') }]);
  await database.call(editor, [
    'revise_update',
    { update_id, version: 1, content: contentOf('Words of an editor.') },
  ]);
  await database.call(who, [
    'publish_update',
    { coverage_id, update_id: withdrawn, content: contentOf('Withdrawn words.') },
  ]);
  await database.call(who, ['withdraw_update', { update_id: withdrawn, reason: 'Not true.' }]);
  const hidden = await alerts.coverage('draft');
  await database.call(who, [
    'save_update',
    { coverage_id: hidden, update_id: draft, content: contentOf('Half a sentence.') },
  ]);
  await database.rows(
    `insert into public.coverage_revisions (coverage_id, version, content, created_by) values ($1, 99, '{}', $2)`,
    [coverage_id, who.sub],
  );
  await database.rows(
    `insert into public.invites (id, email, name, role, token_hash, invited_by, expires_at, accepted_at, accepted_by)
     values ($1, $2, 'Ada', 'reporter', md5($2) || md5($2 || '-'), $3, now(), now(), $4)`,
    [randomUUID(), `${who.sub}@example.com`, editor.sub, who.sub],
  );
  return { who, coverage_id, hidden, update_id, withdrawn, draft, photo_id, follow };
}

test('a busy person gets all own rows, and no texts or personal data of others', async () => {
  const other = await busy();
  const { who, coverage_id, hidden, update_id, withdrawn, draft, photo_id, follow } = await busy();
  const slug = alerts.slugOf(coverage_id);
  const data = await dataOf(who);
  const coverage = { id: coverage_id, slug };
  expect(data.person).toMatchObject({
    id: who.sub,
    display_name: 'Ada Löve',
    bio: 'On rivers.',
    role: 'reporter',
  });
  expect(data.account).toMatchObject({ email: `${who.sub}@example.com` });
  expect(data.devices).toMatchObject([{ id: who.session_id }]);
  expect(data.memberships).toMatchObject([{ coverage }]);
  expect(data.invites).toMatchObject([{ email: `${who.sub}@example.com`, role: 'reporter' }]);
  expect(data.follows).toMatchObject([
    { id: follow?.id, kind: 'coverage', slug, scope: 'all', mail: true, push: true },
  ]);
  expect(data.push).toMatchObject([{ device: 'Phone', service: 'fcm.googleapis.com' }]);
  expect(data.alerts?.map(({ channel, state }) => [channel, state]).sort()).toEqual([
    ['mail', 'sent'],
    ['push', 'sent'],
  ]);
  expect(data.tips).toMatchObject([
    { body: 'The gate is open.', name: 'Ada', contact: 'ada@x.example', coverage },
  ]);
  expect(
    data.versions?.map(({ update, content }) => [update, content !== undefined && content !== null]),
  ).toEqual([
    [update_id, true],
    [withdrawn, true],
    // The withdrawal itself has no content.
    [withdrawn, false],
    [draft, true],
  ]);
  expect(data.bylines?.map(({ update }) => update).sort()).toEqual([update_id, withdrawn, draft].sort());
  expect(data.coverage_versions).toMatchObject([{ coverage, version: 99 }]);
  expect(data.photos).toMatchObject([{ id: photo_id, alt: 'A dam.' }]);
  expect(data.actions).toMatchObject([{ action: 'withdraw_update', subject_id: withdrawn }]);
  expect(Object.keys(data).sort()).toEqual(
    [
      ...new Set([
        ...Object.values(KEPT),
        'at',
        'account',
        'devices',
        'address_follows',
        'push',
        'alerts',
        'filed_messages',
      ]),
    ].sort(),
  );

  const all = JSON.stringify(data);
  const [secret] = await database.rows<Record<string, string>>(
    `select f.unsubscribe_secret, s.endpoint, s.p256dh, s.auth, t.receipt_hash from public.follows f
     join public.push_subscriptions s using (follower_id) join public.tips t on t.sender = f.follower_id where follower_id = $1`,
    [who.sub],
  );
  for (const each of [
    ...Object.values(secret ?? {}),
    'Words of an editor.',
    other.who.sub,
    other.coverage_id,
  ])
    expect(all).not.toContain(each);

  // A former staff member gets own texts, but nothing of the desk.
  await database.call(SERVER, ['set_role', { person_id: who.sub, role: 'reader' }]);
  await database.rows('delete from public.coverage_members where person_id = $1', [who.sub]);
  const later = await dataOf(who);
  expect(later.versions?.map(({ content }) => content !== undefined && content !== null)).toEqual([
    true,
    false,
    false,
    true,
  ]);
  expect(JSON.stringify(later)).toContain('Half a sentence.');
  expect(JSON.stringify(later)).not.toContain('Withdrawn words.');
  expect(JSON.stringify(later)).not.toContain(alerts.slugOf(hidden));
});

test("returns only the caller's data", async () => {
  for (const who of [VISITOR, SERVER]) {
    expect(await errorOf(database.call(who, ['my_data', {}]))).toEqual({ code: '42501' });
  }
  const nobody = await database.createUser();
  const data = await dataOf(nobody);
  const empty = Object.entries(data).filter(([, value]) => Array.isArray(value) && value.length > 0);
  expect(empty.map(([key]) => key)).toEqual(['devices']);
});

test('a deleted account leaves no follows, deliveries or tip senders, whatever deletes it', async () => {
  const ways = [
    (who: Person) => database.call(SERVER, ['delete_account', { person_id: who.sub }]),
    (who: Person) => database.rows('delete from auth.users where id = $1', [who.sub]),
    (who: Person) => database.rows('update auth.users set deleted_at = now() where id = $1', [who.sub]),
  ];
  const stays = await busy();
  const left = async ({ sub }: Person) =>
    (
      await database.rows(
        `select (select count(*)::int from public.follows where follower_id = $1) as follows,
           (select count(*)::int from public.push_subscriptions where follower_id = $1) as push,
           (select count(*)::int from public.deliveries where follower_id = $1) as deliveries,
           (select count(*)::int from public.tips where sender = $1) as tips`,
        [sub],
      )
    )[0];
  for (const remove of ways) {
    const { who, coverage_id } = await busy();
    const before = await database.rows<{ n: number }>(
      "select count(*)::int as n from public.tips where body = 'The gate is open.'",
    );
    expect(await left(who)).toEqual({ follows: 1, push: 1, deliveries: 2, tips: 1 });
    await remove(who);
    expect(await left(who)).toEqual({ follows: 0, push: 0, deliveries: 0, tips: 0 });
    // The tips stay with the newsroom.
    expect(
      await database.rows("select count(*)::int as n from public.tips where body = 'The gate is open.'"),
    ).toEqual(before);
    const earlierUpdates = (await alerts.alerts(coverage_id)).map(({ updates }) => updates);
    await alerts.publish(coverage_id);
    expect((await alerts.alerts(coverage_id)).map(({ updates }) => updates)).toEqual(earlierUpdates);
  }
  expect(await left(stays.who)).toEqual({ follows: 1, push: 1, deliveries: 2, tips: 1 });
});
