import { type ComponentProps, Fragment, type ReactNode } from 'react';
import {
  type Block,
  type Body as Blocks,
  displayUrl,
  type Run,
  type Table,
  textOf,
} from '../../lib/domain/body/blocks.ts';
import { shareOf, stateOf } from '../../lib/domain/body/table-presets.ts';
import { PHOTO_WIDTHS, photoPath, type ReaderPhoto, renditionFor } from '../../lib/domain/photos.ts';
import { type Clock, dayAndTime, shortTime } from '../../lib/domain/time.ts';
import type { ReaderUpdate } from '../../lib/domain/updates.ts';
import type { Messages } from '../../lib/i18n/messages.ts';

type BodyProps = {
  body: Blocks;
  /** Renders the photo with this id. Without it, photos are not shown. */
  photo?: DrawPhoto;
  /** Renders the time of a table's data. Without it, these times are not shown. */
  asOf?: DrawTime;
  /** Set to the direction of the text where no styles of ours apply, as in feeds. */
  plain?: 'ltr' | 'rtl';
};

/** Renders the photo of a body with this id, or nothing. */
export type DrawPhoto = (id: string) => ReactNode;

/** Renders a time. */
type DrawTime = (at: string) => ReactNode;

/** Renders the blocks of a body. No other code turns them into HTML. */
export function BodyBlocks({ body, ...props }: BodyProps) {
  return body.map((block, index) => <BlockOf key={keyOf(index)} block={block} {...props} />);
}

/** Blocks, items and runs have no ids, so their position is the key. */
const keyOf = (index: number) => `${index}`;

function BlockOf({ block, photo, asOf, plain }: { block: Block } & Omit<BodyProps, 'body'>) {
  switch (block.type) {
    case 'paragraph':
      return (
        <p>
          <Runs runs={block.runs} />
        </p>
      );
    case 'list': {
      const List = block.ordered ? 'ol' : 'ul';
      return (
        <List>
          {block.items.map((runs, index) => (
            <li key={keyOf(index)}>
              <Runs runs={runs} />
            </li>
          ))}
        </List>
      );
    }
    case 'quote':
      return <Quote text={block.text} attribution={block.attribution} />;
    case 'link':
      return (
        <p className="link-block">
          <a href={block.url}>{block.title}</a>
          {block.description && <span>{block.description}</span>}
          <cite>{block.site ?? displayUrl(block.url)}</cite>
        </p>
      );
    case 'table':
      return plain ? (
        <PlainTable table={block} asOf={asOf} direction={plain} />
      ) : (
        <DataTable table={block} asOf={asOf} />
      );
    case 'photo':
      return photo?.(block.photo);
  }
}

function Quote({ text, attribution }: { text: string; attribution?: string }) {
  const lines = text.split('\n').filter((line) => line.trim());
  return (
    <blockquote>
      {lines.map((line, index) => (
        <p key={keyOf(index)}>{line}</p>
      ))}
      {attribution && (
        <footer>
          <cite>{attribution}</cite>
        </footer>
      )}
    </blockquote>
  );
}

type TableProps = { table: Table; asOf: DrawTime | undefined };

/** Scrolls sideways where it is wider than the page, also by keyboard. */
function DataTable({ table, asOf }: TableProps) {
  const { rows, align, caption, preset } = table;
  const classOf = (column: number) => (align?.[column] === 'start' ? undefined : align?.[column]);
  return (
    <figure className={preset === 'score' ? 'table score' : 'table'}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls the area that has the focus */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls */}
      <div role="group" aria-label={caption ?? rows[0]?.map(textOf).join(', ')} tabIndex={0}>
        <Rows
          table={table}
          name={(column) => ({ className: classOf(column) })}
          cell={(column, runs) => cellOf(preset, column, runs, classOf(column))}
        />
      </div>
      <TableNote table={table} asOf={asOf} />
    </figure>
  );
}

/** Aligns with the attribute, because feed readers remove classes and styles. */
function PlainTable({ table, asOf, direction }: TableProps & { direction: 'ltr' | 'rtl' }) {
  const sides = { start: undefined, center: 'center', end: direction === 'rtl' ? 'left' : 'right' } as const;
  const alignOf = (column: number) => ({ align: sides[table.align?.[column] ?? 'start'] });
  return (
    <figure>
      <Rows
        table={table}
        name={alignOf}
        cell={(column, runs) => ({ ...alignOf(column), children: <Runs runs={runs} /> })}
      />
      <TableNote table={table} asOf={asOf} />
    </figure>
  );
}

type RowsProps = {
  table: Table;
  /** Returns the properties of the name of a column. */
  name(column: number): ComponentProps<'th'>;
  /** Returns the properties of a cell. */
  cell(column: number, runs: Run[]): ComponentProps<'td'>;
};

