import { Fragment, type ReactNode } from 'react';
import {
  type Block,
  type Body as Blocks,
  displayUrl,
  type Media,
  type Run,
  type Table,
  textOf,
} from '../../lib/domain/body/blocks.ts';
import { PHOTO_WIDTHS, photoPath, type ReaderPhoto, renditionFor } from '../../lib/domain/photos.ts';
import type { ReaderUpdate } from '../../lib/domain/updates.ts';
import type { Messages } from '../../lib/i18n/messages.ts';

/** Renders the player of a video or recording. */
export type DrawPlayer = (url: string, poster: ReactNode) => ReactNode;

type BodyProps = {
  body: Blocks;
  /** Renders the photo with this id. Without it, photos are not shown. */
  photo?: (id: string) => ReactNode;
  /** Renders the player of an address above its text. Without it, a video or recording is a link. */
  player?: DrawPlayer;
};

/** Renders the blocks of a body. No other code turns them into HTML. */
export function BodyBlocks({ body, photo, player }: BodyProps) {
  return body.map((block, index) => {
    const [before, after] = [body[index - 1], body[index + 1]];
    if (block.type === 'photo' && after?.type === 'media') return null;
    const poster = block.type === 'media' && before?.type === 'photo' ? photo?.(before.photo) : undefined;
    return <BlockOf key={keyOf(index)} block={block} photo={photo} player={player} poster={poster} />;
  });
}

/** Blocks, items and runs have no ids, so their position is the key. */
const keyOf = (index: number) => `${index}`;

type BlockProps = Omit<BodyProps, 'body'> & { block: Block; poster?: ReactNode };

function BlockOf({ block, photo, player, poster }: BlockProps) {
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
      return <LinkBlock {...block} description={block.description ? [block.description] : []} />;
    case 'media':
      return <MediaBlock media={block} poster={poster} player={player} />;
    case 'table':
      return <DataTable {...block} />;
    case 'photo':
      return photo?.(block.photo);
  }
}

type LinkProps = { url: string; title: string; description: string[]; site?: string };

function LinkBlock({ url, title, description, site }: LinkProps) {
  return (
    <p className="link-block">
      <a href={url}>{title}</a>
      {description.map((line, index) => (
        <span key={keyOf(index)}>{line}</span>
      ))}
      <cite>{site ?? displayUrl(url)}</cite>
    </p>
  );
}

type MediaProps = { media: Media; poster: ReactNode; player: BodyProps['player'] };

/** A video or recording at another site: its player, if there is one, above its title, description and address. */
function MediaBlock({ media, poster, player }: MediaProps) {
  const { url, title, description = '' } = media;
  return (
    <div className="media">
      {player ? player(url, poster) : poster}
      <LinkBlock
        url={url}
        title={title}
        description={description.split('\n').filter((line) => line.trim())}
      />
    </div>
  );
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

/** Renders the photo of a body with this id, or nothing. */
export type DrawPhoto = (id: string) => ReactNode;

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
