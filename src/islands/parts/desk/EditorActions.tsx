import type { ReactNode } from 'react';
import { isOver, takesUpdates } from '../../../lib/desk/coverage.ts';
import type { FormProblems } from '../../../lib/desk/form.ts';
import { actionsOn, mayPublishOwn } from '../../../lib/desk/rights.ts';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { desk as messages } from '../../../lib/text/desk.ts';
import type { Desk } from '../../stores/desk.ts';
import type { EditedUpdate } from '../../stores/editor.ts';
import type { SaveAction } from '../../stores/save.ts';
import { ChangeKind } from './ChangeKind.tsx';
import { ScheduleField } from './ScheduleField.tsx';
import { ariaShortcut } from './Toolbar.tsx';
import { useShared } from './useShared.ts';

type Props = {
  desk: Desk;
  edited: EditedUpdate;
  problems: FormProblems;
  sending: boolean;
  /** Shown above the buttons, and sticky together with them. */
  tools: ReactNode;
  /** Buttons that do not save. */
  children: ReactNode;
};

/** Buttons for the save actions that this person may use, the main one first. */
export function EditorActions({ desk, edited, problems, sending, tools, children }: Props) {
  const { before } = edited;
  const { state } = useShared(desk.$coverage);
  const kinds = saveKinds(desk, before);
  return (
    <>
      {before?.state === 'published' && <ChangeKind desk={desk} update={before} problem={problems.note} />}
      <div className="press">
        {tools}
        <div className="actions">
          {kinds.map((kind, index) => (
            <button
              key={kind}
              type="submit"
              name="saving"
              value={kind}
              className={index === 0 ? 'main' : undefined}
              disabled={kind === 'publish' && !takesUpdates(state)}
              aria-disabled={sending || undefined}
              aria-keyshortcuts={
                index === 0 ? ariaShortcut('Mod+Enter') : kind === 'save' ? ariaShortcut('Mod+s') : undefined
              }
            >
              {kind === 'save' && before?.state === 'scheduled'
                ? messages.schedule.save
                : messages.saving[kind]}
            </button>
          ))}
          {children}
        </div>
      </div>
      {kinds.includes('publish') && !isOver(state) && (
        <ScheduleField
          key={edited.id}
          desk={desk}
          before={before}
          problem={problems.scheduled_for}
          sending={sending}
        />
      )}
    </>
  );
}

/** Save actions for an update, the main one first. */
export function saveKinds(desk: Desk, before?: DeskUpdate): SaveAction['kind'][] {
  if (before?.state === 'published') return ['change'];
  const publish = before
    ? actionsOn(before, desk.person, null).includes('publish')
    : mayPublishOwn(desk.person);
  if (publish) return ['publish', 'save'];
  return before?.state === 'submitted' ? ['save'] : ['submit', 'save'];
}
