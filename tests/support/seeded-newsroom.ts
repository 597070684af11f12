import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import sharp from 'sharp';
import type { Block } from '../../src/lib/domain/body/blocks.ts';
import { PHOTO_WIDTHS } from '../../src/lib/domain/photos.ts';
import { createUser } from './actors.ts';
import { serviceClient, type TestBackend } from './backend.ts';
import { call, callServer, createUsers, type Newsroom, paragraph, type SavedUpdate } from './newsroom.ts';
import type { TestSite } from './site.ts';
import { sendTip, sendTipWithPhoto } from './tips.ts';

/** Fills a newsroom with one example of everything that a screen may show. */
export async function seedNewsroom(newsroom: Newsroom): Promise<Newsroom> {
  const wrong = await newsroom.publish({ headline: 'Soon withdrawn' });
  const corrected = await newsroom.publish({ headline: 'Corrected', key_event: true });
  await newsroom.publish({
    urgency: 'important',
    body: [
      {
        type: 'paragraph',
        runs: [
          { text: 'Plain, ' },
          { text: 'bold', bold: true },
          { text: ' and ' },
          { text: 'linked.', link: 'https://example.com/' },
        ],
      },
      { type: 'list', ordered: true, items: [[{ text: 'One' }], [{ text: 'Two' }]] },
      { type: 'quote', text: 'It has never been so high.', attribution: 'The harbour master' },
      { type: 'link', url: 'https://example.com/levels', title: 'Levels of the river' },
      {
        type: 'post',
        url: 'https://example.com/@ana/1',
        author: 'Ana',
        handle: '@ana@social.example',
        network: 'Mastodon',
        text: 'The water is in the cellar.\n\nIt is rising.',
        posted_at: '2026-11-20T13:58:00Z',
        quoted_at: '2026-11-20T14:02:00Z',
        gone_at: '2026-11-20T15:10:00Z',
      },
      { type: 'map', name: 'Harbour', latitude: 53.69012, longitude: -0.44213, zoom: 15 },
      { type: 'media', url: 'https://soundcloud.com/harrow/levels', title: 'The levels, read aloud' },
    ],
  });
  await newsroom.correct(
    corrected,
    { headline: 'Corrected', key_event: true },
    'It was two metres, not three.',
  );
  await newsroom.withdraw(wrong, 'It was about another river.');
  for (let n = 4; n <= 21; n++) await newsroom.publish();
  await newsroom.pin({ ...corrected, version: 2 });
  await newsroom.setSummary([paragraph('The river is rising.'), paragraph('The bridge is closed.')]);
  await createScheduledCoverage(newsroom);
  await addReader(newsroom);
  await createRightToLeftCoverage(newsroom);
  return newsroom;
}

/** Sends three tips: one with all fields, one with invalid contact details, and one in Arabic. */
export async function seedTips(site: TestSite, { coverage }: Newsroom): Promise<void> {
  await sendTipWithPhoto(site, {
    body: 'The lower gate is open.\n'.repeat(12),
    coverage: coverage.slug,
    name: 'Ada',
    contact: 'ada@example.org',
    may_be_named: true,
  });
  await sendTip(site, { body: 'Cheap watches.', website: 'x', contact: 'x'.repeat(120) });
  await sendTip(site, { body: 'ارتفع النهر مترين.', name: 'سلمى', coverage: `${coverage.slug}-ar` });
}

/** Creates a coverage in a right-to-left language that the interface does not have. */
async function createRightToLeftCoverage({ people, coverage: { slug } }: Newsroom): Promise<void> {
  const { editor, reporter } = people;
  const coverage_id = randomUUID();
  const body = [paragraph('ارتفع النهر مترين.')];
  const content = { slug: `${slug}-ar`, headline: 'النهر يرتفع', time_zone: 'Europe/Dublin', language: 'ar' };
  await call(editor.client, 'create_coverage', { coverage_id, content });
  await call(editor.client, 'set_coverage_state', { coverage_id, state: 'live' });
  const update_id = randomUUID();
  const first = { coverage_id, update_id, content: { headline: 'الجسر', key_event: true, body } };
  await call(reporter.client, 'publish_update', first);
  const change = { update_id, version: 1, content: { body }, note: 'مترين لا ثلاثة.' };
  await call(reporter.client, 'correct_update', change);
}

/** Adds follows and a tip of the reader. */
async function addReader({ people: { reader }, coverage: { slug } }: Newsroom): Promise<void> {
  for (const target of [{ coverage: slug }, { topic: `${slug}-topic` }])
    await call(reader.client, 'save_follow', { target, scope: 'key', by_mail: true, by_push: true });
  const tip = {
    id: randomUUID(),
    coverage: slug,
    body: 'Water stands in the cellar of the school. '.repeat(10),
  };
  const { error } = await reader.client.functions.invoke('submit-tip', { body: tip });
  if (error) throw error;
}

