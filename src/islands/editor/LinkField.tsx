import { type KeyboardEvent, useRef, useState } from 'react';
import { fetchLinkPreview } from '../../lib/data/update-form.ts';
import type { Desk } from '../desk/desk.ts';
import { type DeskMessages, useMessages } from '../desk/messages.tsx';
import { Field } from '../shared/Field.tsx';
import { useShared } from '../shared/use-shared.ts';
import { BodyBlocks } from '../update/BodyBlocks.tsx';
import type { EditorStore } from './editor.ts';
import { type LinkStatus, makeLinkFetcher } from './link-preview.ts';

type Props = { desk: Pick<Desk, 'backend'>; editor: EditorStore; isReadOnly: boolean };

/** Field that inserts a link with the description of its page. */
export function LinkField({ desk, editor, isReadOnly }: Props) {
  const messages = useMessages();
  const [fetcher] = useState(() =>
    makeLinkFetcher(messages, (url) => desk.backend.read((client) => fetchLinkPreview(client, url)), editor),
  );
  const address = useShared(fetcher.$address);
  const status = useShared(fetcher.$status);
  const field = useRef<HTMLInputElement>(null);

  /** Enter would submit the form of the update. */
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    void fetcher.add();
  };
  /** The pressed button disappears, so the focus moves to the field. */
  const thenFocusField = (action: () => void) => () => {
    action();
    field.current?.focus();
  };
  return (
    <details className="link-field">
      <summary>{messages.deskLinks.title}</summary>
      <Field
        label={messages.deskLinks.address}
        help={messages.deskLinks.addressHelp}
        problem={status.step === 'refused' ? status.sentence : undefined}
      >
        {(control) => (
          <input
            {...control}
            ref={field}
            inputMode="url"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            dir="ltr"
            readOnly={isReadOnly}
            value={address}
            onChange={(event) => fetcher.type(event.target.value)}
            onKeyDown={onKeyDown}
          />
        )}
      </Field>
      <p className="actions">
        <button
          type="button"
          aria-disabled={isReadOnly || status.step === 'loading' || undefined}
          onClick={() => !isReadOnly && void fetcher.add()}
        >
          {messages.deskLinks.add}
        </button>
        {status.step === 'refused' && status.mayAdd && (
          <button type="button" onClick={thenFocusField(fetcher.addPlain)}>
            {messages.deskLinks.addPlain}
          </button>
        )}
        {status.step === 'added' && (
          <button type="button" className="quiet" onClick={thenFocusField(fetcher.remove)}>
            {messages.deskLinks.takeOut}
          </button>
        )}
      </p>
      <p className={status.step === 'refused' ? 'visually-hidden' : 'status'} role="status">
        {linkStatusMessage(messages, status)}
      </p>
      {status.step === 'added' && status.link && (
        <BodyBlocks messages={messages.reader} body={[status.link]} />
      )}
    </details>
  );
}

function linkStatusMessage(messages: DeskMessages, status: LinkStatus): string {
  if (status.step === 'loading') return messages.deskLinks.looking;
  if (status.step === 'removed') return messages.deskLinks.removed;
  // The field shows the error; this region announces it.
  if (status.step === 'refused') return status.sentence;
  if (status.step !== 'added') return '';
  return status.link ? messages.deskLinks.added : messages.deskLinks.addedPlain;
}
