import { atom, type ReadableAtom } from 'nanostores';
import { useRef, useState } from 'react';
import { appendUrlLine, fetchLinkPreview, parseTypedUrl, removeUrlLine } from '../../lib/data/update-form.ts';
import type { Link } from '../../lib/domain/body/blocks.ts';
import { sentenceOf } from '../../lib/i18n/refusals.ts';
import type { Desk } from '../desk/desk.ts';
import { type DeskMessages, useMessages } from '../desk/messages.tsx';
import { refusalOf } from '../desk/task.ts';
import { Field } from '../shared/Field.tsx';
import { useShared } from '../shared/use-shared.ts';
import { BodyBlocks } from '../update/BodyBlocks.tsx';
import type { EditorStore } from './editor.ts';
import { onEnter } from './typing.ts';

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
            onKeyDown={onEnter(() => void fetcher.add())}
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

/** State of the field that inserts a link. */
type LinkStatus =
  | { step: 'typing' }
  | { step: 'loading' }
  /** The link is in the text. Without `link` it has no description. */
  | { step: 'added'; url: string; link?: Link }
  | { step: 'removed' }
  /** `mayAdd`: the page has no description, but the address may be valid, for example a PDF. */
  | { step: 'refused'; sentence: string; mayAdd: boolean };

export type LinkFetcher = {
  $address: ReadableAtom<string>;
  $status: ReadableAtom<LinkStatus>;
  type(address: string): void;
  /** Fetches the page's description, then inserts the address. Text that was typed meanwhile stays. */
  add(): Promise<void>;
  /** Inserts the address without a description. */
  addPlain(): void;
  remove(): void;
};

/**
 * Inserts links with their descriptions into an update.
 * @param unfurl fetches the description of a web page; throws Refused
 */
export function makeLinkFetcher(
  messages: DeskMessages,
  unfurl: (url: string) => Promise<Link>,
  { $edited, change }: Pick<EditorStore, '$edited' | 'change'>,
): LinkFetcher {
  const $address = atom('');
  const $status = atom<LinkStatus>({ step: 'typing' });
  /** Number of the current request. A response to an earlier one is ignored. */
  let requestNumber = 0;

  function validAddress(): string | null {
    const url = parseTypedUrl($address.get());
    if (!url) $status.set({ step: 'refused', sentence: messages.deskLinks.notAnAddress, mayAdd: false });
    return url;
  }

  function insert(url: string, link?: Link): void {
    const { body, links } = $edited.get().form;
    const others = links.filter((other) => other.url !== url);
    const longerBody = appendUrlLine(body, url);
    change({ body: longerBody, links: link ? [...others, link] : others });
    // A form that is being sent does not change.
    const isInserted = $edited.get().form.body === longerBody;
    if (isInserted) $address.set('');
    $status.set(isInserted ? { step: 'added', url, ...(link ? { link } : {}) } : { step: 'typing' });
  }

  return {
    $address,
    $status,
    type(address) {
      requestNumber++;
      $address.set(address);
      $status.set({ step: 'typing' });
    },
    async add() {
      const url = validAddress();
      if (!url || $status.get().step === 'loading') return;
      const ownNumber = ++requestNumber;
      const { id } = $edited.get();
      const isOutdated = () => ownNumber !== requestNumber || $edited.get().id !== id;
      $status.set({ step: 'loading' });
      try {
        const link = await unfurl(url);
        if (!isOutdated()) insert(url, link);
      } catch (error) {
        const refusal = refusalOf(error);
        if (isOutdated()) return;
        const message =
          refusal.code === 'unavailable' ? messages.deskLinks.offline : sentenceOf(refusal, messages);
        $status.set({ step: 'refused', sentence: message, mayAdd: true });
      }
    },
    addPlain() {
      const url = validAddress();
      if (url) insert(url);
    },
    remove() {
      const status = $status.get();
      if (status.step !== 'added') return;
      const { body, links } = $edited.get().form;
      change({
        body: removeUrlLine(body, status.url),
        links: links.filter(({ url }) => url !== status.url),
      });
      $address.set(status.url);
      $status.set({ step: 'removed' });
    },
  };
}
