import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseFeed } from '@rowanmanning/feed-parser';
import { HtmlValidate } from 'html-validate';
import { expect, vi } from 'vitest';
import { EXPORT } from '../../src/lib/i18n/cli.ts';
import { offline } from '../../src/lib/i18n/en/live-feed.ts';
import { newDataFolder, removeData } from '../support/data-folders.ts';
import { addressesOf, digestsOf, filesOf, findBrokenLinks, runCommand } from '../support/export-folder.ts';
import { HTML_RULES } from '../support/html-checks.ts';
import { call, createLiveCoverage, longParagraph, paragraph } from '../support/newsroom.ts';
import { addPhoto } from '../support/photos.ts';
import { seedNewsroom } from '../support/seeded-newsroom.ts';
import { test as base } from '../support/test.ts';

// Every test exports or imports a whole newsroom.
vi.setConfig({ testTimeout: 180_000 });

const SITE = 'https://news.example';

const LONG = Array.from({ length: 9 }, (_, n) => longParagraph(`Part ${n} of a long report`));

/** A coverage with every kind of content and a changed slug, and its exported folder. */
const test = base
  .extend('ownSite', true)
  .extend('environment', { SITE_URL: SITE })
  .extend('place', { scope: 'file' }, async ({ site: _ }, { onCleanup }) => {
    const place = await mkdtemp(join(tmpdir(), 'stoppress-folders-'));
    onCleanup(() => rm(place, { recursive: true, force: true }));
    return place;
  })
  .extend('run', { scope: 'file' }, ({ site, place }) => {
    return (args: string[], environment: Record<string, string> = {}) =>
      runCommand('export', place, args, { STOPPRESS_DATA: site.data, SITE_URL: SITE, ...environment });
  })
  .extend('seeded', { scope: 'file' }, async ({ people, site }) => {
    const newsroom = await seedNewsroom(await createLiveCoverage(people));
    const { slug: old, id } = newsroom.coverage;
    const { block } = await addPhoto(site, newsroom);
    await newsroom.publish({
      headline: 'As seen from the quay',
      body: [...LONG, block, paragraph('The end of it.')],
    });
    const link = (text: string, to: string) => ({ text, link: to });
    const own = `${SITE}/live/${old}`;
    const runs = [link('three', `${own}/3`), link('older', `${own}?before=5`), link('us', `${SITE}/tips`)];
    await newsroom.publish({ body: [{ type: 'paragraph', runs }] });
    const draft = {
      update_id: randomUUID(),
      coverage_id: id,
      content: { body: [paragraph('Not for readers yet.')] },
    };
    await call(people.reporter.client, 'save_update', { ...draft, version: 0 });
    const { data } = await people.editor.client.from('coverages').select('version').eq('id', id).single();
    const content = { slug: `${old}-now`, standfirst: 'With what “we” know & <more>.' };
    await call(people.editor.client, 'save_coverage', { coverage_id: id, version: data?.version, content });
    newsroom.coverage.slug = content.slug;
    return newsroom;
  })
  .extend('folder', { scope: 'file' }, async ({ seeded, run, place }) => {
    const { code, out, errors } = await run([seeded.coverage.slug, '--to', 'first/folder']);
    expect(errors).toBe('');
    expect(code).toBe(0);
    return { out, files: await filesOf(join(place, 'first/folder')) };
  });

const htmlValidator = new HtmlValidate(HTML_RULES);

const textOf = (files: Map<string, Buffer>, file: string) => files.get(file)?.toString() ?? '';

test('contains every page, and no broken link', ({ folder: { out, files } }) => {
  expect(out).toMatch(/: \d+ pages in .*first\/folder, [\d.]+ s\.\n$/);
  const numbers = Array.from({ length: 23 }, (_, index) => `updates/${index + 1}.html`);
  for (const file of [
    'index.html',
    'page-11.html',
    'key-events.html',
    'timeline.html',
    'feed.atom',
    'feed.json',
    'README.txt',
    'data/coverage.json',
    ...numbers,
  ])
    expect([...files.keys()]).toContain(file);
  expect(findBrokenLinks(files)).toEqual([]);
  const absolute = addressesOf(files).flatMap(({ address }) => /^https?:\/\/[^/]+/.exec(address) ?? []);
  expect(new Set(absolute)).toEqual(
    new Set([SITE, 'https://example.com', 'https://soundcloud.com', 'https://www.openstreetmap.org']),
  );
  const bad = [...files.keys()].filter((file) => !/^[a-zA-Z0-9/-]+\.[a-z]+$/.test(file));
  expect(bad).toEqual([]);
});

test('contains long updates, history, reasons of withdrawals and photos in full', ({ folder: { files } }) => {
  const index = textOf(files, 'index.html');
  expect(index).toContain('Part 8 of a long report');
  expect(index).toContain('The end of it.');
  expect(index).not.toContain('<summary>');
  expect(index).toMatch(
    /<img src="photos\/[0-9a-f-]{36}-480\.webp" srcset="[^"]+-480\.webp 480w, [^"]+960w, /,
  );
  expect(index).toContain('With what “we” know &amp; &lt;more&gt;.');
  expect(textOf(files, 'updates/2.html')).toContain('It was two metres, not three.');
  expect(textOf(files, 'updates/2.html')).toContain('class="history"');
  expect(textOf(files, 'updates/1.html')).toContain('It was about another river.');
  const last = textOf(files, 'updates/23.html');
  for (const href of ['3.html', '../page-11.html', `${SITE}/tips`])
    expect(last).toContain(`<a href="${href}">`);
});

