import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accounts } from '../../src/lib/i18n/en/accounts.ts';
import { errorMessages } from '../../src/lib/i18n/en/database-errors.ts';
import { desk } from '../../src/lib/i18n/en/desk.ts';
import { reader } from '../../src/lib/i18n/en/reader.ts';
import { surge, setup as words } from '../../src/lib/i18n/en/settings.ts';
import { setup as spanishWords } from '../../src/lib/i18n/es/settings.ts';
import { signUp } from '../support/backend.ts';
import { type CookieJar, cookieJar, currentPerson, signInWithCookies } from '../support/http-client.ts';
import { createUser } from '../support/newsroom.ts';
import { startSite, type TestSite } from '../support/site.ts';
import { codeOf, NEWSROOM, OWNER, PASSWORD } from './setup-context.ts';

const WRONG = '0000-0000-0000-0000';

/** Starts a site without an owner for a group of tests, and reads the code that it prints. */
function startWithoutOwner(): { site: TestSite; code: string } {
  const context = {} as { site: TestSite; code: string };
  beforeAll(async () => {
    context.site = await startSite();
    context.code = await codeOf(context.site);
  });
  afterAll(() => context.site.stop());
  return context;
}

const users = async ({ service }: TestSite) => (await service.auth.admin.listUsers()).data.users;

describe('setup', () => {
  const context = startWithoutOwner();

  test('makes one owner when three people send the code at once, and then ends', async () => {
    const { site, code } = context;
    const typed = ` ${code.toLowerCase().replaceAll('-', ' ')}`;
    const attempts = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        const jar = cookieJar(site.url);
        const answer = await jar.post('/setup', { ...OWNER, email: `${name}@example.com`, code: typed });
        return { jar, answer };
      }),
    );
    const [first, ...more] = attempts.filter(({ answer }) => answer.status === 303);
    expect(more).toEqual([]);
    for (const { answer } of attempts) expect([303, 403, 404]).toContain(answer.status);
    expect(first?.answer.headers.get('location')).toBe('/desk');
    expect(first?.answer.headers.get('cache-control')).toContain('no-store');

    expect(first && (await currentPerson(first.jar))).toMatchObject({
      display_name: 'Marian Askew',
      role: 'owner',
    });
    const desk = await (await first?.jar.get('/desk'))?.text();
    expect(desk).toContain(NEWSROOM.site_name);
    expect(desk).toContain(words.checklist.title);
    expect(desk).not.toContain(surge.title);
    const { data: stored } = await site.service.from('site').select('name, time_zone, language').single();
    expect(stored).toEqual({ name: 'The Courier', time_zone: 'Pacific/Auckland', language: 'en' });
    const dismissed = await first?.jar.post('/desk', { form: 'checklist' });
    expect([dismissed?.status, dismissed?.headers.get('location')]).toEqual([303, '/desk']);
    expect(await (await first?.jar.get('/desk'))?.text()).not.toContain(words.checklist.title);
    expect(await users(site)).toHaveLength(1);
    const { data } = await site.service.from('people').select('role').is('deleted_at', null);
    expect(data).toEqual([{ role: 'owner' }]);

    for (const { jar } of attempts) {
      expect((await jar.get('/setup')).status).toBe(404);
      expect((await jar.post('/setup', { ...OWNER, email: 'eve@example.com', code })).status).toBe(404);
    }
    expect(await users(site)).toHaveLength(1);
    // Three accounts at once may take a second.
    expect(site.errors().replaceAll(/^A request was slow.*\n/gm, '')).toBe('');
  });
});

