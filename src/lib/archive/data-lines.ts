import {
  type ArchivedChange,
  type ArchivedHead,
  type ArchivedUpdate,
  CHANGE,
  CONTENT,
  COVERAGE,
  FORMAT,
  FORMAT_VERSION,
  PERSON,
  PHOTO,
  PRINT,
  pick,
  SLUG,
  TOPIC,
  UPDATE,
  VERSION,
} from './data-format.ts';

/* The files of a coverage as text: the same things are always the same bytes. */

/** What the first file says, without what does not belong there. */
export function headOf(said: Omit<ArchivedHead, 'format' | 'version'>): ArchivedHead {
  const photos = said.photos.map((photo) => ({
    ...pick(photo, PHOTO),
    prints: photo.prints.map((print) => pick(print, PRINT)),
  }));
  return {
    format: FORMAT,
    version: FORMAT_VERSION,
    coverage: pick(said.coverage, COVERAGE),
    slugs: said.slugs.map((slug) => pick(slug, SLUG)),
    topics: said.topics.map((topic) => pick(topic, TOPIC)),
    people: said.people.map((person) => pick(person, PERSON)),
    photos,
  } as ArchivedHead;
}

export const headText = (head: ArchivedHead) => `${JSON.stringify(head, null, 2)}\n`;

export function updateLine(update: ArchivedUpdate): string {
  const versions = update.versions.map((version) => {
    const content = version.content as ArchivedUpdate | null;
    return { ...pick(version, VERSION), content: content && pick(content, CONTENT) };
  });
  return `${JSON.stringify({ ...pick(update, UPDATE), versions })}\n`;
}

export const changeLine = (change: ArchivedChange) => `${JSON.stringify(pick(change, CHANGE))}\n`;
