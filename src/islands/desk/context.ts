import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import type { UpdateForm } from '../../lib/data/update-form.ts';
import type { DeskCoverage } from '../../lib/domain/desk.ts';
import type { DeskPerson } from '../../lib/domain/permissions.ts';
import type { Language } from '../../lib/i18n/language.ts';

/** Data that the page passes to every island of a desk. */
export type DeskContext = {
  coverage: DeskCoverage;
  person: DeskPerson;
  backend: BrowserBackend;
  /** Language of the messages. */
  language: Language;
};

/** An open panel in the row of an update. */
export type OpenPanel = {
  id: string;
  panel: 'edit' | 'withdraw' | 'spike' | 'history';
  /** Form with the content of another version, to edit instead of the current one. */
  form?: UpdateForm;
};

/** Name of the document event after the desk learned of a change. */
export const DESK_CHANGED = 'stoppress:desk-changed';
