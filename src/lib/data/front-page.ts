import type { CoverageState } from '../domain/desk-coverages.ts';
import { Refused, refusal } from '../i18n/refusals.ts';
import { fieldText } from './forms.ts';
import { type BackendClient, dataOf } from './result.ts';

/** Number of positions that the form offers. The first one is the lead. */
export const FRONT_PAGE_POSITIONS = 6;

/** Number of coverages that the form lists, the arranged ones included. */
const LISTED = 30;

const PUBLIC_STATES: CoverageState[] = ['scheduled', 'live', 'paused', 'ended', 'archived'];
const COLUMNS = 'id, slug, headline, state, language, front_page_position' as const;

export type ArrangedCoverage = Awaited<ReturnType<typeof readArrangement>>[number];

/** Returns the coverages that the front page can show: arranged ones in their order, then the newest ones. */
export function readArrangement(backend: BackendClient) {
  return dataOf(
    backend
      .from('coverages')
      .select(COLUMNS)
      .in('state', PUBLIC_STATES)
      .order('front_page_position', { nullsFirst: false })
      .order('published_at', { ascending: false, nullsFirst: true })
      .limit(LISTED),
  );
}

/** Name of the form's field for a coverage. */
export const positionField = (id: string) => `position-${id}`;

/**
 * Saves the positions of a submitted form. Gaps close: the coverages at 2 and 5 become the first and second.
 * @throws Refused `invalid` if two coverages have the same position
 */
export async function arrangeFrontPage(
  backend: BackendClient,
  form: FormData,
  coverages: Pick<ArrangedCoverage, 'id'>[],
): Promise<void> {
  const positions = new Map<number, string>();
  for (const { id } of coverages) {
    const position = Number(fieldText(form, positionField(id)));
    if (!Number.isInteger(position) || position < 1) continue;
    if (positions.has(position))
      throw new Refused(
        refusal('invalid', {
          field: positionField(id),
          message: ({ desk }) => desk.frontPage.repeated(position),
        }),
      );
    positions.set(position, id);
  }
  const coverage_ids = [...positions].sort(([a], [b]) => a - b).map(([, id]) => id);
  await dataOf(backend.rpc('arrange_front_page', { idempotency_key: crypto.randomUUID(), coverage_ids }));
}
