import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Config, readConfig } from '../../../../packages/embedded-supabase/src/config.ts';
import {
  readTemplate,
  readTemplates,
  type TemplateValues,
} from '../../../../packages/embedded-supabase/src/mail/message.ts';

const VALUES: TemplateValues = {
  SiteURL: 'https://news.example',
  Token: '12345678',
  TokenHash: 'c0ffee',
  Email: 'ada@example.com',
  NewEmail: 'lovelace@example.com',
  SendingTo: 'ada@example.com',
  RedirectTo: 'https://news.example/desk?a=1&b=2',
};

const fill = (source: string, values: Partial<TemplateValues> = {}) =>
  readTemplate(source, 'a.html')({ ...VALUES, ...values });

const HOSTILE = `"'><script>alert(1)</script>&x=1#y {{ .Token }} \uE0000\uE000`;

describe('a value is escaped for its context', () => {
  test('in text as HTML', () => {
    const { html, text } = fill('<body><p>{{ .Email }}</p></body>', { Email: HOSTILE });
    expect(html).toContain('<p>&#34;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;x=1#y {{ .Token }}');
    expect(text.trim()).toBe(HOSTILE);
  });

  test('in the query of a link as one value', () => {
    const link = '{{ .SiteURL }}/auth/confirm?token_hash={{ .TokenHash }}&amp;next={{ .RedirectTo }}';
    const { html, text } = fill(`<body><a class="act" href="${link}">Go</a></body>`, {
      TokenHash: HOSTILE,
      RedirectTo: 'https://news.example/a?b=c&type=recovery',
    });
    expect(html).not.toMatch(/<script|href="[^"]*["'<>][^>]/);
    const [, address = ''] = /^Go:\n(.*)$/.exec(text.trim()) ?? [];
    const { searchParams } = new URL(address);
    expect([...searchParams]).toEqual([
      ['token_hash', HOSTILE],
      ['next', 'https://news.example/a?b=c&type=recovery'],
    ]);
    expect(html).toContain(`href="${address.replaceAll('&', '&amp;')}"`);
  });

  test('at the start of a link as an http(s) URL or nothing', () => {
    const source = '<body><a href="{{ .SiteURL }}/x">Go</a></body>';
    expect(fill(source, { SiteURL: 'javascript:alert(1)//' }).html).toContain('href="#/x"');
    expect(fill(source, { SiteURL: 'https://a.example/"onclick="' }).html).toContain(
      'href="https://a.example/&#34;onclick=&#34;/x"',
    );
  });

  test('in plain text as one line', () => {
    const { text } = fill('<body><p>To {{ .Email }}</p></body>', {
      Email: 'a@b\r\nhttps://evil.example/\u2028x',
    });
    expect(text.trim().split(/[\r\n\u2028]/)).toHaveLength(1);
  });

  test('so that the markup never changes', () => {
    const source =
      '<body><p>{{ .Email }} {{ .NewEmail }}</p><a href="{{ .SiteURL }}/c?h={{ .TokenHash }}">Go</a></body>';
    const markup = (html: string) => html.replaceAll(/(?<=>)[^<]*|(?<=href=")[^"]*/g, '');
    const plain = markup(fill(source).html);
    fc.assert(
      fc.property(
        fc.record({
          Email: fc.string(),
          NewEmail: fc.string(),
          SiteURL: fc.string(),
          TokenHash: fc.string(),
        }),
        (values) => {
          expect(markup(fill(source, values).html)).toBe(plain);
        },
      ),
    );
  });

  test('slices of values can be shown', () => {
    expect(fill('<body><p>{{ slice .Token 0 4 }}<span>{{slice .Token 4}}</span></p></body>').html).toContain(
      '<p>1234<span>5678</span></p>',
    );
  });
});

describe('a condition', () => {
  const SOURCE =
    '<body><p>{{ if eq .Data.language "es" }}Hola{{ else if eq .Data.language "fr" }}Salut{{ else }}Hello{{ end }} {{ .Email }}</p></body>';

  test.each([
    ['Hola', { language: 'es' }],
    ['Salut', { language: 'fr' }],
    ['Hello', { language: 'de' }],
    ['Hello', {}],
    ['Hello', { language: null }],
    ['Hello', { constructor: 'es' }],
  ])('selects %s for %o', (word, data) => {
    const { html, text } = readTemplate(SOURCE, 'a.html')(VALUES, data);
    expect(html).toBe(`<body><p>${word} ada@example.com</p></body>`);
    expect(text).toBe(`${word} ada@example.com\n`);
  });

  test('without a branch for the account leaves nothing', () => {
    const source = '<body><p>a{{ if eq .Data.language "es" }}b{{ end }}c</p></body>';
    expect(fill(source).html).toBe('<body><p>ac</p></body>');
  });

  test.each(['<p>{{ .Secret }}</p>', '<p class="{{ .Email }}">x</p>', '{{ if eq .Data.a "b" }}x{{ end }}'])(
    'is refused if a branch is unsafe: %s',
    (branch) => {
      for (const source of [
        `{{ if eq .Data.language "es" }}${branch}{{ else }}<p>x</p>{{ end }}`,
        `{{ if eq .Data.language "es" }}<p>x</p>{{ else }}${branch}{{ end }}`,
      ]) {
        expect(() => readTemplate(source, 'a.html')).toThrow(/is not a variable that can stand there/);
      }
    },
  );
});

test.each([
  ['{{ .Secret }}', '<p>{{ .Secret }}</p>'],
  ['{{ if .Token }}', '<p>{{ if .Token }}x{{ end }}</p>'],
  ['{{ .Data.name }}', '<p>{{ .Data.name }}</p>'],
  ['{{ .ConfirmationURL }}', '<a href="{{ .ConfirmationURL }}">x</a>'],
  ['{{ .Email }}', '<p class="{{ .Email }}">x</p>'],
  ['{{ .Email }}', '<p {{ .Email }}>x</p>'],
  ['{{ .Email }}', '<a href={{ .Email }}>x</a>'],
  ['{{ .Token }}', '<a href="{{ .SiteURL }}/{{ .Token }}">x</a>'],
  ['{{ .Email }}', '<style>p { color: {{ .Email }} }</style>'],
  ['{{ .Email }}', '<!-- {{ .Email }} -->'],
  ['{{ .Email }}', '<script>"{{ .Email }}"</script>'],
])('refuses %s in an unsafe context: %s', (action, source) => {
  expect(() => readTemplate(source, 'a.html')).toThrow(
    `a.html: ${action} is not a variable that can stand there.`,
  );
});

describe('the templates of the product', () => {
  let email: Config['auth']['email'];
  beforeAll(async () => {
    email = (await readConfig()).auth.email;
  });
  const sourceOf = (kind: keyof typeof email.template) =>
    readFile(email.template[kind].contentPath as string, 'utf8');
  const kinds = ['confirmation', 'invite', 'magic_link', 'recovery', 'email_change'] as const;
  const types = {
    confirmation: 'email',
    magic_link: 'email',
    invite: 'invite',
    recovery: 'recovery',
    email_change: 'email_change',
  };
  /** Mails whose page asks for a code. */
  const withCode: string[] = ['confirmation', 'magic_link', 'recovery'];
  const wayOn = { next: VALUES.RedirectTo };

  const languages = ['en', 'es'];
  const kindsAndLanguages = kinds.flatMap((kind) => languages.map((language) => [kind, language] as const));

  test.each(kindsAndLanguages)(
    '%s in %s has one link, to a page that asks for confirmation',
    async (kind, language) => {
      const { html, text } = readTemplate(await sourceOf(kind), kind)(VALUES, { language });
      expect(html).toContain(`<div lang="${language}">`);
      const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, to = '']) => to.replaceAll('&amp;', '&'));
      expect(links).toHaveLength(1);
      const { origin, pathname, searchParams } = new URL(links[0] ?? '');
      expect(origin + pathname).toBe('https://news.example/auth/confirm');
      expect(Object.fromEntries(searchParams)).toEqual({
        token_hash: 'c0ffee',
        type: types[kind],
        ...(kind !== 'recovery' && wayOn),
      });
      expect(text.split('\n')).toContain(links[0]);
    },
  );

  test.each(kindsAndLanguages)('%s in %s has readable plain text', async (kind, language) => {
    const { html, text } = readTemplate(await sourceOf(kind), kind)(VALUES, { language });
    expect(text).not.toMatch(/[<>{}]|&\w+;|\n\n\n| {2}/);
    expect(text.split('\n').includes(VALUES.Token)).toBe(withCode.includes(kind));
    const words = (page: string) =>
      page
        .replaceAll(/<[^>]*>/g, '')
        .split(/\s+/)
        .filter(Boolean);
    const inText = new Set(text.split(/\s+/).map((word) => word.replace(/:$/, '')));
    expect(
      words(html.replace(/^.*<body>/s, '')).filter((word) => !inText.has(word.replace(/:$/, ''))),
    ).toEqual([]);
  });

  test('have the same design, and say how long a code is valid', async () => {
    const heads = await Promise.all(
      kinds.map(async (kind) =>
        (await sourceOf(kind)).replace(/<title>.*<\/title>/, '').replace(/<body>.*$/s, ''),
      ),
    );
    expect(new Set(heads).size).toBe(1);
    expect(email.otpExpiry).toBe(3600);
    // An invite is valid longer than its code, and its page says how long.
    for (const kind of kinds.filter((one) => one !== 'invite')) {
      expect(await sourceOf(kind)).toContain('within an hour');
      expect(await sourceOf(kind)).toContain('durante una hora');
    }
    expect(email.otpLength).toBe(VALUES.Token.length);
  });
});

