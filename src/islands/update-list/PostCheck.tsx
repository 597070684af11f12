import { useRef, useState } from 'react';
import { deskClock } from '../../lib/data/scheduling.ts';
import { isPostThere } from '../../lib/data/unfurl.ts';
import type { Block, Body, Post } from '../../lib/domain/body/blocks.ts';
import { type PostAnswers, withPostAnswers } from '../../lib/domain/posts.ts';
import { machineTime, shortTime } from '../../lib/domain/time.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import { RefusalNote } from '../desk/controls.tsx';
import type { Desk } from '../desk/desk.ts';
import { useMessages } from '../desk/messages.tsx';
import { makeTask } from '../desk/task.ts';
import { useShared } from '../shared/use-shared.ts';
import { runAction, updateLabel } from './actions.ts';

/** Whether a block is a post that no block before it is. */
const isFirstOfPost = (block: Block, index: number, body: Body): block is Post =>
  block.type === 'post' &&
  body.findIndex((other) => other.type === 'post' && other.url === block.url) === index;

type Props = { desk: Desk; update: DeskUpdate };

/**
 * Checks whether the posts of a published update are still there. The result is stored as a revision, which readers
 * see.
 */
export function PostCheck({ desk, update }: Props) {
  const messages = useMessages();
  const button = useRef<HTMLButtonElement>(null);
  const [task] = useState(makeTask);
  const state = useShared(task.$state);
  const { slug, time_zone } = useShared(desk.$coverage);
  /** Answers of the last check. */
  const [answers, setAnswers] = useState<PostAnswers>();
  const posts = update.body.filter(isFirstOfPost);
  const clock = deskClock(messages, { time_zone });
  const unknown = answers ? posts.filter(({ url }) => !answers.has(url)) : [];

  const save = async (answersNow: PostAnswers) => {
    const body = withPostAnswers(update.body, answersNow, machineTime(new Date()));
    const isChanged = JSON.stringify(body) !== JSON.stringify(update.body);
    const { saved } = messages.deskPosts;
    if (isChanged) await runAction(messages, desk, update, { kind: 'change', body }, saved);
    await desk.sync.refresh();
    // Frozen rows would hide the result.
    desk.updates.list.showAll();
  };
  const check = async () => {
    setAnswers(undefined);
    const answersNow = new Map<string, boolean>();
    for (const { url } of posts) {
      const isThere = await desk.backend.read((client) => isPostThere(client, url));
      if (isThere !== undefined) answersNow.set(url, isThere);
    }
    await save(answersNow);
    setAnswers(answersNow);
  };
  /** Stores what the person saw. */
  const answer = (url: string, isThere: boolean) => async () => {
    const answersNow = new Map(answers).set(url, isThere);
    await save(answersNow);
    setAnswers(answersNow);
    // The pressed button disappears.
    button.current?.focus();
  };
  return (
    <div className="post-check">
      <div className="row-actions">
        <button
          ref={button}
          type="button"
          aria-disabled={state.step === 'doing' || undefined}
          aria-label={messages.desk.about(messages.deskPosts.check, updateLabel(messages, update))}
          onClick={() => task.run(check)}
        >
          {messages.deskPosts.check}
        </button>
      </div>
      <div role="status">
        {state.step === 'doing' && (
          <p className="help">{answers ? messages.desk.status.sending : messages.deskPosts.looking}</p>
        )}
        {posts.map(({ url, author, gone_at }) => {
          const sentence = gone_at
            ? `${messages.reader.post.gone} ${shortTime(gone_at, new Date(), clock)}`
            : answers?.get(url) && messages.deskPosts.there;
          return (
            sentence && (
              <p key={url} className="help">
                <bdi>{author}</bdi>: {sentence}
              </p>
            )
          );
        })}
      </div>
      {unknown.map(({ url, author }) => (
        <div key={url}>
          <p className="help">
            <bdi>{author}</bdi>: {messages.deskPosts.unknown}{' '}
            <a href={url} target="_blank" rel="noreferrer">
              {messages.deskPosts.open} {messages.desk.status.newTab}
            </a>
          </p>
          <div className="row-actions">
            <button type="button" onClick={() => task.run(answer(url, true))}>
              {messages.deskPosts.markThere}
            </button>
            <button type="button" onClick={() => task.run(answer(url, false))}>
              {messages.deskPosts.markGone}
            </button>
          </div>
        </div>
      ))}
      {state.step === 'refused' && <RefusalNote refusal={state.refusal} slug={slug} />}
    </div>
  );
}
