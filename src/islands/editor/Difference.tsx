import { Fragment, type ReactNode } from 'react';
import type { Body } from '../../lib/domain/body/blocks.ts';
import type { TablePreset } from '../../lib/domain/body/table-presets.ts';
import {
  bodyDifference,
  type DiffSpan,
  type LineDifference,
  textDifference,
} from '../../lib/domain/difference.ts';
import { type Clock, dayAndTime } from '../../lib/domain/time.ts';
import { directionOf, supportedLanguage } from '../../lib/i18n/language.ts';
import { useMessages } from '../desk/messages.tsx';

type Props = {
  before: Body;
  after: Body;
  /** Language of the text (BCP 47). */
  language: string;
  /** Zone of the times in the text. */
  timeZone: string;
  /** Describes a photo. Without it, the photo has no description. */
  photo?: (id: string) => ReactNode;
  /** Omit unchanged lines. */
  brief?: boolean;
  /** Show only one version: the old one with its removed parts, or the new one with its added parts. */
  only?: 'removed' | 'added';
};

/**
 * Differences between two bodies: removed parts are struck through, added parts underlined, both with labels for screen
 * readers.
 */
export function Difference({ before, after, language, timeZone, photo, brief = false, only }: Props) {
  const lines = linesOf(bodyDifference(before, after, language), only);
  const shown = brief ? withGaps(lines) : lines;
  return (
    <div className="difference" lang={language} dir={directionOf(language)}>
      {shown.map((line, index) => (
        <Fragment key={keyOf(index)}>
          {line === GAP ? (
            <Gap />
          ) : (
            <DifferenceLine line={line} language={language} timeZone={timeZone} photo={photo} />
          )}
        </Fragment>
      ))}
    </div>
  );
}

/** Differences between two lines of text, such as headlines. */
export function TextDifference({
  before,
  after,
  language,
  only,
}: {
  before: string;
  after: string;
  language: string;
} & Pick<Props, 'only'>) {
  return <Spans spans={partsOfSide(textDifference(before, after, language), only)} language={language} />;
}

/** The parts of one version: common parts and its own. */
function partsOfSide<Part extends { side: string }>(parts: Part[], only: Props['only']): Part[] {
  return only ? parts.filter(({ side }) => side === only || side === 'same' || side === 'changed') : parts;
}

const linesOf = (lines: LineDifference[], only: Props['only']): LineDifference[] =>
  partsOfSide(lines, only).map((line) => ({ ...line, spans: partsOfSide(line.spans, only) }));

/** Lines have no ids, so their position is the key. */
const keyOf = (index: number) => `${index}`;

/** Stands for omitted lines. */
const GAP = 'gap';

function withGaps(lines: LineDifference[]): (LineDifference | typeof GAP)[] {
  const shown: (LineDifference | typeof GAP)[] = [];
  for (const line of lines) {
    if (line.side !== 'same') shown.push(line);
    else if (shown.at(-1) !== GAP) shown.push(GAP);
  }
  return shown.length === 1 && shown[0] === GAP ? [] : shown;
}

function Gap() {
  const messages = useMessages();
  return (
    <p className="gap">
      <span aria-hidden="true">…</span>
      <span className="visually-hidden" lang={messages.language}>
        {messages.corrections.difference.unchanged}
      </span>
    </p>
  );
}

type LineProps = { line: LineDifference } & Pick<Props, 'language' | 'timeZone' | 'photo'>;

function DifferenceLine({ line: { kind, side, spans }, language, timeZone, photo }: LineProps) {
  const [{ text } = { text: '' }] = spans;
  const messages = useMessages();
  const { difference } = messages.corrections;
  const time = (label: string) => () => <Time label={label} at={text} clock={{ timeZone, language }} />;
  const contents: Partial<Record<LineDifference['kind'], () => ReactNode>> = {
    photo: () => <Photo description={photo?.(text)} />,
    as_of: time(messages.reader.asOf),
    posted: time(difference.posted),
    quoted: time(difference.quoted),
    gone: time(difference.gone),
    preset: () => <Preset preset={text as TablePreset} />,
  };
  const contentOf = contents[kind];
  if (!contentOf) {
    return (
      <p className={kind}>
        <Spans spans={spans} language={language} />
      </p>
    );
  }
  const content = contentOf();
  return (
    <p className={kind}>
      {side === 'added' || side === 'removed' ? (
        <Changed side={side} language={language}>
          {content}
        </Changed>
      ) : (
        content
      )}
    </p>
  );
}

function Photo({ description }: { description: ReactNode }) {
  const messages = useMessages();
  return (
    <>
      <b lang={messages.language}>{messages.corrections.difference.photo}</b> {description}
    </>
  );
}

function Time({ label, at, clock }: { label: string; at: string; clock: Clock }) {
  const messages = useMessages();
  return (
    <>
      <b lang={messages.language}>{label}</b> {dayAndTime(at, clock)}
    </>
  );
}

function Preset({ preset }: { preset: TablePreset }) {
  const messages = useMessages();
  return <span lang={messages.language}>{messages.corrections.difference.presets[preset]}</span>;
}

function Spans({ spans, language }: { spans: DiffSpan[]; language: string }) {
  return spans.map((span, index) => (
    <Fragment key={keyOf(index)}>
      {span.side === 'same' ? (
        <Marked span={span} />
      ) : (
        <Changed side={span.side} language={language}>
          <Marked span={span} />
        </Changed>
      )}
    </Fragment>
  ));
}

type ChangedProps = { side: 'added' | 'removed'; language: string; children: ReactNode };

function Changed({ side, language, children }: ChangedProps) {
  const messages = useMessages();
  const Element = side === 'added' ? 'ins' : 'del';
  // The page may be in another language than the text.
  const lang = supportedLanguage(language) === messages.language ? undefined : messages.language;
  return (
    <Element>
      <span className="visually-hidden" lang={lang}>
        {messages.corrections.difference[side]}{' '}
      </span>
      {children}
      <span className="visually-hidden">{messages.corrections.difference.end}</span>
    </Element>
  );
}

/** A changed text is not linked, because its address may be the error. A changed address is written out. */
function Marked({ span: { text, bold, italic, link, side } }: { span: DiffSpan }) {
  let marked: ReactNode = text;
  if (italic) marked = <em>{marked}</em>;
  if (bold) marked = <strong>{marked}</strong>;
  if (!link) return marked;
  return (
    <>
      <u>{marked}</u>
      {side !== 'same' && <cite dir="ltr"> ({link})</cite>}
    </>
  );
}
