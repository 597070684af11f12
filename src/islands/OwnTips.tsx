import { useEffect, useState } from 'react';
import type { BrowserBackend } from '../lib/data/browser-client.ts';
import { livePath, updatePath } from '../lib/domain/coverages.ts';
import { type Clock, machineTime, shortTime } from '../lib/domain/time.ts';
import type { OwnTip } from '../lib/domain/tips.ts';
import { ownTips } from '../lib/i18n/en/own-tips.ts';
import type { Language } from '../lib/i18n/language.ts';
import { islandMessages, type Messages } from '../lib/i18n/messages.ts';
import { makeOwnTips, type TipsStatusState } from './own-tips/own-tips.ts';
import { useShared } from './shared/use-shared.ts';
import { Time } from './update/UpdateArticle.tsx';

const messagesOf = islandMessages({ ownTips });

type Props = {
  /** Language of the messages. */
  language?: Language;
  /** Id of the tips' sender. */
  person: string;
  tips: OwnTip[];
  /** When the tips were read (ISO 8601). Times on other days show their day. */
  madeAt: string;
  clock: Clock;
  backend: BrowserBackend;
};

/** A person's own tips: the list that the server rendered, kept up to date. */
export default function OwnTips({ language = 'en', person, tips, madeAt, clock, backend }: Props) {
  const { ownTips: messages } = messagesOf(language);
  const [store] = useState(() => makeOwnTips(person, tips, madeAt, backend));
  useEffect(() => store.watch(), [store]);
  const rows = useShared(store.$tips);
  const changedTips = useShared(store.$changedTips);
  return (
    <div className="own-tips">
      <ChangedTips messages={messages} changedTips={changedTips} />
      <ol>
        {rows.map((tip) => (
          <OwnTipRow
            messages={messages}
            key={tip.id}
            tip={tip}
            madeAt={madeAt}
            clock={clock}
            isChanged={changedTips.some(({ id }) => id === tip.id)}
          />
        ))}
      </ol>
      <TipsStatus
        messages={messages}
        status={useShared(store.$status)}
        at={useShared(store.$at)}
        clock={clock}
      />
    </div>
  );
}

/** Length to which a longer text is shortened, in characters. */
const SHOWN_LENGTH = 240;

/** The beginning of a text on one line, cut at a word; a shorter text as it is. */
function beginningOfText(text: string, most = SHOWN_LENGTH): string {
  const characters = [...text];
  if (characters.length <= most) return text;
  const cut = characters.slice(0, most - 1).join('');
  const end = cut.search(/\s\S*$/);
  return `${(end > most / 2 ? cut.slice(0, end) : cut).trimEnd()}…`;
}

type WithMessages = { messages: Messages['ownTips'] };

type TipRowProps = WithMessages & { tip: OwnTip; madeAt: string; clock: Clock; isChanged: boolean };

/** A tip of the person with its state. */
function OwnTipRow({
  messages,
  tip: { id, body, state, created_at, coverage, used_in: used, photo },
  madeAt,
  clock,
  isChanged,
}: TipRowProps) {
  const beginning = beginningOfText(body);
  return (
    <li className={isChanged ? 'news' : undefined}>
      <p className="help">
        {messages.sent} <time dateTime={machineTime(created_at)}>{shortTime(created_at, madeAt, clock)}</time>
        {coverage && (
          <>
            . {messages.about}{' '}
            <a href={livePath(coverage.slug)} dir="auto">
              {coverage.headline}
            </a>
          </>
        )}
      </p>
      <blockquote dir="auto">{beginning}</blockquote>
      {beginning !== body && (
        <details>
          <summary>{messages.whole}</summary>
          <p className="lines" dir="auto">
            {body}
          </p>
        </details>
      )}
      <OwnTipPhoto messages={messages} tip={id} photo={photo} />
      <p className="became">
        <b>{state === 'used' && !used ? messages.unseen : messages.states[state]}</b>{' '}
        {used && <a href={updatePath(used.slug, used.number)}>{messages.see}</a>}
      </p>
    </li>
  );
}

type OwnTipPhotoProps = WithMessages & { tip: string; photo: OwnTip['photo'] };

/** The photo of a tip, or why it is not there. */
function OwnTipPhoto({ messages, tip, photo }: OwnTipPhotoProps) {
  if (!photo) return null;
  const { state, renditions } = photo;
  if (state === 'uploading') return <p className="help">{messages.photo.uploading}</p>;
  if (state !== 'ready' || !renditions[0]) return <p className="help">{messages.photo.refused}</p>;
  const { width, height } = renditions[0];
  const path = `/account/tips/${tip}/photo`;
  return (
    <img src={path} alt={messages.photo.alt} width={width} height={height} loading="lazy" decoding="async" />
  );
}

/** Length of a tip's label in characters. */
const LABEL_LENGTH = 40;

/**
 * Tips that changed while the page is open. The empty element exists from the start; otherwise screen readers do not
 * announce its content.
 */
function ChangedTips({ messages, changedTips }: WithMessages & { changedTips: OwnTip[] }) {
  return (
    <div role="status" className="status">
      {changedTips.map(({ id, body, state, used_in: used }) => {
        const name = beginningOfText(body.replace(/\s+/g, ' '), LABEL_LENGTH);
        return (
          <p key={id}>
            {state === 'used' && !used ? messages.newsUnseen(name) : messages.news[state](name)}{' '}
            {used && <a href={updatePath(used.slug, used.number)}>{messages.see}</a>}
          </p>
        );
      })}
    </div>
  );
}

type TipsStatusProps = WithMessages & { status: TipsStatusState; at: string; clock: Clock };

/** Freshness of the list, and why it is not up to date. */
function TipsStatus({ messages, status, at, clock }: TipsStatusProps) {
  return (
    <p className="help">
      {messages[STATUS_MESSAGES[status]]} <Time at={at} clock={clock} />
      {status === 'starting' && (
        <button type="button" className="quiet" data-follow-live={messages.following} hidden>
          {messages.follow}
        </button>
      )}
      {status === 'signed_out' && (
        <>
          {'. '}
          <a href="/sign-in?next=/account" target="_blank" rel="noopener">
            {messages.signIn}
          </a>
        </>
      )}
    </p>
  );
}

const STATUS_MESSAGES = {
  starting: 'asOf',
  current: 'current',
  behind: 'behind',
  signed_out: 'signedOut',
} as const satisfies Record<TipsStatusState, keyof Messages['ownTips']>;