test('subjects are in the language of the account', async () => {
  const compose = await readTemplates((await readConfig()).auth.email.template);
  const subjects = ['en', 'es', undefined].map((language) => {
    const mail = { to: 'a@example.com', email: 'a@example.com', token: '12345678', tokenHash: 'c0ffee' };
    return compose('magic_link', { ...mail, data: { language } }, VALUES.SiteURL).subject;
  });
  expect(subjects).toEqual(['Your link to sign in', 'Su enlace para iniciar sesión', 'Your link to sign in']);
});

test('the default templates lead to the requested page', async () => {
  const { template } = (await readConfig()).auth.email;
  const kinds = Object.keys(template) as (keyof typeof template)[];
  const withoutFiles = Object.fromEntries(
    kinds.map((kind) => [kind, { ...template[kind], contentPath: undefined }]),
  ) as typeof template;
  const compose = await readTemplates(withoutFiles);
  for (const kind of kinds) {
    const mail = { to: 'a@example.com', email: 'a@example.com', token: '1', tokenHash: 'c0ffee', data: {} };
    const { html } = compose(kind, { ...mail, redirectTo: VALUES.RedirectTo }, VALUES.SiteURL);
    const [, link = ''] = /href="([^"]*)"/.exec(html) ?? [];
    expect(new URL(link.replaceAll('&amp;', '&')).searchParams.get('next'), kind).toBe(VALUES.RedirectTo);
  }
});
