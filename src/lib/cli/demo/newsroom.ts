import { fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { renditionPath } from '../../data/photo-objects.server.ts';
import { runCommand } from '../../data/result.ts';
import type { Rendition } from '../../domain/photos.ts';
import { APOLLO, APOLLO_CHANGES, APOLLO_SUMMARY, DESCENT } from './apollo-descent.ts';
import { SURFACE } from './apollo-surface.ts';
import { contentOf, type LiveCoverage, type PhotoIds, paragraph, type Writing } from './content.ts';
import type { DrawnPhotos } from './draw-photos.ts';
import {
  FLOOD,
  FLOOD_PINNED,
  FLOOD_SUMMARY,
  FLOOD_SUMMARY_BEFORE,
  FLOOD_UNPUBLISHED,
  FLOOD_UPDATES,
  type Recent,
} from './flood.ts';
import { ILLUSTRATIONS, type IllustrationName } from './illustrations.ts';
import { SITE, type Staff, TOPICS } from './people.ts';
import {
  LIBRARY,
  LIBRARY_SUMMARY,
  LIBRARY_UPDATES,
  MARATHON,
  MILL,
  MILL_SUMMARY,
  MILL_UPDATES,
} from './valley.ts';

type Published = { id: string; at: string; writing: Writing };

type CoverageContent = {
  about: { slug: string; headline: string } & Record<string, string | string[]>;
  /** Versions of the summary, the newest last. */
  summaries: string[][];
  updates: { at: string; writing: Writing }[];
};

const MINUTE = 60_000;

/** Days until the scheduled coverage begins. */
const DAYS_UNTIL_START = 4;

/** Fills an empty newsroom with its settings, topics and a coverage in every public state. @returns the live one */
export async function makeNewsroom(staff: Staff, drawings: Drawings): Promise<LiveCoverage> {
  const { owner, editor } = staff.clients;
  await runCommand(owner, 'save_site', { content: SITE });
  for (const topic of TOPICS) await runCommand(editor, 'save_topic', { ...topic });
  await createApollo(staff, drawings);
  await createValleyCoverages(staff, drawings);
  return createFlood(staff, drawings);
}

/** Creates the smaller coverages: an archived, a paused and a scheduled one. */
async function createValleyCoverages(staff: Staff, drawings: Drawings): Promise<void> {
  const { editor } = staff.clients;
  const enter = (coverage_id: string, state: 'paused' | 'ended' | 'archived' | 'scheduled') =>
    runCommand(editor, 'set_coverage_state', { coverage_id, state });
  const mill = await importCoverage(staff, drawings, {
    about: MILL,
    summaries: [MILL_SUMMARY],
    updates: MILL_UPDATES.map(toPublished),
  });
  const millEnd = { coverage_id: mill.id, state: 'ended', at: mill.published.at(-1)?.at ?? '' } as const;
  await staff.service.rpc('import_state', millEnd).throwOnError();
  await enter(mill.id, 'archived');

  const library = await importCoverage(staff, drawings, {
    about: LIBRARY,
    summaries: [LIBRARY_SUMMARY],
    updates: LIBRARY_UPDATES.map(toPublished),
  });
  await enter(library.id, 'paused');

  const marathon = randomUUID();
  const start = new Date(Date.now() + DAYS_UNTIL_START * 24 * 60 * MINUTE);
  start.setUTCHours(9, 30, 0, 0);
  const content = { ...MARATHON, starts_at: start.toISOString() };
  await runCommand(editor, 'create_coverage', { coverage_id: marathon, content });
  await enter(marathon, 'scheduled');
}

const toPublished = ({ minutesAgo, ...writing }: Recent) => ({
  at: new Date(Date.now() - minutesAgo * MINUTE).toISOString(),
  writing,
});

async function createApollo(staff: Staff, drawings: Drawings): Promise<void> {
  const updates = [...DESCENT, ...SURFACE].map(({ at, ...writing }) => ({ at, writing }));
  const { id, published } = await importCoverage(staff, drawings, {
    about: APOLLO,
    summaries: [APOLLO_SUMMARY],
    updates,
  });
  await staff.service
    .rpc('import_state', { coverage_id: id, state: 'ended', at: updates.at(-1)?.at ?? '' })
    .throwOnError();

  const { pinned, corrected, clarified, withdrawn } = APOLLO_CHANGES;
  const { editor } = staff.clients;
  const find = (at: string) => published.find((update) => update.at === at) as Published;
  await correct(staff, find(corrected.at), corrected, 'correction');
  await correct(staff, find(clarified.at), clarified, 'clarification');
  await runCommand(editor, 'withdraw_update', { update_id: find(withdrawn.at).id, reason: withdrawn.reason });
  await pin(staff, id, find(pinned));
}

async function createFlood(staff: Staff, drawings: Drawings): Promise<LiveCoverage> {
  const { id, published, photos } = await importCoverage(staff, drawings, {
    about: FLOOD,
    summaries: [FLOOD_SUMMARY_BEFORE, FLOOD_SUMMARY],
    updates: FLOOD_UPDATES.map(toPublished),
  });
  const pinned = published[FLOOD_UPDATES.findIndex(({ minutesAgo }) => minutesAgo === FLOOD_PINNED)];
  if (pinned) await pin(staff, id, pinned);
  await runCommand(staff.clients.editor, 'set_coverage_member', {
    coverage_id: id,
    person_id: staff.ids.contributor,
  });
  await saveUnpublished(staff, id);
  return { id, photos };
}

/** Saves a draft and a scheduled update of the reporter, and a submission of the contributor. */
async function saveUnpublished({ clients, ids }: Staff, coverage_id: string): Promise<void> {
  const command = (writing: Writing) => ({
    idempotency_key: randomUUID(),
    coverage_id,
    update_id: randomUUID(),
    content: contentOf(writing, ids),
  });
  const { draft, scheduled, submitted } = FLOOD_UNPUBLISHED;
  await clients.reporter.rpc('save_update', command(draft)).throwOnError();
  const scheduled_for = new Date(Date.now() + scheduled.inMinutes * MINUTE).toISOString();
  await clients.reporter.rpc('schedule_update', { ...command(scheduled), scheduled_for }).throwOnError();
  const submission = command(submitted);
  await clients.contributor.rpc('save_update', submission).throwOnError();
  const { update_id } = submission;
  const submit = { idempotency_key: randomUUID(), update_id, version: 1 };
  await clients.contributor.rpc('submit_update', submit).throwOnError();
}

/** Creates a live coverage with past updates. They are imported, which keeps their times. */
async function importCoverage(
  staff: Staff,
  drawings: Drawings,
  { about, summaries, updates }: CoverageContent,
) {
  const { service, clients, ids } = staff;
  const id = randomUUID();
  const made = { idempotency_key: randomUUID(), coverage_id: id, content: about };
  await clients.editor.rpc('create_coverage', made).throwOnError();
  const began = { coverage_id: id, state: 'live', at: updates[0]?.at ?? '' } as const;
  await service.rpc('import_state', began).throwOnError();

  const published = updates.map((update) => ({ ...update, id: randomUUID() }));
  const items = [];
  const photos: PhotoIds = {};
  for (const { id: updateId, at, writing } of published) {
    for (const name of writing.photos ?? []) photos[name] = await addPhoto(staff, id, name, drawings[name]);
    items.push({ id: updateId, published_at: at, content: contentOf(writing, ids, photos, at) });
  }
  await service.rpc('import_updates', { coverage_id: id, items }).throwOnError();

  for (const summary of summaries.map((lines) => lines.map(paragraph))) {
    const { data } = await clients.editor
      .from('coverages')
      .select('version')
      .eq('id', id)
      .single()
      .throwOnError();
    await runCommand(clients.editor, 'set_summary', { coverage_id: id, version: data.version, summary });
  }
  return { id, published, photos };
}

type Correction = { wrong: string; right: string; note: string };

async function correct(
  { clients, ids }: Staff,
  { id, writing }: Published,
  { wrong, right, note }: Correction,
  kind: 'correction' | 'clarification',
): Promise<void> {
  const correctBlock = (block: Writing['body'][number]) =>
    typeof block === 'string' ? block.replace(wrong, right) : block;
  const content = contentOf({ ...writing, body: writing.body.map(correctBlock) }, ids);
  await runCommand(clients.editor, 'correct_update', { update_id: id, version: 1, content, note, kind });
}

async function pin({ clients }: Staff, coverageId: string, { id }: Published): Promise<void> {
  await runCommand(clients.editor, 'pin_update', { coverage_id: coverageId, update_id: id });
}

type Tip = {
  body: string;
  name?: string;
  contact?: string;
  may_be_named?: boolean;
  /** Content of the hidden field, which makes the tip held. */
  website?: string;
};

/** Tips about the flood, oldest first. The last one is from the demo's reader. */
const TIPS: Tip[] = [
  { body: 'Cheap boats delivered to your door, see our shop.', website: 'https://boats.example' },
  {
    body: 'The cellar of the Anchor has half a metre of water in it. The landlord has moved the barrels up and says he opens at six as usual.',
    name: 'Ruth Penhale',
    contact: 'ruth@demo.example',
    may_be_named: true,
  },
  {
    body: 'There is a tree across the Hallam road just past the quarry turning. Two cars have turned round. No police there yet.',
    contact: '07700 900123',
  },
  {
    body: 'My mother is at Ferry Cottages and the pump in the lane has stopped.\nIs anybody looking after those houses tonight?',
    name: 'Sam Whitlock',
    contact: 'reader@demo.example',
  },
];

/** Sends the tips as readers. The moderator has one of them in review. */
export async function sendTips({ service, clients, ids }: Staff): Promise<void> {
  const sent: string[] = [];
  for (const [n, tip] of TIPS.entries()) {
    const id = randomUUID();
    const isOwn = n === TIPS.length - 1;
    await service
      .rpc('add_tip', {
        tip_id: id,
        content: { ...tip, coverage: FLOOD.slug },
        receipt: randomBytes(32).toString('base64url'),
        sender: { address: `192.0.2.${n + 1}`, person: isOwn ? ids.reader : null },
      })
      .throwOnError();
    sent.push(id);
  }
  const [, inReview = ''] = sent;
  await runCommand(clients.moderator, 'review_tip', { tip_id: inReview, version: 1 });
  const target = { coverage: FLOOD.slug };
  await runCommand(clients.reader, 'save_follow', { target, scope: 'key', by_mail: false, by_push: true });
}

type Drawing = { renditions: Rendition[]; files: Buffer[] };

/** The drawn photos by name. */
type Drawings = Record<IllustrationName, Drawing>;

/** Credit of each photo. Readers see it after the word “Photo:”. */
const CREDIT = 'drawn for The Ostley Courier';

/** Draws the photos of the demo in a child process. Rejects when the process fails. */
export async function drawPhotos(): Promise<Drawings> {
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-demo-photos-'));
  try {
    const child = fork(resolve(import.meta.dirname, 'draw-photos.ts'), [folder], { execArgv: [] });
    const ended = once(child, 'exit');
    const [photos] = (await Promise.race([once(child, 'message'), ended])) as [DrawnPhotos | number | null];
    if (typeof photos !== 'object' || photos === null)
      throw new Error(`${child.spawnargs.at(-2)}: ${photos}`);
    await ended;
    const drawings = {} as Drawings;
    for (const [name, renditions] of Object.entries(photos) as [IllustrationName, Rendition[]][]) {
      const read = renditions.map(({ width }) => readFile(join(folder, `${name}-${width}`)));
      drawings[name] = { renditions, files: await Promise.all(read) };
    }
    return drawings;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Adds a drawn photo to a coverage. @returns its id */
async function addPhoto(
  { service, clients }: Staff,
  coverageId: string,
  name: IllustrationName,
  { renditions, files }: Drawing,
): Promise<string> {
  const id = randomUUID();
  const { alt, caption, colour } = ILLUSTRATIONS[name]();
  const content = { alt, credit: CREDIT, ...(caption && { caption }) };
  await runCommand(clients.editor, 'save_photo', { photo_id: id, coverage_id: coverageId, content });
  for (const [n, { width }] of renditions.entries()) {
    const { error } = await service.storage
      .from('photos')
      .upload(renditionPath(id, width), files[n] ?? Buffer.alloc(0), { contentType: 'image/webp' });
    if (error) throw error;
  }
  await service
    .rpc('mark_photo_ready', { photo_id: id, renditions, placeholder_colour: colour })
    .throwOnError();
  return id;
}
