import { expect } from 'vitest';
import { signInWithCookies } from '../support/http-client.ts';
import { test } from '../support/test.ts';

test.for([
  ['day', 'input', { form: 'extended', day: '2020-01-01' }],
  ['topics', 'fieldset', { form: 'topics', topics: 'none', seen: '{"topics":""}' }],
] as const)(
  'describes a refused field of a coverage by its problem: %s',
  async ([, tag, fields], { site, newsroom: { coverage, people } }) => {
    const jar = await signInWithCookies(site.url, people.editor);
    const answer = await jar.post(`/desk/${coverage.slug}/settings`, {
      ...fields,
      person: people.contributor.id,
    });
    expect(answer.status).toBe(422);
    const page = await answer.text();
    const [, id] = /<strong class="problem" id="([^"]+)"/.exec(page) ?? [];
    expect(page).toMatch(new RegExp(`<${tag} [^>]*aria-describedby="(\\S+ )?${id}"`));
    if (tag === 'input') expect(page).toMatch(/ name="day"[^>]* aria-invalid="true"/);
  },
);
