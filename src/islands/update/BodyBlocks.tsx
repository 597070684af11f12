import { Fragment, type ReactNode } from 'react';
import {
  type Block,
  type Body as Blocks,
  displayUrl,
  type Run,
  type Table,
  textOf,
} from '../../lib/domain/body/blocks.ts';
import {
  PHOTO_WIDTHS,
  photoPath,
  photoRows,
  type ReaderPhoto,
  renditionFor,
} from '../../lib/domain/photos.ts';
import type { ReaderUpdate } from '../../lib/domain/updates.ts';
import type { Messages } from '../../lib/i18n/messages.ts';

type BodyProps = {
  body: Blocks;
  /** Without it, photos are not shown. */
  photo?: DrawPhoto;
};

/** Renders a photo of a body, or nothing. `across` is the number of photos in its row. */
export type DrawPhoto = (id: string, across: number) => ReactNode;

/** Renders the blocks of a body. No other code turns them into HTML. */
export function BodyBlocks({ body, photo }: BodyProps) {
  return groupPhotos(body).map((part, index) =>
    Array.isArray(part) ? (
      photo && <PhotoRows key={keyOf(index)} ids={part} photo={photo} />
    ) : (
      <BlockOf key={keyOf(index)} block={part} />
    ),
  );
}

type WordBlock = Exclude<Block, { type: 'photo' }>;

/** Collects the ids of photos that follow each other. */
function groupPhotos(body: Blocks): (WordBlock | string[])[] {
  const parts: (WordBlock | string[])[] = [];
  for (const block of body) {
    const last = parts.at(-1);
    if (block.type !== 'photo') parts.push(block);
    else if (Array.isArray(last)) last.push(block.photo);
    else parts.push([block.photo]);
  }
  return parts;
}

/** Photos that follow each other are side by side on a wide screen. */
function PhotoRows({ ids, photo }: { ids: string[]; photo: DrawPhoto }) {
  const shown = ids.filter((id) => photo(id, 1));
  return photoRows(shown).map((row) => {
    const photos = row.map((id) => <Fragment key={id}>{photo(id, row.length)}</Fragment>);
    return row.length === 1 ? (
      photos
    ) : (
      <div key={row[0]} className="photo-row">
        {photos}
      </div>
    );
  });
}

/** Blocks, items and runs have no ids, so their position is the key. */
const keyOf = (index: number) => `${index}`;

function BlockOf({ block }: { block: WordBlock }) {
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
      return <DataTable {...block} />;
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

/** Scrolls sideways where it is wider than the page, also by keyboard. Without names of columns it has no head. */
function DataTable({ rows: [names = [], ...rows], align, caption, source }: Omit<Table, 'type'>) {
  const isNamed = names.some((runs) => runs.length > 0);
  const classOf = (column: number) => (align?.[column] === 'start' ? undefined : align?.[column]);
  return (
    <figure className="table">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls the area that has the focus */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls */}
      <div role="group" aria-label={caption ?? names.map(textOf).join(', ')} tabIndex={0}>
        <table>
          {caption && <caption>{caption}</caption>}
          {isNamed && (
            <thead>
              <tr>
                {names.map((runs, column) => (
                  <th key={keyOf(column)} scope="col" className={classOf(column)}>
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
                  <td key={keyOf(column)} className={classOf(column)}>
                    <Runs runs={runs} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {source && (
        <figcaption>
          <cite>{source}</cite>
        </figcaption>
      )}
    </figure>
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

/** Renders an update's photos for readers. */
export function photosOf({ photos }: Pick<ReaderUpdate, 'photos'>, messages: Messages['reader']): DrawPhoto {
  return (id, across) => {
    const photo = photos.find((candidate) => candidate.id === id);
    return photo && <PhotoFigure messages={messages} photo={photo} across={across} />;
  };
}

/** Widths for `sizes`: of a part of the column of updates (styles/tokens.css), or of a phone. */
const sizesOf = (across: number) => `(min-width: 36rem) ${Math.round(34 / across)}rem, calc(100vw - 2rem)`;

type PhotoFigureProps = {
  messages: Messages['reader'];
  photo: ReaderPhoto;
  /** Number of photos in its row. */
  across?: number;
  sizes?: string;
};

/** Height of the placeholders of a row. Equal heights make the photos of a row equally high. */
const ROW_HEIGHT = 2_000;

/**
 * A photo of an update. It is a placeholder with size and text, which show-photos.ts replaces on a good connection, to
 * save data on a poor one. Without scripts the image itself is shown.
 */
export function PhotoFigure({ messages, photo, across = 1, sizes = sizesOf(across) }: PhotoFigureProps) {
  const { id, placeholder_colour: colour, alt, caption, credit } = photo;
  const [width, height] =
    across === 1
      ? [photo.width, photo.height]
      : [Math.round((ROW_HEIGHT * photo.width) / photo.height), ROW_HEIGHT];
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
            width={photo.width}
            height={photo.height}
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
