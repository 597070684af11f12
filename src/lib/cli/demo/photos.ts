import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { renditionPath } from '../../data/photo-objects.server.ts';
import type { Rendition } from '../../domain/photos.ts';
import type { DrawnPhotos } from './draw-photos.ts';
import { ILLUSTRATIONS, type IllustrationName } from './illustrations.ts';
import type { Staff } from './people.ts';

type Drawing = { renditions: Rendition[]; files: Buffer[] };

/** The drawn photos by name. */
export type Drawings = Record<IllustrationName, Drawing>;

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
export async function addPhoto(
  { service, clients }: Staff,
  coverageId: string,
  name: IllustrationName,
  { renditions, files }: Drawing,
): Promise<string> {
  const id = randomUUID();
  const { alt, caption, colour } = ILLUSTRATIONS[name]();
  const content = { alt, credit: CREDIT, ...(caption && { caption }) };
  await clients.editor
    .rpc('save_photo', { idempotency_key: randomUUID(), photo_id: id, coverage_id: coverageId, content })
    .throwOnError();
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
