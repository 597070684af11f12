import { readKeyEventList } from '../data/coverages.ts';
import type { Site } from '../data/site.ts';
import { readNewestLines, readUpdatesBetween, readUrgentEvent } from '../data/updates.ts';
import type { PartRequest } from '../domain/coverage-part.ts';
import type { ReaderPhoto } from '../domain/photos.ts';
import { hasEnded, type ReaderCoverage } from '../domain/reader-coverage.ts';
import type { KeyEvent, ReaderUpdate } from '../domain/updates.ts';
import type { Messages } from '../i18n/messages.ts';

/** What a part shows. Lists that its layout does not show are empty. */
type PartContent = {
  /** The newest urgent update of a coverage that has not ended. */
  urgent: KeyEvent | null;
  keyEvents: KeyEvent[];
  /** The newest updates as lines. */
  lines: KeyEvent[];
  /** The newest updates, withdrawn ones included. */
  updates: ReaderUpdate[];
  /** The photo that stands for the coverage. */
  photo: ReaderPhoto | null;
};

/** Everything that a part is rendered from. `messages` are in the language of the coverage, if it is supported. */
export type PartProps = {
  messages: Messages;
  coverage: ReaderCoverage;
  site: Site;
  request: PartRequest;
  content: PartContent;
};

/** Renders a part as HTML. */
export type DrawPart = (props: PartProps) => string;

/** Number of lines in the layout `newest`. */
const LINES = 3;

/** Reads what a part shows. */
export async function readPart(
  coverage: ReaderCoverage,
  { layout, updates }: PartRequest,
): Promise<PartContent> {
  const { id, state, update_count: count } = coverage;
  const lineCount = { full: 0, summary: 0, newest: LINES, strip: 1 }[layout];
  const [urgent, list, lines, newest] = await Promise.all([
    hasEnded(state) ? null : readUrgentEvent(id),
    layout === 'full' || layout === 'summary' ? readKeyEventList(coverage) : null,
    lineCount > 0 ? readNewestLines(id, lineCount) : [],
    layout === 'full' ? readUpdatesBetween(id, Math.max(1, count - updates + 1), count) : [],
  ]);
  return {
    urgent,
    keyEvents: layout === 'summary' && list ? list.events : [],
    lines,
    updates: newest,
    photo: list?.photo ?? null,
  };
}
