import { Fragment } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { BodyBlocks } from '../../islands/update/BodyBlocks.tsx';
import { type Block, type Body, displayUrl, type Link, type Place } from '../../lib/domain/body/blocks.ts';
import { openStreetMapUrl } from '../../lib/domain/body/places.ts';
import { mediaFileOf } from '../../lib/domain/media-files.ts';
import { PHOTO_WIDTHS, photoPath, type ReaderPhoto, renditionFor } from '../../lib/domain/photos.ts';
import { clockOf } from '../../lib/domain/reader-coverage.ts';
import { machineTime, timeRelativeTo } from '../../lib/domain/time.ts';
import { minifyMarkup } from '../../lib/http/minify.ts';
import { directionOf } from '../../lib/i18n/language.ts';
import type { Messages } from '../../lib/i18n/messages.ts';
import type { FeedCoverage, FeedEntry, MakeUrl, RenderBody } from '../../lib/publishing/feeds/feed.ts';
import { entryTextOf, readerMessages, titleOf } from '../../lib/publishing/feeds/feed.ts';

/** Renders an update as plain HTML for feed readers, which have no styles or scripts of the site. */
export const drawContent: RenderBody = (messages, entry, at) =>
  minifyMarkup(renderToStaticMarkup(<FeedContent messages={messages} entry={entry} at={at} />));

type Props = { messages: Messages; entry: FeedEntry; at: MakeUrl };

/** An update as plain HTML: verification, body, notes and source, without its headline. */
export function FeedContent({ messages, entry, at }: Props) {
  const { update, coverage } = entry;
  const { verification: doubt, notes, source } = entryTextOf(messages, entry);
  const content = (
    <>
      {doubt && (
        <p>
          <strong>{doubt}</strong>
        </p>
      )}
      <PlainBlocks
        messages={messages}
        body={update.body}
        photos={update.photos}
        reference={update.published_at}
        coverage={coverage}
        at={at}
      />
      {!saysSomething(entry) && <p>{titleOf(messages, entry)}</p>}
      {notes.map(({ name, at: noted, time, note }) => (
        <p key={noted}>
          <strong>{name}</strong>, <time dateTime={machineTime(noted)}>{time}</time>: {note}
        </p>
      ))}
      {source && (
        <p>
          <small>{source}</small>
        </p>
      )}
    </>
  );
  if (directionOf(coverage.language) === 'ltr') return content;
  return <div dir="rtl">{content}</div>;
}

/** Blocks have no ids; their position is the key. */
const keyOf = (index: number) => `${index}`;

/** Whether there is text. An update with only an uncaptioned photo gets its title as text. */
const saysSomething = ({ update }: FeedEntry) =>
  update.body.some(
    (block) =>
      block.type !== 'photo' || update.photos.some(({ id, caption }) => id === block.photo && caption),
  );

type BlocksProps = {
  messages: Messages;
  body: Body;
  photos: ReaderPhoto[];
  /** Times of another day than this one have their date. */
  reference: string | null;
  coverage: FeedCoverage;
  at: MakeUrl;
};

/** A body as plain HTML, with absolute addresses. */
export const PlainBlocks = ({ body, ...context }: BlocksProps) =>
  body.map((block, index) => <BlockOf key={keyOf(index)} block={block} {...context} />);

type BlockProps = Omit<BlocksProps, 'body'> & { block: Block };

function BlockOf({ messages, block, photos, reference, coverage, at }: BlockProps) {
  const reader = readerMessages(messages, coverage.language);
  const file = block.type === 'media' && mediaFileOf(block.url);
  if (block.type === 'media' && file)
    return <LinkLines {...block} url={at(block.url)} site={reader.player.file(file)} />;
  if (block.type === 'link' || block.type === 'media') return <LinkLines {...block} />;
  if (block.type === 'map') return <PlaceLines messages={reader} {...block} />;
  const draw = (id: string) => {
    const photo = photos.find((one) => one.id === id);
    return photo && <Figure messages={reader} photo={photo} at={at} />;
  };
  const formatTime = (time: string) => timeRelativeTo(time, reference ?? time, clockOf(coverage));
  return (
    <BodyBlocks
      messages={reader}
      formatTime={formatTime}
      body={[block]}
      photo={draw}
      plain={directionOf(coverage.language)}
    />
  );
}

/** Uses line breaks, because feed readers apply no styles. */
function LinkLines({ url, title, description, site }: Omit<Link, 'type'>) {
  return (
    <p>
      <a href={url}>{title}</a>
      {description?.split('\n').map((line, index) => (
        <Fragment key={keyOf(index)}>
          <br />
          {line}
        </Fragment>
      ))}
      <br />
      <cite>{site ?? displayUrl(url)}</cite>
    </p>
  );
}

type ReaderMessages = Messages['reader'];

function PlaceLines({ messages, name, ...coordinates }: Place & { messages: ReaderMessages }) {
  return (
    <p>
      <a href={openStreetMapUrl(coordinates)}>{name}</a>
      <br />
      <bdi>{messages.coordinates(coordinates.latitude, coordinates.longitude)}</bdi>
    </p>
  );
}

type FigureProps = { messages: ReaderMessages; photo: ReaderPhoto; at: MakeUrl };

function Figure({ messages, photo: { id, renditions, alt, caption, credit }, at }: FigureProps) {
  const [, width] = PHOTO_WIDTHS;
  const rendition = renditionFor(renditions, width);
  return (
    <figure>
      {/* React would add a preload link for images that are not lazy. */}
      <img
        src={at(photoPath(id, width))}
        width={rendition?.width}
        height={rendition?.height}
        alt={alt}
        loading="lazy"
      />
      {(caption || credit) && (
        <figcaption>
          {caption} {credit && <cite>{messages.photoBy(credit)}</cite>}
        </figcaption>
      )}
    </figure>
  );
}
