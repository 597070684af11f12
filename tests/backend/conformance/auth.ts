import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Project } from './project.ts';

/** Accounts and sessions without mails, because a hosted project must not send any. */
export function auth(project: () => Project): void {
  describe('auth', () => {
    test('signs in with the right password only', async () => {
      const { email, password, id } = project().reader;
      const client = project().anon();
      const wrong = await client.auth.signInWithPassword({ email, password: `${password}x` });
      expect(wrong.error).toMatchObject({ code: 'invalid_credentials', status: 400, name: 'AuthApiError' });
      expect((await client.auth.getSession()).data.session).toBeNull();
      const { data, error } = await client.auth.signInWithPassword({ email, password });
      expect(error).toBeNull();
      expect(data.session).toMatchObject({ token_type: 'bearer', expires_in: 3600, user: { id, email } });
      expect((await client.auth.getUser()).data.user).toMatchObject({ id, email, role: 'authenticated' });
    });

    test('issues tokens with claims that the public keys verify', async () => {
      const { client, id, email } = project().reader;
      const { data, error } = await client.auth.getClaims();
      expect(error).toBeNull();
      expect(data?.claims).toMatchObject({ sub: id, email, role: 'authenticated', aal: 'aal1' });
      expect(data?.header).toMatchObject({ alg: 'ES256', kid: expect.any(String) });
      const token = (await client.auth.getSession()).data.session?.access_token ?? '';
      const forged = token.replace(/[^.]*$/, (signature) => signature.toLowerCase());
      expect((await client.auth.getClaims(forged)).error).not.toBeNull();
      expect((await client.auth.getUser(forged)).error).toMatchObject({ status: 403 });
    });

    test('continues a session with its refresh token, and keeps user metadata', async () => {
      const client = await project().signIn(project().reader);
      const before = (await client.auth.getSession()).data.session;
      const updated = await client.auth.updateUser({ data: { colour: 'teal' } });
      expect(updated.data.user?.user_metadata).toMatchObject({ colour: 'teal' });
      const { data, error } = await client.auth.refreshSession();
      expect(error).toBeNull();
      expect(data.session?.refresh_token).not.toBe(before?.refresh_token);
      expect(data.user?.user_metadata).toMatchObject({ colour: 'teal' });
      const made = await client.auth.refreshSession({ refresh_token: 'never-given' });
      expect(made.error).toMatchObject({ code: 'refresh_token_not_found', status: 400 });
    });

    test('ends this session, the others, or all of them at the next call', async () => {
      const person = await project().createUser();
      const [here, there, later] = [
        person.client,
        await project().signIn(person),
        await project().signIn(person),
      ];
      const isOver = async (client: typeof here) => (await client.rpc('get_me')).error?.code;
      await here.auth.signOut({ scope: 'others' });
      expect([await isOver(here), await isOver(there), await isOver(later)]).toEqual([
        undefined,
        'PT401',
        'PT401',
      ]);
      const again = await project().signIn(person);
      const token = (await again.auth.getSession()).data.session;
      expect((await again.auth.signOut({ scope: 'global' })).error).toBeNull();
      expect(await isOver(here)).toBe('PT401');
      const back = await project()
        .anon()
        .auth.refreshSession({ refresh_token: token?.refresh_token ?? '' });
      expect(back.error).not.toBeNull();
    });

    test('lets the server create, find, change and delete people', async () => {
      const { admin } = project().server.auth;
      const { id, email } = await project().createUser();
      const twice = await admin.createUser({ email, password: randomUUID(), email_confirm: true });
      expect(twice.error).toMatchObject({ code: 'email_exists', status: 422 });
      expect((await admin.getUserById(id)).data.user).toMatchObject({ id, email });
      const password = randomUUID();
      const changed = await admin.updateUserById(id, { password, user_metadata: { desk: 'city' } });
      expect(changed.data.user?.user_metadata).toMatchObject({ desk: 'city' });
      await project().signIn({ email, password });
      const listed = await admin.listUsers({ page: 1, perPage: 5 });
      expect(listed.data.users.length).toBeGreaterThan(0);
      expect((await admin.deleteUser(id)).error).toBeNull();
      expect((await admin.getUserById(id)).error).toMatchObject({ code: 'user_not_found', status: 404 });
      const gone = await project().anon().auth.signInWithPassword({ email, password });
      expect(gone.error).toMatchObject({ code: 'invalid_credentials' });
    });

    test('signs in once with a link that the server generates', async () => {
      const { email, id } = project().reporter;
      const made = await project().server.auth.admin.generateLink({ type: 'magiclink', email });
      const { hashed_token: token_hash = '', email_otp } = made.data.properties ?? {};
      expect(email_otp).toMatch(/^[0-9]{6,10}$/);
      const client = project().anon();
      const { data, error } = await client.auth.verifyOtp({ type: 'email', token_hash });
      expect(error).toBeNull();
      expect(data.user?.id).toBe(id);
      expect((await project().anon().auth.verifyOtp({ type: 'email', token_hash })).error).toMatchObject({
        code: 'otp_expired',
        status: 403,
      });
    });

    test('refuses admin calls to other clients', async () => {
      for (const client of [project().anon(), project().editor.client]) {
        const { error } = await client.auth.admin.createUser({
          email: 'x@example.com',
          password: randomUUID(),
        });
        expect([401, 403]).toContain(error?.status);
        expect([401, 403]).toContain((await client.auth.admin.listUsers()).error?.status);
        expect([401, 403]).toContain((await client.auth.admin.deleteUser(project().reader.id)).error?.status);
      }
      expect((await project().server.auth.admin.getUserById(project().reader.id)).error).toBeNull();
    });
  });
}
