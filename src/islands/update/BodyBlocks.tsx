import { Fragment, type ReactNode } from 'react';
import {
  type Block,
  type Body as Blocks,
  displayUrl,
  type Media,
  type Place,
  type Post,
} from '../../lib/domain/body/blocks.ts';
import { geoUri, MAP_SIZE, openStreetMapUrl } from '../../lib/domain/body/places.ts';
import { deskMediaPath, mediaFileOf } from '../../lib/domain/media-files.ts';
import {
  PHOTO_WIDTHS,
  photoPath,
  photoRows,
  type ReaderPhoto,
  renditionFor,
} from '../../lib/domain/photos.ts';
import { machineTime } from '../../lib/domain/time.ts';
import type { ReaderUpdate } from '../../lib/domain/updates.ts';
import type { Messages } from '../../lib/i18n/messages.ts';
import { DataTable, keyOf, PlainTable, Runs } from './DataTable.tsx';

/** Renders the player of a video or recording. */
export type DrawPlayer = (url: string, poster: ReactNode) => ReactNode;

type BodyProps = {
  /** Messages for readers, in the language of the page. */
  messages: Messages['reader'];
  /** Writes a time of a post or of a table's data. Default: in UTC, as machines read it. */
  formatTime?: (at: string) => string;
  body: Blocks;
  /** Without it, photos are not shown. */
  photo?: DrawPhoto;
  /** Returns the path of the drawn picture of a map. Without it, maps have none. */
  mapPicture?: MapPicture;
  /** Renders the player of an address above its text. Without it, a video or recording is a link. */
  player?: DrawPlayer;
  /** Whether staff read it, who may open files that are not published. */
  atDesk?: boolean;
  /** Set to the direction of the text where no styles of ours apply, as in feeds. */
  plain?: 'ltr' | 'rtl';
};

export type MapPicture = (place: Place) => string | undefined;

/** Renders a photo of a body, or nothing. `across` is the number of photos in its row. */
export type DrawPhoto = (id: string, across: number) => ReactNode;

/** Renders the blocks of a body. Feeds write links, media and maps on their own (layouts/parts/FeedContent.tsx). */
export function BodyBlocks({ body, ...context }: BodyProps) {
  const { photo } = context;
  return groupPhotos(body).map((part, index, parts) => {
    const [before, after] = [parts[index - 1], parts[index + 1]];
    if (Array.isArray(part)) {
      const hasPoster = after && !Array.isArray(after) && after.type === 'media';
      return (
        photo && <PhotoRows key={keyOf(index)} ids={hasPoster ? part.slice(0, -1) : part} photo={photo} />
      );
    }
    // The photo above a video or recording is its poster.
    const poster = part.type === 'media' && Array.isArray(before) && photo?.(before.at(-1) ?? '', 1);
    // The photo below a map is its picture.
    const mapPicture = Array.isArray(after) ? undefined : context.mapPicture;
    return (
      <BlockOf
        key={keyOf(index)}
        block={part}
        {...context}
        mapPicture={mapPicture}
        poster={poster || undefined}
      />
    );
  });
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

type BlockProps = Omit<BodyProps, 'body'> & { block: WordBlock; poster?: ReactNode };

function BlockOf({ block, messages, formatTime, mapPicture, player, poster, plain, atDesk }: BlockProps) {
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
      return <MediaBlock messages={messages} media={block} poster={poster} player={player} atDesk={atDesk} />;
    case 'table':
      return plain ? (
        <PlainTable messages={messages} formatTime={formatTime} table={block} direction={plain} />
      ) : (
        <DataTable messages={messages} formatTime={formatTime} table={block} />
      );
    case 'map': {
      const picture = mapPicture?.(block);
      return (
        <>
          <PlaceLinks messages={messages} {...block} />
          {picture && <MapFigure messages={messages} name={block.name} src={picture} />}
        </>
      );
    }
    case 'post':
      return <QuotedPost messages={messages} post={block} formatTime={formatTime} />;
  }
}

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim());

type LinkProps = { url: string; title: string; description: string[]; site?: string | undefined };

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

type MediaProps = Pick<BodyProps, 'messages'> & {
  media: Media;
  poster: ReactNode;
  player: BodyProps['player'];
  atDesk: boolean | undefined;
};

/**
 * A video or recording: its player, if there is one, above its title and description, and its address or what kind of
 * file it is.
 */
function MediaBlock({ messages, media, poster, player, atDesk }: MediaProps) {
  const { url, title, description = '' } = media;
  const file = mediaFileOf(url);
  return (
    <div className="media">
      {player ? player(url, poster) : poster}
      <LinkBlock
        url={file && atDesk ? deskMediaPath(url) : url}
        title={title}
        description={linesOf(description)}
        site={file && messages.player.file(file)}
      />
    </div>
  );
}

