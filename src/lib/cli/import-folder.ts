import { FOLDER } from '../i18n/cli.ts';
import { InvalidFolderError } from '../publishing/coverage-folder/format.ts';
import type { ImportedCoverage } from '../publishing/coverage-folder/restore.server.ts';

/** The result of an import, one line for each message. */
export function folderMessages({
  slug,
  state,
  count,
  photos,
  people,
  topics,
  slugs,
  colleagues,
  unchanged,
}: ImportedCoverage) {
  if (unchanged) return [FOLDER.unchanged(slug, state)];
  return [
    ...people.map(({ was, handle }) => FOLDER.handle(was, handle)),
    ...topics.map(FOLDER.topic),
    ...slugs.map(FOLDER.slugLeft),
    ...(colleagues.length > 0 ? [FOLDER.colleagues(colleagues.join(', '))] : []),
    FOLDER.done(slug, state, count, photos),
  ];
}

/** The reason for refusing a folder; undefined for other errors. */
export function folderProblem(error: unknown): string | undefined {
  return error instanceof InvalidFolderError ? `${error.message}\n${FOLDER.refusedWhole}` : undefined;
}