test('contains every update in its feeds, which are marked complete', ({ folder: { files } }) => {
  const atom = textOf(files, 'feed.atom');
  const { items } = parseFeed(atom);
  expect(items).toHaveLength(22);
  expect(atom).toMatch(/<fh:complete ?\/>/);
  expect(atom.match(/<at:deleted-entry/g)).toHaveLength(1);
  expect(JSON.parse(textOf(files, 'feed.json')).items.length).toBeGreaterThanOrEqual(22);
});

test('contains no scripts, forms, secrets, paths of the machine or unpublished text', ({
  folder: { files },
  site,
}) => {
  for (const [file, bytes] of files) {
    if (file.endsWith('.webp')) continue;
    const text = bytes.toString();
    for (const word of [site.url, site.publishableKey, site.secretKey, site.data, process.cwd(), '127.0.0.1'])
      expect(text.includes(word), `${word} in ${file}`).toBe(false);
    expect(text.includes('Not for readers yet.'), file).toBe(false);
    expect(text.includes('Soon withdrawn'), file).toBe(false);
    if (!file.endsWith('.html')) continue;
    expect(
      text.match(
        /<script(?! type="application\/ld\+json")|<form|<button|<input|<iframe|<noscript|astro-|<!--/g,
      ),
      file,
    ).toBeNull();
    expect(text, file).toContain('<p id="saved"');
    expect(text.replace(offline.savedCopy, ''), file).not.toMatch(/Page as of|Updated <time/);
  }
});

test('passes html-validate on every page', async ({ folder: { files } }) => {
  const problems: string[] = [];
  for (const [file, bytes] of files) {
    if (!file.endsWith('.html')) continue;
    const { results } = await htmlValidator.validateString(bytes.toString());
    for (const { messages } of results)
      for (const { ruleId, message, line, column } of messages)
        problems.push(`${file}:${line}:${column} ${ruleId} ${message}`);
  }
  expect(problems).toEqual([]);
});

test('never overwrites files, and leaves nothing after a refusal', async ({ run, place, seeded }) => {
  const { people, coverage } = seeded;
  await mkdir(join(place, 'not-empty'), { recursive: true });
  await writeFile(join(place, 'not-empty/mine.txt'), 'mine');
  await writeFile(join(place, 'a-file'), 'mine');
  const before = await readdir(place, { recursive: true });
  const failed = async (args: string[], sentence: string, environment = {}) => {
    const { code, errors } = await run(args, environment);
    expect(errors.trim()).toBe(sentence);
    expect(code).toBe(1);
  };
  const to = (folder: string) => join(place, folder);
  await failed([coverage.slug, '--to', 'not-empty'], EXPORT.failed(EXPORT.notEmpty(to('not-empty'))));
  await failed([coverage.slug, '--to', 'a-file'], EXPORT.failed(EXPORT.notEmpty(to('a-file'))));
  await failed([coverage.slug, '--to', 'a-file/below'], EXPORT.failed(EXPORT.unwritable(to('a-file/below'))));
  await failed(['no-such-thing'], EXPORT.failed(EXPORT.missing('no-such-thing')));
  await failed([], EXPORT.usage);
  await failed(['a', 'b'], EXPORT.usage);
  await failed(['../etc'], EXPORT.usage);
  await failed(
    [`${coverage.slug.replace(/-now$/, '')}-later`],
    EXPORT.failed(EXPORT.notBegun(`${coverage.slug.replace(/-now$/, '')}-later`)),
  );
  const draft = {
    coverage_id: randomUUID(),
    content: { slug: 'a-draft', headline: 'Not yet', time_zone: 'UTC', language: 'en' },
  };
  await call(people.editor.client, 'create_coverage', draft);
  await failed(['a-draft'], EXPORT.failed(EXPORT.missing('a-draft')));
  const withdrawn = await createLiveCoverage(people);
  await withdrawn.setState('withdrawn');
  await failed([withdrawn.coverage.slug], EXPORT.failed(EXPORT.withdrawn(withdrawn.coverage.slug)));
  expect(await readdir(place, { recursive: true })).toEqual(before);
});

test('is identical after an import into an empty newsroom and another export', async ({
  folder: { files },
  seeded,
  place,
}) => {
  const environment = { STOPPRESS_DATA: await newDataFolder(), SITE_URL: SITE };
  try {
    const imported = await runCommand('import', place, ['first/folder'], environment);
    expect(imported.errors).toBe('');
    const exported = await runCommand(
      'export',
      place,
      [seeded.coverage.slug, '--to', 'returned'],
      environment,
    );
    expect(exported.errors).toBe('');
    expect(digestsOf(await filesOf(join(place, 'returned')))).toEqual(digestsOf(files));
  } finally {
    await removeData(environment.STOPPRESS_DATA);
  }
});

test('is identical when exported again, also by its old slug and from a stopped newsroom', async ({
  folder: { files },
  seeded,
  run,
  place,
  site,
}) => {
  // Into an existing, empty folder.
  await mkdir(join(place, 'second'));
  const again = await run([seeded.coverage.slug.replace(/-now$/, ''), '--to', 'second']);
  expect(again.errors).toBe('');
  expect(digestsOf(await filesOf(join(place, 'second')))).toEqual(digestsOf(files));
  await site.stopProcess();
  const third = await run([seeded.coverage.slug], { SITE_URL: SITE });
  expect(third.errors).toBe('');
  expect(digestsOf(await filesOf(join(place, seeded.coverage.slug)))).toEqual(digestsOf(files));
});