function Quote({ text, attribution }: { text: string; attribution?: string }) {
  return (
    <blockquote>
      {linesOf(text).map((line, index) => (
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

type QuotedPostProps = Pick<BodyProps, 'messages' | 'formatTime'> & { post: Post };

/** A post of a social network. Its text and names have writing directions of their own. */
function QuotedPost({ messages, post, formatTime = machineTime }: QuotedPostProps) {
  const { url, author, handle, network, text, posted_at, quoted_at, gone_at } = post;
  const time = (at: string) => <time dateTime={at}>{formatTime(at)}</time>;
  return (
    <blockquote>
      {linesOf(text).map((line, index) => (
        <p key={keyOf(index)} dir="auto">
          {line}
        </p>
      ))}
      <footer>
        <cite>
          <bdi>{author}</bdi> {handle && <bdi>{handle}</bdi>}
        </cite>
        {' · '}
        <a href={url}>{messages.post.link(network ?? displayUrl(new URL(url).origin))}</a>
        {posted_at && <>, {time(posted_at)}</>}
        {', '}
        {messages.post.quoted} {time(quoted_at)}
        {gone_at && (
          <>
            {'. '}
            <b>
              {messages.post.gone} {time(gone_at)}
            </b>
          </>
        )}
      </footer>
    </blockquote>
  );
}

/**
 * A place with its coordinates in words. The first link shows it on OpenStreetMap, the second in a program of the
 * device.
 */
function PlaceLinks({ messages, name, ...coordinates }: Place & Pick<BodyProps, 'messages'>) {
  return (
    <p className="link-block">
      <a href={openStreetMapUrl(coordinates)}>{name}</a>
      <span>
        {/* In a right-to-left page the number would change places with its word. */}
        <bdi>{messages.coordinates(coordinates.latitude, coordinates.longitude)}</bdi>
      </span>
      <cite>
        OpenStreetMap · <a href={geoUri(coordinates)}>{messages.mapApp}</a>
      </cite>
    </p>
  );
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

type FrameProps = {
  /** Identifies the picture in the page. */
  id: string;
  src: string;
  width: number;
  height: number;
  /** Colour of the placeholder. */
  colour: string;
  alt: string;
  /** Text of the link that shows the picture. */
  show: string;
  /** Attributes of the image. Its size may differ from the placeholder's. */
  sources: { srcSet?: string; sizes?: string; width: number; height: number };
};

/**
 * A picture. It is a placeholder with size and text, which live-feed/photos.ts replaces on a good connection, to save
 * data on a poor one. Without scripts the image itself is shown.
 */
function Frame({ id, src, width, height, colour, alt, show, sources }: FrameProps) {
  return (
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
        <a href={src}>{show}</a>
        <p>{alt}</p>
      </div>
      <noscript>
        <img src={src} {...sources} alt={alt} loading="lazy" decoding="async" />
      </noscript>
    </div>
  );
}

/** A photo of an update. */
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
      <Frame
        id={id}
        src={photoPath(id, smallest)}
        width={width}
        height={height}
        colour={colour}
        alt={alt}
        show={messages.showPhoto(bytes)}
        sources={{ ...sourcesOf(photo, sizes), width: photo.width, height: photo.height }}
      />
      <PhotoCaption messages={messages} caption={caption} credit={credit} />
    </figure>
  );
}

type MapFigureProps = { messages: Messages['reader']; name: string; src: string };

/** A map that our server draws. */
function MapFigure({ messages, name, src }: MapFigureProps) {
  return (
    <figure className="photo">
      <Frame
        id={src}
        src={src}
        {...MAP_SIZE}
        colour="#b9b09f"
        alt={messages.mapOf(name)}
        show={messages.showMap}
        sources={MAP_SIZE}
      />
      <figcaption>
        © <a href="https://www.openstreetmap.org/copyright">OpenStreetMap</a>
      </figcaption>
    </figure>
  );
}

/** Image sources by width; none for a photo with a single rendition. */
function sourcesOf({ id, renditions }: ReaderPhoto, sizes: string): { srcSet?: string; sizes?: string } {
  const sources = PHOTO_WIDTHS.flatMap((width, index) => {
    const rendition = renditionFor(renditions, width);
    const isNew = rendition && rendition.width > (PHOTO_WIDTHS[index - 1] ?? 0);
    return isNew ? [`${photoPath(id, width)} ${rendition.width}w`] : [];
  });
  return sources.length > 1 ? { srcSet: sources.join(', '), sizes } : {};
}