describe('an empty newsroom', () => {
  const context = startWithoutOwner();

  test('says what to do next, and offers a first coverage only to people who may create one', async () => {
    const { site, code } = context;
    const reporter = await createUser(site, 'reporter');
    const overview = async (jar: CookieJar) => (await jar.get('/desk')).text();
    const forReporter = await overview(await signInWithCookies(site.url, reporter));
    expect(forReporter).toContain(desk.overview.noneMade);
    expect(forReporter).not.toContain(desk.overview.none);
    const owner = cookieJar(site.url);
    await owner.post('/setup', { ...OWNER, code });
    expect(await overview(owner)).toContain(desk.overview.none);

    const front = await (await fetch(site.url)).text();
    expect(front).toContain(reader.front.empty);
    expect(front).toContain(`<a href="/tips">${reader.front.emptyTip}</a>`);
  });
});

describe('refused setup', () => {
  const context = startWithoutOwner();

  test('is in the language of the browser, also when it is refused', async () => {
    const jar = cookieJar(context.site.url);
    const spanish = { 'accept-language': 'fr, es-MX;q=0.8, en;q=0.5' };
    const page = await (await jar.get('/setup', spanish)).text();
    expect(page).toContain('<html lang="es"');
    expect(page).toContain(spanishWords.title);
    expect(page).toMatch(/<option value="es"[^>]* selected/);
    const refused = await jar.post('/setup', { ...OWNER, code: '' }, spanish);
    expect(await refused.text()).toContain('<html lang="es"');
    expect(await (await jar.get('/setup', { 'accept-language': 'fr' })).text()).toContain(words.title);
  });

  test.for([
    [WRONG, 403],
    ['no code', 422],
    ['', 422],
  ] as const)(
    'rejects the code "%s", and keeps the typed text except code and password',
    async ([code, status]) => {
      const { site } = context;
      const jar = cookieJar(site.url);
      const answer = await jar.post('/setup', { ...OWNER, code });
      expect(answer.status).toBe(status);
      const page = await answer.text();
      expect(page).toContain(`<title>${accounts.titleOfProblem(words.title)}`);
      expect(page).toMatch(/id="code"[^>]*aria-describedby="code-help code-problem"/);
      expect(page).toContain('value="Marian Askew"');
      expect(page).toContain('value="The Courier"');
      expect(page).toMatch(/value="Pacific\/Auckland" selected/);
      expect(page).toContain('value="marian@example.com"');
      expect(page).not.toContain(PASSWORD);
      if (code) expect(page).not.toContain(`value="${code}"`);
      expect(await users(site)).toEqual([]);
      expect(jar.cookies.size).toBe(0);
    },
  );

  test('rejects invalid fields and other sites even with the right code', async () => {
    const { site, code } = context;
    const jar = cookieJar(site.url);
    const answer = await jar.post('/setup', {
      name: '',
      email: 'marian',
      password: 'short',
      code,
      site_name: ' ',
    });
    expect(answer.status).toBe(422);
    const page = await answer.text();
    for (const problem of [
      accounts.problems.name(60),
      accounts.problems.email,
      accounts.problems.passwordShort(10),
      words.problems.siteName,
    ]) {
      expect(page).toContain(problem);
    }
    const zone = await jar.post('/setup', { ...OWNER, time_zone: 'Mars/Olympus', code });
    expect(zone.status).toBe(422);
    expect(await zone.text()).toContain(errorMessages.invalid_time_zone);
    const foreign = await jar.post('/setup', { ...OWNER, code }, { origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
    expect(await users(site)).toEqual([]);
  });

  test('accepts the code from a person who has an account and is signed in', async () => {
    const { site, code } = context;
    const { email } = OWNER;
    await signUp(site, { email });
    const jar = cookieJar(site.url);
    const answer = await jar.post('/setup', { ...OWNER, code });
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain(words.problems.emailInUse);

    const signedIn = await jar.post('/sign-in?next=%2Fsetup', { email, password: PASSWORD });
    expect(signedIn.headers.get('location')).toBe('/setup');
    expect(await (await jar.get('/setup')).text()).not.toContain('name="password"');
    expect((await jar.post('/setup', { ...NEWSROOM, code: WRONG })).status).toBe(403);
    expect((await jar.post('/setup', { ...NEWSROOM, code })).status).toBe(303);
    expect((await jar.get('/desk')).status).toBe(200);
  });
});
