import type { MatrixContext } from './context.ts';
import type { Mark, Person } from './table.ts';

/** A row by table, column and value. */
type RowReference = [table: string, column: string, value: (matrix: MatrixContext) => string];

/** The row that each row of "Tables and views" reads. */
export const READS: Record<string, RowReference> = {
  '`people` with a byline': ['people', 'id', ({ id }) => id('reporter') as string],
  '`people` without a byline': ['people', 'id', ({ id }) => id('reader') as string],
  '`topics`': ['topics', 'slug', () => 'weather'],
  '`coverages` public': ['coverages', 'id', ({ shown }) => shown.coverage],
  '`coverages` withdrawn': ['coverages', 'id', ({ hidden }) => hidden.coverage],
  '`coverages` in draft': ['coverages', 'id', ({ draft }) => draft],
  '`coverage_slugs`': ['coverage_slugs', 'slug', ({ shown }) => shown.slug],
  '`coverage_slugs` of a draft': ['coverage_slugs', 'coverage_id', ({ draft }) => draft],
  '`coverage_topics`': ['coverage_topics', 'coverage_id', ({ shown }) => shown.coverage],
  '`coverage_topics` of a withdrawn coverage': [
    'coverage_topics',
    'coverage_id',
    ({ hidden }) => hidden.coverage,
  ],
  '`coverage_members`': ['coverage_members', 'coverage_id', ({ shown }) => shown.coverage],
  '`coverage_revisions`': ['coverage_revisions', 'coverage_id', ({ shown }) => shown.coverage],
  '`coverage_changes`': ['coverage_changes', 'coverage_id', ({ shown }) => shown.coverage],
  '`coverage_changes` of a withdrawn coverage': [
    'coverage_changes',
    'coverage_id',
    ({ hidden }) => hidden.coverage,
  ],
  '`updates` published': ['updates', 'id', ({ shown }) => shown.update],
  '`updates` of a withdrawn coverage': ['updates', 'id', ({ hidden }) => hidden.update],
  '`updates` unpublished': ['updates', 'id', ({ written }) => written.update],
  '`update_bylines`': ['update_bylines', 'update_id', ({ shown }) => shown.update],
  '`update_bylines` of an unpublished update': [
    'update_bylines',
    'update_id',
    ({ written }) => written.update,
  ],
  '`update_photos`': ['update_photos', 'update_id', ({ shown }) => shown.update],
  '`update_photos` of an unpublished update': ['update_photos', 'update_id', ({ written }) => written.update],
  '`media_files`': ['media_files', 'id', ({ file }) => file],
  '`update_media`': ['update_media', 'file_id', ({ file }) => file],
  '`update_revisions`': ['update_revisions', 'update_id', ({ shown }) => shown.update],
  '`update_history`': ['update_history', 'update_id', ({ shown }) => shown.update],
  '`update_history` of a withdrawn coverage': ['update_history', 'update_id', ({ hidden }) => hidden.update],
  '`update_notes`': ['update_notes', 'update_id', ({ shown }) => shown.update],
  '`update_notes` of a withdrawn coverage': ['update_notes', 'update_id', ({ hidden }) => hidden.update],
  '`desk_updates`': ['desk_updates', 'id', ({ written }) => written.update],
  '`desk_revisions`': ['desk_revisions', 'update_id', ({ hidden }) => hidden.update],
  '`desk_photos` used by an update': ['desk_photos', 'id', ({ written }) => written.photo],
  '`desk_photos` unused': ['desk_photos', 'id', ({ unusedPhoto }) => unusedPhoto],
  '`photos` published': ['photos', 'id', ({ shown }) => shown.photo],
  '`photos` of a withdrawn coverage': ['photos', 'id', ({ hidden }) => hidden.photo],
  '`photos` of an unpublished update': ['photos', 'id', ({ written }) => written.photo],
  '`photos` of a tip': ['photos', 'id', ({ tipPhoto }) => tipPhoto],
  '`tips`': ['tips', 'contact', () => 'z@example.org'],
  '`followers`': ['followers', 'person_id', ({ id }) => id('editor') as string],
  '`follows`': ['follows', 'follower_id', ({ id }) => id('editor') as string],
  '`push_subscriptions`': ['push_subscriptions', 'follower_id', ({ id }) => id('editor') as string],
  '`alerts`': ['alerts', 'coverage_id', ({ shown }) => shown.coverage],
  '`deliveries`': ['deliveries', 'follower_id', ({ id }) => id('editor') as string],
  '`invites`': ['invites', 'email', () => 'nell@example.com'],
  '`desk_invites`': ['desk_invites', 'email', () => 'nell@example.com'],
  '`site`': ['site', 'name', ({ siteName }) => siteName],
  '`site_images` that the site shows': ['site_images', 'name', ({ siteImages }) => siteImages.shown],
  '`site_images` that it does not show': ['site_images', 'name', ({ siteImages }) => siteImages.unused],
  '`audit_log`': ['audit_log', 'action', () => 'set_role'],
};

/** The mark for what an actor can read. */
export async function readMark(
  matrix: MatrixContext,
  who: Person,
  [table, column, value]: RowReference,
): Promise<Mark | string> {
  const { data, error, status } = await matrix
    .client(who)
    .from(table)
    .select(column)
    .eq(column, value(matrix));
  if (data) return data.length > 0 ? '●' : '○';
  if (error?.message === 'signed_out') return '×';
  return error?.code === '42501' ? '–' : `${status} ${error?.code} ${error?.message}`;
}
