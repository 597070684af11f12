import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import type { UpdateForm } from '../../lib/data/update-form.ts';
import type { DeskCoverage } from '../../lib/domain/desk-coverages.ts';
import type { DeskPerson } from '../../lib/domain/permissions.ts';

/** What every island of a desk is given by its page. */
export type DeskContext = { coverage: DeskCoverage; person: DeskPerson; backend: BrowserBackend };

/** A panel that is open in the row of an update. */
export type Panel = {
  id: string;
  panel: 'edit' | 'withdraw' | 'spike' | 'history';
  /** Words of another version, to be edited in place of those that are there. */
  words?: UpdateForm;
};
