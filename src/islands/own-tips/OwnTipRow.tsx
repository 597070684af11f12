import { livePath, updatePath } from '../../lib/domain/coverages.ts';
import { type Clock, machineTime, timeBeside } from '../../lib/domain/time.ts';
import type { OwnTip } from '../../lib/domain/tips.ts';
import { ownTips as messages } from '../../lib/i18n/own-tips.ts';
import { Time } from '../update/UpdateArticle.tsx';
import type { Standing } from './own-tips.ts';

/** A longer text is shown by its beginning: so many characters, to the end of a word. */
const SHOWN = 240;

/** The beginning of a text, in at most so many characters, on one line; a text that fits as it is. */
export function beginningOf(text: string, most = SHOWN): string {
  const characters = [...text];
  if (characters.length <= most) return text;
  const cut = characters.slice(0, most - 1).join('');
  const end = cut.search(/\s\S*$/);
  return `${(end > most / 2 ? cut.slice(0, end) : cut).trimEnd()}…`;
}

type TipRowProps = { tip: OwnTip; madeAt: string; clock: Clock; isNews: boolean };

/** What somebody told the newsroom, and what became of it. */
export function TipRow({
  tip: { body, state, created_at, coverage, used },
  madeAt,
  clock,
  isNews,
}: TipRowProps) {
  const beginning = beginningOf(body);
  return (
    <li className={isNews ? 'news' : undefined}>
      <p className="help">
        {messages.sent}{' '}
        <time dateTime={machineTime(created_at)}>{timeBeside(created_at, madeAt, clock)}</time>
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
      <p className="became">
        <b>{state === 'used' && !used ? messages.unseen : messages.states[state]}</b>{' '}
        {used && <a href={updatePath(used.slug, used.number)}>{messages.see}</a>}
      </p>
    </li>
  );
}

/** A tip is named by so much of it. */
const NAME = 40;

/** What has become of tips while the page was open. It stands there from the beginning: only so is it read out. */
export function TipNews({ news }: { news: OwnTip[] }) {
  return (
    <div role="status" className="status">
      {news.map(({ id, body, state, used }) => {
        const name = beginningOf(body.replace(/\s+/g, ' '), NAME);
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

type TipsStandingProps = { standing: Standing; at: string; clock: Clock };

/** How fresh the list is, and what keeps it from being so. */
export function TipsStanding({ standing, at, clock }: TipsStandingProps) {
  return (
    <p className="help">
      {SAID[standing]()} <Time at={at} clock={clock} />
      {standing === 'starting' && (
        <button type="button" className="quiet" data-follow-live={messages.following} hidden>
          {messages.follow}
        </button>
      )}
      {standing === 'signed_out' && (
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

const SAID: Record<Standing, () => string> = {
  starting: () => messages.asOf,
  current: () => messages.current,
  behind: () => messages.behind,
  signed_out: () => messages.signedOut,
};
