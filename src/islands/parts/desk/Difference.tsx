import { Fragment, type ReactNode } from 'react';
import type { Body } from '../../../lib/body/blocks.ts';
import {
  bodyDifference,
  type LineDifference,
  type Stretch,
  textDifference,
} from '../../../lib/corrections/difference.ts';
import { corrections as messages } from '../../../lib/text/corrections.ts';
import { directionOf } from '../../../lib/text/direction.ts';
import { currentLanguage, spokenLanguage } from '../../../lib/text/language.ts';

type Props = {
  before: Body;
  after: Body;
  /** Of the words: BCP 47. */
  language: string;
  /** Says what a photo shows; without it, it is called a photo. */
  photo?: (id: string) => ReactNode;
  /** Leave out the lines that stayed as they were. */
  brief?: boolean;
  /** Show one version alone: the older one and what went of it, or the newer one and what came. */
  only?: 'removed' | 'added';
};

/** What a body has become: what went is struck, what came is underlined, and both are said. */
export function Difference({ before, after, language, photo, brief = false, only }: Props) {
  const lines = linesOf(bodyDifference(before, after, language), only);
  const shown = brief ? withGaps(lines) : lines;
  return (
    <div className="difference" lang={language} dir={directionOf(language)}>
      {shown.map((line, index) => (
        <Fragment key={keyOf(index)}>
          {line === GAP ? <Gap /> : <DifferenceLine line={line} language={language} photo={photo} />}
        </Fragment>
      ))}
    </div>
  );
}

/** What a line has become, as a headline. */
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
  return (
    <Stretches stretches={partsOfSide(textDifference(before, after, language), only)} language={language} />
  );
}

/** Of one version: what is in both, and what is in it alone. */
function partsOfSide<Part extends { side: string }>(parts: Part[], only: Props['only']): Part[] {
  return only ? parts.filter(({ side }) => side === only || side === 'same' || side === 'changed') : parts;
}

const linesOf = (lines: LineDifference[], only: Props['only']): LineDifference[] =>
  partsOfSide(lines, only).map((line) => ({ ...line, stretches: partsOfSide(line.stretches, only) }));

/** Lines have no names of their own: they are where they are. */
const keyOf = (index: number) => `${index}`;

/** Stands for lines that stayed as they were. */
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
  return (
    <p className="gap">
      <span aria-hidden="true">…</span>
      <span className="visually-hidden" lang={currentLanguage()}>
        {messages.difference.unchanged}
      </span>
    </p>
  );
}

type LineProps = { line: LineDifference; language: string } & Pick<Props, 'photo'>;

function DifferenceLine({ line: { kind, side, stretches }, language, photo }: LineProps) {
  if (kind !== 'photo') {
    return (
      <p className={kind}>
        <Stretches stretches={stretches} language={language} />
      </p>
    );
  }
  const content = <Photo description={photo?.(stretches[0]?.text ?? '')} />;
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
  return (
    <>
      <b lang={currentLanguage()}>{messages.difference.photo}</b> {description}
    </>
  );
}

function Stretches({ stretches, language }: { stretches: Stretch[]; language: string }) {
  return stretches.map((stretch, index) => (
    <Fragment key={keyOf(index)}>
      {stretch.side === 'same' ? (
        <Marked stretch={stretch} />
      ) : (
        <Changed side={stretch.side} language={language}>
          <Marked stretch={stretch} />
        </Changed>
      )}
    </Fragment>
  ));
}

type ChangedProps = { side: 'added' | 'removed'; language: string; children: ReactNode };

function Changed({ side, language, children }: ChangedProps) {
  const Element = side === 'added' ? 'ins' : 'del';
  // The page may speak another language than the words.
  const lang = spokenLanguage(language) === currentLanguage() ? undefined : currentLanguage();
  return (
    <Element>
      <span className="visually-hidden" lang={lang}>
        {messages.difference[side]}{' '}
      </span>
      {children}
      <span className="visually-hidden">{messages.difference.end}</span>
    </Element>
  );
}

/** Nothing is a link here: an address may be what was wrong. Where it changed, it is written out. */
function Marked({ stretch: { text, bold, italic, link, side } }: { stretch: Stretch }) {
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
