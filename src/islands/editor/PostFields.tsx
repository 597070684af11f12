import { atom, type ReadableAtom } from 'nanostores';
import { type InputHTMLAttributes, type KeyboardEvent, useRef, useState } from 'react';
import {
  EMPTY_POST_FORM,
  type FetchedPost,
  fetchPost,
  type PostForm,
  typedPost,
} from '../../lib/data/unfurl.ts';
import { parseTypedUrl } from '../../lib/data/update-form.ts';
import type { Body } from '../../lib/domain/body/blocks.ts';
import { insertMarkdown } from '../../lib/domain/body/edit.ts';
import { parseBody } from '../../lib/domain/body/source.ts';
import { writeBody } from '../../lib/domain/body/write-source.ts';
import { hasPublicInterface } from '../../lib/domain/posts.ts';
import { clockOf } from '../../lib/domain/reader-coverage.ts';
import { machineTime, shortTime } from '../../lib/domain/time.ts';
import { sentenceOf } from '../../lib/i18n/refusals.ts';
import type { Desk } from '../desk/desk.ts';
import { type DeskMessages, messagesIn, useMessages } from '../desk/messages.tsx';
import { refusalOf } from '../desk/task.ts';
import { Field } from '../shared/Field.tsx';
import { useShared } from '../shared/use-shared.ts';
import { BodyBlocks } from '../update/BodyBlocks.tsx';
import type { EditorStore } from './editor.ts';

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

/** State of the field that quotes a post. */
type QuoteStatus =
  | { step: 'typing' }
  | { step: 'loading' }
  /** The address is no address. */
  | { step: 'refused'; sentence: string }
  /** The writer types the post. `problems` are the fields that are missing. */
  | { step: 'fields'; sentence: string; problems: ('author' | 'text')[] }
  /** The post is in the text as `markdown`. */
  | { step: 'added'; body: Body; markdown: string; url: string }
  | { step: 'removed' };

export type PostQuoter = {
  $address: ReadableAtom<string>;
  $form: ReadableAtom<PostForm>;
  $status: ReadableAtom<QuoteStatus>;
  typeAddress(address: string): void;
  type(part: Partial<PostForm>): void;
  /** Reads the post and inserts it, or inserts what was typed. Text that was typed into the update meanwhile stays. */
  add(): Promise<void>;
  remove(): void;
};

/**
 * Inserts posts of social networks into an update.
 * @param fetchPost throws Refused
 * @param timeZone zone of the typed time
 */
export function makePostQuoter(
  messages: DeskMessages,
  fetchPost: (url: string) => Promise<FetchedPost>,
  timeZone: string,
  { $edited, change }: Pick<EditorStore, '$edited' | 'change'>,
): PostQuoter {
  const $address = atom('');
  const $form = atom(EMPTY_POST_FORM);
  const $status = atom<QuoteStatus>({ step: 'typing' });
  /** Number of the current request. A response to an earlier one is ignored. */
  let requestNumber = 0;

  const askForFields = (sentence: string) => $status.set({ step: 'fields', sentence, problems: [] });

  function insert(post: FetchedPost): void {
    const markdown = writeBody([{ type: 'post', ...post, quoted_at: machineTime(new Date()) }]);
    const { body } = $edited.get().form;
    const end = { text: body, from: body.length, to: body.length };
    const longerBody = `${body}${insertMarkdown(end, markdown, false).insert}\n`;
    change({ body: longerBody });
    // A form that is being sent does not change.
    if ($edited.get().form.body !== longerBody) {
      $status.set({ step: 'typing' });
      return;
    }
    $address.set('');
    $form.set(EMPTY_POST_FORM);
    $status.set({ step: 'added', body: parseBody(markdown), markdown, url: post.url });
  }

  async function read(url: string): Promise<void> {
    const ownNumber = ++requestNumber;
    const { id } = $edited.get();
    $status.set({ step: 'loading' });
    const post = await fetchPost(url).catch(refusalOf);
    if (ownNumber !== requestNumber || $edited.get().id !== id) return;
    if ('code' in post) {
      const isOffline = post.code === 'unavailable';
      return askForFields(isOffline ? messages.deskPosts.offline : sentenceOf(post, messages));
    }
    if (post.text) return insert(post);
    $form.set({ ...$form.get(), author: post.author, handle: post.handle ?? '' });
    askForFields(messages.deskPosts.noText);
  }

  return {
    $address,
    $form,
    $status,
    typeAddress(address) {
      requestNumber++;
      $address.set(address);
      if ($status.get().step !== 'fields') $status.set({ step: 'typing' });
    },
    type(part) {
      $form.set({ ...$form.get(), ...part });
    },
    async add() {
      const status = $status.get();
      const url = parseTypedUrl($address.get());
      if (!url) return $status.set({ step: 'refused', sentence: messages.deskPosts.notAnAddress });
      if (status.step === 'loading') return;
      const post = typedPost(url, $form.get(), timeZone);
      if (status.step === 'fields') {
        const problems = (['author', 'text'] as const).filter((field) => !post[field]);
        if (problems.length === 0) return insert(post);
        return $status.set({ step: 'fields', sentence: messages.deskPosts.incomplete, problems });
      }
      return hasPublicInterface(url) ? read(url) : askForFields(messages.deskPosts.unreadable);
    },
    remove() {
      const status = $status.get();
      if (status.step !== 'added') return;
      const { body } = $edited.get().form;
      const at = body.lastIndexOf(status.markdown);
      if (at >= 0) {
        const before = body.slice(0, at).trimEnd();
        const after = body.slice(at + status.markdown.length).trim();
        change({ body: [before, after].filter(Boolean).join('\n\n') });
      }
      $address.set(status.url);
      $status.set({ step: 'removed' });
    },
  };
}
