import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { describe, expect, test } from 'vitest';
import { createCoverage, createUser, tryCall } from '../../support/actors.ts';
import { call } from '../../support/newsroom.ts';
import { catalog, context, hashOf, invite, newToken, owner, read, useOwner } from './owner-context.ts';

useOwner();

const stateOf = async (id: string) =>
  (await owner.from('desk_invites').select('state').eq('id', id).single()).data?.state;

const roleOf = async (id: string) =>
  (await context.service.from('people').select('role').eq('id', id).single()).data?.role;

/** Creates an account and an invite to its address. */
async function invited(role: string, content: object = {}) {
  const person = await createUser(context, role);
  return { person, ...(await invite({ email: person.email.toUpperCase(), ...content })) };
}

const accept = (client: SupabaseClient, token: string) => tryCall(client, 'accept_invite', { token });

describe('an invite', () => {
  test('shows its content for its secret, but not for the digest', async () => {
    const { token, email, id } = await invite();
    expect(await read(token)).toEqual({
      state: 'pending',
      email,
      name: 'Nell Ashe',
      role: 'reporter',
      coverage: null,
      days: null,
      by: 'Reader',
      expires_at: expect.any(String),
      has_account: false,
    });
    expect(await read(hashOf(token))).toBeNull();
    const { data } = await owner.from('desk_invites').select().eq('id', id).single();
    expect(data).toMatchObject({ email, state: 'pending', invited_by: context.actors.owner.id });
    expect(JSON.stringify(data)).not.toContain(hashOf(token));
    expect((Date.parse(data.expires_at) - Date.parse(data.created_at)) / 86_400_000).toBeCloseTo(7);
  });

  test('gives its role once, to the person with its address', async () => {
    const { person, token, id } = await invited('reader');
    const stranger = await accept(context.actors.reader.client, token);
    expect(stranger).toMatchObject({ code: 'forbidden', status: 403 });
    expect(await stateOf(id)).toBe('pending');
    // Accepted in two windows at the same time.
    const presses = await Promise.all([accept(person.client, token), accept(person.client, token)]);
    expect(presses.map(({ code }) => code).sort()).toEqual(['gone', 'ok']);
    expect([await roleOf(person.id), await stateOf(id)]).toEqual(['reporter', 'accepted']);
    expect(await read(token)).toEqual({ state: 'accepted' });
  });

  test('never lowers a role', async () => {
    const { person, token } = await invited('reader');
    await call(owner, 'set_role', { person_id: person.id, role: 'editor' });
    expect(await accept(person.client, token)).toMatchObject({ code: 'ok', result: { role: 'editor' } });
    expect(await roleOf(person.id)).toBe('editor');
  });

  test('gives a contributor a membership, and shortens no longer one', async () => {
    const coverage_id = await createCoverage(context.service);
    const place = async (person_id: string) => {
      const { data } = await context.service
        .from('coverage_members')
        .select('expires_at')
        .match({ coverage_id, person_id });
      return (Date.parse(data?.[0]?.expires_at) - Date.now()) / 86_400_000;
    };
    const { person, token } = await invited('reader', { role: 'contributor', coverage_id, days: 5 });
    expect(await accept(person.client, token)).toMatchObject({ code: 'ok', result: { role: 'contributor' } });
    expect(await place(person.id)).toBeCloseTo(5, 1);
    const again = await invite({ email: person.email, role: 'contributor', coverage_id, days: 2 });
    expect(await accept(person.client, again.token)).toMatchObject({ code: 'ok' });
    expect(await place(person.id)).toBeCloseTo(5, 1);
    const desk = await person.client.rpc('desk_roster', { coverage_id });
    expect(desk.data).not.toEqual([]);
  });

  test('becomes void when it is sent again with a new link, or revoked', async () => {
    const { id, token } = await invite();
    const second = newToken();
    await call(owner, 'renew_invite', { invite_id: id, token_hash: hashOf(second) });
    expect([await read(token), await read(second)]).toMatchObject([null, { state: 'pending' }]);
    await call(owner, 'revoke_invite', { invite_id: id });
    expect(await read(second)).toEqual({ state: 'revoked' });
    for (const [act, args] of [
      ['renew_invite', { token_hash: hashOf(newToken()) }],
      ['revoke_invite', {}],
    ] as const) {
      expect(await tryCall(owner, act, { invite_id: id, ...args })).toMatchObject({ code: 'bad_state' });
    }
    expect(await tryCall(owner, 'revoke_invite', { invite_id: randomUUID() })).toMatchObject({
      code: 'not_found',
    });
  });

  test('is void when its sender is no longer an owner', async () => {
    for (const [act, args] of [
      ['set_role', { role: 'editor' }],
      ['set_active', { active: false }],
    ] as const) {
      const past = await createUser(context, 'owner');
      const { person, token } = await invited('reader');
      const theirs = await invite({ role: 'owner' }, past.client);
      await call(owner, act, { person_id: past.id, ...args });
      expect(await read(theirs.token), act).toEqual({ state: 'revoked' });
      expect((await read(token)).state).toBe('pending');
      expect(await accept(person.client, theirs.token)).toMatchObject({ code: 'gone', status: 410 });
    }
  });

  test('does not restore a role that was removed since', async () => {
    for (const [act, args, role] of [
      ['set_role', { role: 'reporter' }, 'reporter'],
      ['set_active', { active: false }, 'editor'],
    ] as const) {
      const { person, token } = await invited('editor', { role: 'owner' });
      await call(owner, act, { person_id: person.id, ...args });
      expect(await read(token), act).toEqual({ state: 'revoked' });
      expect((await accept(person.client, token)).code).toBe(act === 'set_role' ? 'gone' : 'signed_out');
      expect(await roleOf(person.id)).toBe(role);
    }
    const [here, there] = [await createCoverage(context.service), await createCoverage(context.service)];
    const { person, token, email } = await invited('contributor', {
      role: 'contributor',
      coverage_id: here,
    });
    const other = await invite({ email: person.email, role: 'contributor', coverage_id: there });
    const ends = { coverage_id: here, person_id: person.id, expires_at: '2020-01-01T00:00:00Z' };
    await call(owner, 'set_coverage_member', ends);
    expect(await read(token), email).toEqual({ state: 'revoked' });
    expect(await read(other.token)).toMatchObject({ state: 'pending' });
  });

  test('names a public coverage only, and is void when that is withdrawn', async () => {
    const coverage_id = await createCoverage(context.service, 'draft');
    const { person, token, id } = await invited('reader', { role: 'contributor', coverage_id });
    expect(await read(token)).toMatchObject({ state: 'pending', coverage: null, days: 30 });
    const lead = (state: string) => call(owner, 'set_coverage_state', { coverage_id, state });
    await lead('live');
    expect(await read(token)).toMatchObject({ coverage: { slug: `case-${coverage_id}` } });
    for (const state of ['ended', 'archived']) await lead(state);
    expect(await read(token)).toEqual({ state: 'revoked' });
    expect(await accept(person.client, token)).toMatchObject({ code: 'gone', status: 410 });
    expect((await context.service.rpc('invited_account', { token })).error?.code).toBe('PT410');
    expect([await roleOf(person.id), await stateOf(id)]).toEqual(['reader', 'pending']);
  });

  test('can be created while another one is accepted', async () => {
    const coverage_id = await createCoverage(context.service);
    const codes: string[] = [];
    const person = await createUser(context);
    for (let round = 0; round < 8; round++) {
      const { token } = await invite({ email: person.email, role: 'contributor', coverage_id });
      const content = {
        email: `${randomUUID()}@example.com`,
        name: 'Nell',
        role: 'contributor',
        coverage_id,
      };
      const args = () => ({ invite_id: randomUUID(), content, token_hash: hashOf(newToken()) });
      const both = [tryCall(owner, 'invite_person', args()), accept(person.client, token)];
      codes.push(...(await Promise.all(both)).map(({ code }) => code));
    }
    expect(codes).toEqual(Array(16).fill('ok'));
  });

  test('loses name and address when the account is deleted', async () => {
    const { person, token, id } = await invited('reader');
    await accept(person.client, token);
    const open = await invite({ email: person.email, role: 'editor' });
    await call(context.service, 'delete_account', { person_id: person.id });
    const { data } = await owner.from('desk_invites').select('email, name, state').in('id', [id, open.id]);
    const blank = { email: '', name: '' };
    expect(data).toHaveLength(2);
    for (const state of ['accepted', 'revoked']) expect(data).toContainEqual({ ...blank, state });
    expect(
      await tryCall(owner, 'renew_invite', { invite_id: open.id, token_hash: hashOf(newToken()) }),
    ).toMatchObject({
      code: 'bad_state',
    });
  });

  test('expires, can be renewed, and is deleted with the account that its mail created', async () => {
    const seen = await catalog.rolledBack(async (session) => {
      const one = async <Row>(query: string) => (await session.query<Row>(query)).rows[0];
      await session.exec(`
        insert into auth.users (id, email, email_confirmed_at) values ('00000000-0000-4000-8000-000000000001', 'o@x.example', now());
        update public.people set role = 'owner' where id = '00000000-0000-4000-8000-000000000001';
        insert into auth.users (id, email, invited_at) values ('00000000-0000-4000-8000-000000000002', 'n@x.example', now() - interval '40 days');
        insert into public.invites (id, email, name, role, token_hash, invited_by, created_at, expires_at)
          values ('00000000-0000-4000-8000-000000000003', 'n@x.example', 'Nell', 'editor', private.sha256_hex('t'),
            '00000000-0000-4000-8000-000000000001', now() - interval '10 days', now() - interval '3 days');
        select set_config('request.jwt.claims', '{"sub": "00000000-0000-4000-8000-000000000001", "role": "authenticated"}', true);
        select private.delete_expired_data();`);
      const state = await one<{ state: string }>(`select public.read_invite('t') ->> 'state' as state`);
      await session.exec(
        `select public.renew_invite(gen_random_uuid(), '00000000-0000-4000-8000-000000000003', private.sha256_hex('u'))`,
      );
      const renewed = await one<{ state: string }>(`select public.read_invite('u') ->> 'state' as state`);
      await session.exec(
        `update public.invites set expires_at = now() - interval '31 days'; select private.delete_expired_data()`,
      );
      const left = await one<{
        invites: number;
        accounts: number;
      }>(`select (select count(*)::int from public.invites) as invites,
        (select count(*)::int from auth.users where email = 'n@x.example') as accounts`);
      return { state, renewed, left };
    });
    expect(seen).toEqual({
      state: { state: 'expired' },
      renewed: { state: 'pending' },
      left: { invites: 0, accounts: 0 },
    });
  });

  test.each([
    ['no address', { email: 'nobody' }, 'email'],
    ['no name', { name: ' ' }, 'name'],
    ['a role that needs none', { role: 'reader' }, 'role'],
    ['no such role', { role: 'emperor' }, 'role'],
    ['no coverage to contribute to', { role: 'contributor' }, 'coverage_id'],
    ['a field that is none', { token: 'x' }, 'token'],
  ])('with %s is refused and names its field', async (_what, content, field) => {
    const count = async () => (await owner.from('desk_invites').select('id')).data?.length;
    const before = await count();
    const sent = { email: `${randomUUID()}@example.com`, name: 'Nell', role: 'editor', ...content };
    const args = { invite_id: randomUUID(), content: sent, token_hash: hashOf(newToken()) };
    expect(await tryCall(owner, 'invite_person', args)).toMatchObject({
      code: 'invalid',
      status: 422,
      field,
    });
    expect(await count()).toBe(before);
  });

  test('is refused if it gives nothing, or exists already', async () => {
    const { email } = await invite();
    const reporter = await createUser(context, 'reporter');
    const closed = await createUser(context, 'reader');
    await call(owner, 'set_active', { person_id: closed.id, active: false });
    for (const [address, code] of [
      [email, 'invalid'],
      [reporter.email, 'invalid'],
      [closed.email, 'bad_state'],
    ]) {
      const content = { email: address, name: 'Nell', role: 'reporter' };
      const args = { invite_id: randomUUID(), content, token_hash: hashOf(newToken()) };
      expect(await tryCall(owner, 'invite_person', args), address).toMatchObject({ code });
    }
  });
});