/** Without names of columns the table has no head. */
function Rows({
  table: {
    rows: [names = [], ...rows],
    caption,
  },
  name,
  cell,
}: RowsProps) {
  const isNamed = names.some((runs) => runs.length > 0);
  return (
    <table>
      {caption && <caption>{caption}</caption>}
      {isNamed && (
        <thead>
          <tr>
            {names.map((runs, column) => (
              <th key={keyOf(column)} scope="col" {...name(column)}>
                <Runs runs={runs} />
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((cells, row) => (
          <tr key={keyOf(row)}>
            {cells.map((runs, column) => (
              <td key={keyOf(column)} {...cell(column, runs)} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/**
 * Returns the properties of a cell in the form of its preset: a share has a bar, the word of a closed place stands out. The
 * first cell of a row names it.
 */
function cellOf(
  preset: Table['preset'],
  column: number,
  runs: Run[],
  className?: string,
): ComponentProps<'td'> {
  const words = <Runs runs={runs} />;
  const share = preset === 'results' && column > 0 ? shareOf(textOf(runs)) : undefined;
  if (share !== undefined) {
    return {
      className: className ? `percent ${className}` : 'percent',
      children: (
        <>
          {words}
          <svg width={`${share}%`} height="0" aria-hidden="true" />
        </>
      ),
    };
  }
  const isOfPlaces = preset === 'closures' || preset === 'shelters';
  const state = isOfPlaces && column > 0 ? stateOf(textOf(runs)) : undefined;
  return { className, children: state ? <b className={state}>{words}</b> : words };
}

/** Source and time of the data. */
function TableNote({ table: { source, as_of }, asOf }: TableProps) {
  const time = as_of && asOf?.(as_of);
  if (!source && !time) return null;
  return (
    <figcaption>
      {source && <cite>{source}</cite>}
      {source && time && ' · '}
      {time}
    </figcaption>
  );
}

function Runs({ runs }: { runs: Run[] }) {
  return runs.map((run, index) => <Fragment key={keyOf(index)}>{styled(run)}</Fragment>);
}

function styled({ text, bold, italic, link }: Run): ReactNode {
  let words: ReactNode = text;
  if (italic) words = <em>{words}</em>;
  if (bold) words = <strong>{words}</strong>;
  return link ? <a href={link}>{words}</a> : words;
}

type PhotoCaptionProps = { messages: Messages['reader']; caption: string | null; credit: string | null };

/** Caption and credit of a photo. */
export function PhotoCaption({ messages, caption, credit }: PhotoCaptionProps) {
  if (!caption && !credit) return null;
  return (
    <figcaption>
      {caption} {credit && <cite>{messages.photoBy(credit)}</cite>}
    </figcaption>
  );
}

/**
 * Renders times of data.
 * @param reference a time beside them. Without it they have their date.
 */
export function timesOf(messages: Messages['reader'], clock: Clock, reference?: string): DrawTime {
  return (at) => (
    <>
      {messages.asOf}{' '}
      <time dateTime={at}>{reference ? shortTime(at, reference, clock) : dayAndTime(at, clock)}</time>
    </>
  );
}

/** Renders an update's photos for readers. */
export function photosOf({ photos }: Pick<ReaderUpdate, 'photos'>, messages: Messages['reader']): DrawPhoto {
  return (id) => {
    const photo = photos.find((candidate) => candidate.id === id);
    return photo && <PhotoFigure messages={messages} photo={photo} />;
  };
}

/** Widths for `sizes`: of the column of updates (styles/tokens.css), or of a phone. */
const SIZES = '(min-width: 36rem) 34rem, calc(100vw - 2rem)';

type PhotoFigureProps = { messages: Messages['reader']; photo: ReaderPhoto; sizes?: string };

/**
 * A photo of an update. It is a placeholder with size and text, which show-photos.ts replaces on a good connection, to
 * save data on a poor one. Without scripts the image itself is shown.
 */
export function PhotoFigure({ messages, photo, sizes = SIZES }: PhotoFigureProps) {
  const { id, width, height, placeholder_colour: colour, alt, caption, credit } = photo;
  const [smallest] = PHOTO_WIDTHS;
  const bytes = renditionFor(photo.renditions, smallest)?.bytes ?? 0;
  return (
    <figure className="photo">
      <div className="frame">
        <svg
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="xMinYMid"
          aria-hidden="true"
        >
          <path fill={colour} d={`M0 0h${width}v${height}H0z`} />
        </svg>
        <div className="place" data-photo={id}>
          <a href={photoPath(id, smallest)}>{messages.showPhoto(bytes)}</a>
          <p>{alt}</p>
        </div>
        <noscript>
          <img
            src={photoPath(id, smallest)}
            {...sourcesOf(photo, sizes)}
            width={width}
            height={height}
            alt={alt}
            loading="lazy"
            decoding="async"
          />
        </noscript>
      </div>
      <PhotoCaption messages={messages} caption={caption} credit={credit} />
    </figure>
  );
}

/** Image sources by width; none for a photo with a single rendition. */
function sourcesOf({ id, renditions }: ReaderPhoto, sizes: string): { srcSet?: string; sizes?: string } {
  const sources = PHOTO_WIDTHS.flatMap((width, index) => {
    const print = renditionFor(renditions, width);
    const isNew = print && print.width > (PHOTO_WIDTHS[index - 1] ?? 0);
    return isNew ? [`${photoPath(id, width)} ${print.width}w`] : [];
  });
  return sources.length > 1 ? { srcSet: sources.join(', '), sizes } : {};
}
