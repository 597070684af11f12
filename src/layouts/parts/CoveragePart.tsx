import { Fragment, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { siteUrl } from '../../lib/data/environment.ts';
import type { Site } from '../../lib/data/site.ts';
import { DEFAULT_ACCENT, isColour } from '../../lib/domain/colours.ts';
import { livePath, updateInListPath, updatePath } from '../../lib/domain/coverages.ts';
import { clockOf, hasEnded, publicStatus, type ReaderCoverage } from '../../lib/domain/reader-coverage.ts';
import {
  clockTime,
  dayKey,
  dayName,
  fullTime,
  machineTime,
  shortDay,
  shortTime,
  zoneName,
} from '../../lib/domain/time.ts';
import type { KeyEvent, ReaderUpdate } from '../../lib/domain/updates.ts';
import { directionOf, messagesLang } from '../../lib/i18n/language.ts';
import type { Messages } from '../../lib/i18n/messages.ts';
import type { DrawPart, PartProps } from '../../lib/publishing/embeds.ts';
import { coverageOgImageLink } from '../../lib/publishing/og-image.ts';
import { jsonLd, liveBlogPosting } from '../../lib/publishing/structured-data.ts';
import { FeedContent, PlainBlocks } from './FeedContent.tsx';

/**
 * Renders a coverage for the pages of another site: styles for its own elements, plain HTML with absolute addresses,
 * and structured data if it shows updates.
 */
export const drawPart: DrawPart = (props) => {
  const { messages, coverage, site, request, content } = props;
  const html = `<style>${partStyles(site)}</style>${renderToStaticMarkup(<CoveragePart {...props} />)}`;
  // Structured data describes what the part shows, so the other layouts have none.
  if (request.layout !== 'full') return html;
  const card = coverageOgImageLink(messages, coverage, site, content.photo);
  return `${html}<script type="application/ld+json">${jsonLd([liveBlogPosting(coverage, content.updates, site, card)])}</script>`;
};

function CoveragePart({ messages, coverage, site, request: { layout, heading }, content }: PartProps) {
  const { slug, headline, standfirst, language, state, seq } = coverage;
  const live = siteUrl(livePath(slug));
  const root = {
    className: 'stoppress',
    lang: language,
    dir: directionOf(language),
    'data-layout': layout,
    'data-status': publicStatus(state),
    'data-seq': seq,
  };
  // If the coverage's language is not supported, the words around it are in the site's language.
  const lang = messagesLang(language, messages.language);
  const newest = content.updates[0] ?? content.lines[0] ?? content.keyEvents[0];
  const shown = { messages, coverage };
  if (layout === 'strip') {
    const event = content.urgent ?? content.lines[0];
    return (
      <div {...root}>
        <p className={content.urgent ? 'stoppress-urgent' : 'stoppress-strip'}>
          <b lang={lang} className={content.urgent ? undefined : `stoppress-${state}`}>
            {content.urgent ? messages.reader.urgency.urgent : messages.states[state]}
          </b>{' '}
          {event ? <Line {...shown} event={event} /> : <a href={live}>{headline}</a>}
        </p>
      </div>
    );
  }
  return (
    <div {...root}>
      <Heading level={heading} className="stoppress-title">
        <a href={live}>{headline}</a>
      </Heading>
      <StateLine {...shown} lang={lang} at={newest?.published_at ?? coverage.published_at} />
      {content.urgent && (
        <p className="stoppress-urgent">
          <b lang={lang}>{messages.reader.urgency.urgent}</b> <Line {...shown} event={content.urgent} />
        </p>
      )}
      {layout !== 'newest' && standfirst && <p>{standfirst}</p>}
      {layout !== 'newest' && <Summary {...shown} level={heading + 1} lang={lang} />}
      {content.keyEvents.length > 0 && (
        <Heading level={heading + 1} lang={lang}>
          {messages.reader.keyEvents}
        </Heading>
      )}
      <Lines {...shown} events={[...content.keyEvents, ...content.lines]} />
      <Updates {...shown} updates={content.updates} level={heading + 1} lang={lang} />
      {!newest && layout !== 'summary' && !hasEnded(state) && <p lang={lang}>{messages.reader.noUpdates}</p>}
      <p lang={lang} className="stoppress-more">
        <a href={live}>{messages.embed.all(site.name)}</a>
      </p>
    </div>
  );
}

type HeadingProps = { level: number; className?: string; lang?: string; children: ReactNode };

function Heading({ level, ...attributes }: HeadingProps) {
  const Tag = `h${level}` as 'h2' | 'h3' | 'h4' | 'h5';
  return <Tag {...attributes} />;
}

/** The coverage, and the messages around it. */
type Shown = { messages: Messages; coverage: ReaderCoverage };
/** `lang`: language of the messages, if it is not the coverage's. `level`: of the headings. */
type Words = Shown & { lang: string | undefined; level: number };

/** The state, and the time zone of all times. @param at a time of the part */
function StateLine({ messages, coverage, lang, at }: Omit<Words, 'level'> & { at: string | null }) {
  const { state, starts_at, ended_at } = coverage;
  const clock = clockOf(coverage);
  const when = state === 'scheduled' ? starts_at : hasEnded(state) ? ended_at : null;
  return (
    <p lang={lang} className="stoppress-state">
      <b className={`stoppress-${state}`}>{messages.states[state]}</b>{' '}
      {when ? (
        <>
          {state === 'scheduled' && messages.reader.status.starts}{' '}
          <time dateTime={machineTime(when)}>{fullTime(when, clock)}</time>
        </>
      ) : (
        at && messages.reader.timesIn(zoneName(at, clock))
      )}
    </p>
  );
}

/** Time and first words of an update, with a link to its place on the live page. */
function Line({ messages, coverage, event }: Shown & { event: KeyEvent }) {
  const { number, line, published_at } = event;
  const clock = clockOf(coverage);
  return (
    <>
      <time dateTime={machineTime(published_at)}>
        {shortDay(published_at, clock, new Date())}, {clockTime(published_at, clock)}
      </time>{' '}
      <a href={siteUrl(updateInListPath(coverage.slug, number, coverage.update_count))}>
        {line || messages.reader.update(number)}
      </a>
    </>
  );
}

function Lines({ events, ...shown }: Shown & { events: KeyEvent[] }) {
  if (events.length === 0) return null;
  return (
    <ul className="stoppress-lines">
      {events.map((event) => (
        <li key={event.number}>
          <Line {...shown} event={event} />
        </li>
      ))}
    </ul>
  );
}

function Summary({ messages, coverage, level, lang }: Words) {
  const { summary, summary_at, state } = coverage;
  if (summary.length === 0) return null;
  const clock = clockOf(coverage);
  return (
    <>
      <Heading level={level} lang={lang}>
        {hasEnded(state) ? messages.reader.summaryEnded : messages.reader.summary}
      </Heading>
      {summary_at && (
        <p className="stoppress-when">
          <time dateTime={machineTime(summary_at)}>
            {shortDay(summary_at, clock, new Date())}, {clockTime(summary_at, clock)}
          </time>
        </p>
      )}
      <PlainBlocks
        messages={messages}
        body={summary}
        photos={[]}
        reference={summary_at}
        coverage={coverage}
        at={siteUrl}
      />
    </>
  );
}

/** Updates in the given order, each day under its name. */
function Updates({ updates, ...words }: Words & { updates: ReaderUpdate[] }) {
  const clock = clockOf(words.coverage);
  const dayOf = (update?: ReaderUpdate) => update && dayKey(update.published_at, clock);
  return updates.map((update, index) => (
    <Fragment key={update.id}>
      {dayOf(update) !== dayOf(updates[index - 1]) && (
        <p className="stoppress-day">
          <time dateTime={dayOf(update)}>{dayName(update.published_at, clock)}</time>
        </p>
      )}
      <article className="stoppress-update" data-number={update.number} data-seq={update.seq}>
        <UpdateOf {...words} update={update} />
      </article>
    </Fragment>
  ));
}

function UpdateOf({ messages, coverage, level, lang, update }: Words & { update: ReaderUpdate }) {
  const { reader } = messages;
  const { number, state, published_at, withdrawn_at, withdrawn_reason, urgency, key_event, headline } =
    update;
  const clock = clockOf(coverage);
  const labels = [reader.urgency[urgency], key_event && reader.keyEvent].filter(Boolean).join(' · ');
  const when = (
    <p className="stoppress-when">
      <a href={siteUrl(updatePath(coverage.slug, number))}>
        <time dateTime={machineTime(published_at)}>{clockTime(published_at, clock)}</time>
      </a>
      {state === 'published' && labels && (
        <>
          {' '}
          <b lang={lang}>{labels}</b>
        </>
      )}
    </p>
  );
  if (state === 'withdrawn') {
    return (
      <>
        {when}
        <p lang={lang}>
          <s>{reader.update(number)}</s> {reader.withdrawn}{' '}
          {withdrawn_at && (
            <time dateTime={machineTime(withdrawn_at)}>{shortTime(withdrawn_at, published_at, clock)}</time>
          )}
        </p>
        <p>{withdrawn_reason}</p>
      </>
    );
  }
  return (
    <>
      {when}
      {headline && <Heading level={level}>{headline}</Heading>}
      <FeedContent messages={messages} entry={{ update, coverage, at: published_at }} at={siteUrl} />
      <Byline messages={messages} coverage={coverage} lang={lang} update={update} />
    </>
  );
}

function Byline({ messages, coverage, lang, update }: Omit<Words, 'level'> & { update: ReaderUpdate }) {
  const { bylines, notes, revised_at, published_at } = update;
  const { by, people, revised } = messages.reader;
  const names = people(bylines.map(({ display_name }) => display_name)).map(({ value }) => value);
  const parts = [
    names.length > 0 && `${by} ${names.join('')}`,
    // Notes have their own times.
    revised_at && notes.length === 0 && revised(shortTime(revised_at, published_at, clockOf(coverage))),
  ].filter(Boolean);
  return (
    parts.length > 0 && (
      <p lang={lang} className="stoppress-by">
        {parts.join(' · ')}
      </p>
    )
  );
}

/*
 * Styles of a coverage on the pages of another site. They are sent as they stand here, because the build would rewrite
 * `light-dark()` for older browsers. Type and colours are those of that site, which sets the custom properties
 * `--stoppress-…` (docs/embedding.md).
 */

/** Every selector begins with `.stoppress`, so that the rules change nothing else on the page. */
const RULES: readonly (readonly [selector: string, declarations: string])[] = [
  [
    '.stoppress',
    '--own-muted:var(--stoppress-muted,color-mix(in srgb,currentcolor 72%,transparent));' +
      '--own-rule:var(--stoppress-rule,color-mix(in srgb,currentcolor 22%,transparent));' +
      '--own-gap:var(--stoppress-gap,1.2em);overflow-wrap:break-word',
  ],
  ['.stoppress .stoppress-title a', 'color:inherit;text-decoration:none'],
  ['.stoppress .stoppress-title a:hover', 'text-decoration:underline'],
  ['.stoppress .stoppress-live', 'color:var(--own-accent)'],
  [
    '.stoppress .stoppress-urgent',
    'padding-inline-start:.7em;border-inline-start:.25em solid var(--own-accent)',
  ],
  ['.stoppress .stoppress-urgent b', 'color:var(--own-accent)'],
  ['.stoppress time', 'font-variant-numeric:tabular-nums'],
  [
    '.stoppress .stoppress-state,.stoppress .stoppress-when,.stoppress .stoppress-by,.stoppress .stoppress-day,.stoppress figcaption',
    'color:var(--own-muted);font-size:.875em',
  ],
  ['.stoppress .stoppress-when', 'margin-block:.3em'],
  ['.stoppress .stoppress-when a', 'color:inherit'],
  ['.stoppress .stoppress-lines time', 'color:var(--own-muted)'],
  ['.stoppress .stoppress-day', 'margin-block:var(--own-gap) 0;font-weight:600'],
  [
    '.stoppress .stoppress-update',
    'margin-block:var(--own-gap);padding-block-start:calc(var(--own-gap)/2);border-block-start:1px solid var(--own-rule)',
  ],
  ['.stoppress figure', 'margin-inline:0;overflow-x:auto'],
  ['.stoppress img', 'display:block;max-inline-size:100%;block-size:auto'],
  ['.stoppress table', 'border-collapse:collapse'],
  [
    '.stoppress th,.stoppress td',
    'padding:.2em .6em .2em 0;border-block-end:1px solid var(--own-rule);vertical-align:top',
  ],
];

/** Returns the styles with the accents of the site. The `color-scheme` of the other site decides which one applies. */
export function partStyles({ accent, accent_dark }: Pick<Site, 'accent' | 'accent_dark'>): string {
  const light = isColour(accent) ? accent : DEFAULT_ACCENT.light;
  const dark = isColour(accent_dark) ? accent_dark : DEFAULT_ACCENT.dark;
  const accents = `--own-accent:var(--stoppress-accent,light-dark(${light},${dark}))`;
  const rules: typeof RULES = [['.stoppress', accents], ...RULES];
  return rules.map(([selector, declarations]) => `${selector}{${declarations}}`).join('');
}