/** Creates a scheduled coverage, the first one of its topic. */
async function createScheduledCoverage({ people, coverage: { slug } }: Newsroom): Promise<void> {
  const editor = people.editor.client;
  const coverage_id = randomUUID();
  const topic = `${slug}-topic`;
  await call(editor, 'save_topic', { slug: topic, name: 'Floods', description: 'High water.' });
  const content = {
    slug: `${slug}-later`,
    headline: 'The river falls',
    starts_at: '2040-01-01T10:00:00Z',
    topics: [topic],
  };
  await call(editor, 'create_coverage', { coverage_id, content });
  await call(editor, 'set_coverage_state', { coverage_id, state: 'scheduled' });
}

/** Texts that readers must not see. Each text is in a different field. None may appear in an exported file. */
export const SECRETS = [
  'secret-of-a-desk-note',
  'secret-of-a-draft',
  'secret-of-what-is-scheduled',
  'secret-of-a-version-before-publication',
  'secret-of-what-was-withdrawn',
  'secret-of-a-redacted-version',
  'secret-of-an-earlier-summary',
  'secret-of-a-photo-that-is-not-shown',
  '@example.com',
] as const;
const [DESK, DRAFT, SCHEDULED, BEFORE, WITHDRAWN, REDACTED, SUMMARY, UNSHOWN] = SECRETS;

export const SLUG = 'la-crecida';

/** Adds a processed photo through the backend alone, without a site. */
export async function addReadyPhoto(
  service: SupabaseClient,
  client: SupabaseClient,
  coverage_id: string,
  words: { alt: string; caption?: string; credit?: string },
): Promise<{ id: string; block: Block }> {
  const id = randomUUID();
  await call(client, 'save_photo', { photo_id: id, coverage_id, content: words });
  const renditions = [];
  for (const width of PHOTO_WIDTHS.slice(0, 2)) {
    const height = Math.round((width * 5) / 8);
    const background = `#28${id.slice(0, 4)}`;
    const bytes = await sharp({ create: { width, height, channels: 3, background } })
      .webp()
      .toBuffer();
    const { error } = await service.storage
      .from('photos')
      .upload(`renditions/${id}/${width}`, bytes, { contentType: 'image/webp' });
    if (error) throw error;
    renditions.push({ width, height, bytes: bytes.length });
  }
  await callServer(service, 'mark_photo_ready', { photo_id: id, renditions, placeholder_colour: '#28406a' });
  return { id, block: { type: 'photo', photo: id } };
}

/** A table with all its fields. */
const ROADS: Block = {
  type: 'table',
  rows: [
    [[{ text: 'Vía' }], [{ text: 'Estado' }]],
    [[{ text: 'Puente', bold: true }], [{ text: 'cerrado' }]],
  ],
  align: ['start', 'end'],
  caption: 'Las vías',
  source: 'Protección Civil',
  as_of: '2026-11-20T10:00:00Z',
  preset: 'closures',
};

