import { type InputHTMLAttributes, type KeyboardEvent, useRef, useState } from 'react';
import { fetchPost, type PostForm } from '../../lib/data/posts.ts';
import { clockOf } from '../../lib/domain/reader-coverage.ts';
import { shortTime } from '../../lib/domain/time.ts';
import type { Desk } from '../desk/desk.ts';
import { type DeskMessages, messagesIn, useMessages } from '../desk/messages.tsx';
import { Field } from '../shared/Field.tsx';
import { useShared } from '../shared/use-shared.ts';
import { BodyBlocks } from '../update/BodyBlocks.tsx';
import type { EditorStore } from './editor.ts';
import { makePostQuoter, type PostQuoter, type QuoteStatus } from './quote-post.ts';

export type PostFieldProps = {
  desk: Pick<Desk, 'backend' | '$coverage'>;
  editor: EditorStore;
  isReadOnly: boolean;
};

/** Inserts the post at an address. A post that cannot be read automatically is typed. */
export function PostFields({ desk, editor, isReadOnly }: PostFieldProps) {
  const messages = useMessages();
  const coverage = useShared(desk.$coverage);
  const [quoter] = useState(() =>
    makePostQuoter(
      messages,
      (url) => desk.backend.read((client) => fetchPost(client, url)),
      coverage.time_zone,
      editor,
    ),
  );
  const address = useShared(quoter.$address);
  const status = useShared(quoter.$status);
  const field = useRef<HTMLInputElement>(null);
  const { reader } = messagesIn(messages, coverage.language);
  /** With Ctrl or ⌘, Enter publishes the update. */
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) void quoter.add();
  };
  /** The pressed button disappears, so the focus moves to the address. */
  const remove = () => {
    quoter.remove();
    field.current?.focus();
  };
  return (
    <>
      <Field
        label={messages.deskPosts.address}
        help={messages.deskPosts.addressHelp}
        problem={status.step === 'refused' ? status.sentence : undefined}
      >
        {(control) => (
          <input
            {...control}
            ref={field}
            {...ADDRESS_INPUT}
            readOnly={isReadOnly}
            value={address}
            onChange={(event) => quoter.typeAddress(event.target.value)}
            onKeyDown={onKeyDown}
          />
        )}
      </Field>
      <p className={status.step === 'refused' ? 'visually-hidden' : 'status'} role="status">
        {statusMessage(messages, status)}
      </p>
      {status.step === 'fields' && (
        <TypedPost
          quoter={quoter}
          problems={status.problems}
          isReadOnly={isReadOnly}
          timeZone={coverage.time_zone}
        />
      )}
      {status.step === 'added' && (
        <div className="preview">
          <BodyBlocks
            messages={reader}
            formatTime={(at) => shortTime(at, new Date(), clockOf(coverage))}
            body={status.body}
          />
        </div>
      )}
      <p className="actions">
        <button
          type="button"
          aria-disabled={isReadOnly || status.step === 'loading' || undefined}
          onClick={() => !isReadOnly && void quoter.add()}
        >
          {status.step === 'fields' ? messages.deskPosts.addTyped : messages.deskPosts.add}
        </button>
        {status.step === 'added' && (
          <button type="button" className="quiet" onClick={remove}>
            {messages.deskPosts.takeOut}
          </button>
        )}
      </p>
    </>
  );
}

const ADDRESS_INPUT: InputHTMLAttributes<HTMLInputElement> = {
  inputMode: 'url',
  autoComplete: 'off',
  autoCapitalize: 'none',
  spellCheck: false,
  dir: 'ltr',
};

type TypedPostProps = {
  quoter: PostQuoter;
  problems: ('author' | 'text')[];
  isReadOnly: boolean;
  timeZone: string;
};

function TypedPost({ quoter, problems, isReadOnly, timeZone }: TypedPostProps) {
  const messages = useMessages();
  const form = useShared(quoter.$form);
  const propsOf = (name: keyof PostForm) => ({
    readOnly: isReadOnly,
    value: form[name],
    onChange: (event: { target: { value: string } }) => quoter.type({ [name]: event.target.value }),
  });
  const problemOf = (name: 'author' | 'text') =>
    problems.includes(name) ? messages.deskPosts.missing : undefined;
  return (
    <>
      <Field label={messages.deskPosts.author} problem={problemOf('author')}>
        {(control) => <input {...control} {...propsOf('author')} dir="auto" autoComplete="off" />}
      </Field>
      <Field label={messages.deskPosts.handle}>
        {(control) => <input {...control} {...propsOf('handle')} {...ADDRESS_INPUT} inputMode="text" />}
      </Field>
      <Field label={messages.deskPosts.text} problem={problemOf('text')}>
        {(control) => <textarea {...control} {...propsOf('text')} dir="auto" rows={3} />}
      </Field>
      <Field label={messages.deskPosts.posted(timeZone)} help={messages.deskPosts.postedHelp}>
        {(control) => <input {...control} {...propsOf('posted')} type="datetime-local" />}
      </Field>
    </>
  );
}

function statusMessage(messages: DeskMessages, status: QuoteStatus): string {
  switch (status.step) {
    case 'loading':
      return messages.deskPosts.looking;
    // The field shows the error; this region announces it.
    case 'refused':
    case 'fields':
      return status.sentence;
    case 'added':
      return messages.deskPosts.added;
    case 'removed':
      return messages.deskPosts.removed;
    default:
      return '';
  }
}