/** Creates a coverage with all public and all non-public content. @returns its id */
export async function createRichCoverage(backend: TestBackend): Promise<string> {
  const service = serviceClient(backend);
  const people = await createUsers({ ...backend, service });
  const editor = people.editor.client;
  const reporter = people.reporter.client;
  const coverage_id = randomUUID();
  await call(editor, 'save_topic', { slug: 'rios', name: 'Ríos', description: 'El agua.' });
  await call(editor, 'save_topic', { slug: 'weather', name: 'Weather', description: '' });
  await call(editor, 'create_coverage', {
    coverage_id,
    content: { slug: 'el-rio-sube', headline: 'El río sube', language: 'es', time_zone: 'Europe/Madrid' },
  });
  await call(editor, 'set_coverage_state', { coverage_id, state: 'live' });
  const content = {
    slug: SLUG,
    kicker: 'Inundación',
    headline: 'La crecida del Ebro, hora a hora',
    standfirst: 'Lo que se sabe.\nY lo que no.',
    topics: ['rios', 'weather'],
    reader_follow_mode: 'checks',
    check_interval_seconds: 30,
    starts_at: '2031-05-06T07:08:09.123456Z',
  };
  await call(editor, 'save_coverage', { coverage_id, version: 1, content });
  const summary = (text: string, version: number) =>
    call(editor, 'set_summary', { coverage_id, version, summary: [paragraph(text)] });
  await summary(SUMMARY, 2);
  await summary('El agua baja desde las cinco.', 3);

  const publish = (client: SupabaseClient, text: string, more: object = {}, blocks: Block[] = []) =>
    call<SavedUpdate>(client, 'publish_update', {
      coverage_id,
      update_id: randomUUID(),
      content: { body: [paragraph(text), ...blocks], ...more },
    });
  const correct = (saved: SavedUpdate, text: string, note: string, kind = 'correction') =>
    call<SavedUpdate>(editor, 'correct_update', {
      update_id: saved.id,
      version: saved.version,
      content: { body: [paragraph(text)], bylines: [people.reporter.id], desk_note: DESK },
      note,
      kind,
    });

  const first = await publish(reporter, 'El agua llga al tercer escalón.', { desk_note: DESK });
  const revised = await call<SavedUpdate>(reporter, 'revise_update', {
    update_id: first.id,
    version: first.version,
    content: { body: [paragraph('El agua llega al tercer escalón.')], desk_note: DESK },
  });
  const clarified = await correct(
    revised,
    'El agua llega al tercer escalón del muelle.',
    'Cuál.',
    'clarification',
  );
  await correct(clarified, 'El agua llega al cuarto escalón del muelle.', 'Era el cuarto.');

  const named = await publish(reporter, REDACTED);
  await correct(named, 'Han evacuado a una persona.', 'Decía su nombre.');
  await call(editor, 'redact_revision', {
    update_id: named.id,
    version: named.version,
    reason: 'Un nombre.',
  });

  const unshown = await addReadyPhoto(service, reporter, coverage_id, { alt: UNSHOWN });
  const wrong = await publish(reporter, WITHDRAWN, { headline: WITHDRAWN, key_event: true }, [unshown.block]);
  await call(editor, 'withdraw_update', { update_id: wrong.id, reason: 'No era verdad.' });

  const about = {
    headline: 'El puente, cerrado',
    key_event: true,
    urgency: 'urgent',
    bylines: [people.editor.id, people.reporter.id],
    attribution: 'Protección Civil',
    verification: 'developing',
  };
  const bridge: Block = { type: 'map', name: 'El puente', latitude: 40.41, longitude: -0.00001, zoom: 17 };
  const pinned = await publish(editor, 'Cierran el puente.', about, [ROADS, bridge]);
  await call(editor, 'pin_update', { coverage_id, update_id: pinned.id });

  const gone = await createUser(
    { backend, service } as Parameters<typeof createUser>[0],
    'reporter',
    'Lucía Gone',
  );
  await publish(gone.client, 'Firmo y me voy.');
  await call(service, 'delete_account', { person_id: gone.id });

  const before = await addReadyPhoto(service, reporter, coverage_id, { alt: 'El muelle, antes' });
  const after = await addReadyPhoto(service, editor, coverage_id, {
    alt: 'El muelle, después',
    caption: 'A mediodía.\nDesde el norte.',
    credit: 'A. Reportera',
  });
  const video: Block = {
    type: 'media',
    url: 'https://vimeo.com/76979871',
    title: 'El muelle desde el aire',
    description: 'A mediodía.\n\nDesde el norte.',
  };
  await publish(reporter, 'Así está el muelle.', {}, [before.block, video]);
  const replacing = { photo_id: before.id, replacement_id: after.id, note: 'Era la foto de ayer.' };
  await call(editor, 'replace_photo', replacing);

  await publish(reporter, 'ارتفع منسوب النهر إلى الدرجة الرابعة.', {
    occurred_at: '2026-03-01T14:05:00.654321Z',
    dateline: 'سرقسطة',
    verification: 'unverified',
  });

  const late = { coverage_id, update_id: randomUUID() };
  await call(reporter, 'save_update', { ...late, content: { body: [paragraph(BEFORE)] } });
  await call(reporter, 'publish_update', {
    ...late,
    version: 1,
    content: { body: [paragraph('Primero fue un borrador.')] },
  });

  // Readers do not see a photo whose file has not arrived.
  const photo_id = randomUUID();
  await call(reporter, 'save_photo', { photo_id, coverage_id, content: { alt: UNSHOWN } });
  await publish(reporter, 'Con una foto que no llegó.', {}, [{ type: 'photo', photo: photo_id }]);

  const waiting = { coverage_id, update_id: randomUUID(), content: { body: [paragraph(SCHEDULED)] } };
  const later = new Date(Date.now() + 300 * 86_400_000).toISOString();
  await call(reporter, 'schedule_update', { ...waiting, scheduled_for: later });
  await call(reporter, 'save_update', {
    coverage_id,
    update_id: randomUUID(),
    content: { body: [paragraph(DRAFT)], desk_note: DESK },
  });
  await call(editor, 'set_coverage_state', { coverage_id, state: 'ended' });
  return coverage_id;
}
