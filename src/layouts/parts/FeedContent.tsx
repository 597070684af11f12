import { renderToStaticMarkup } from 'react-dom/server';
import { Body } from '../../islands/update/Body.tsx';
import { type Block, displayUrl, type Link } from '../../lib/domain/body/blocks.ts';
import { PHOTO_WIDTHS, photoPath, type ReaderPhoto, renditionFor } from '../../lib/domain/photos.ts';
import { machineTime } from '../../lib/domain/time.ts';
import { leanMarkup } from '../../lib/http/minify.ts';
import { directionOf } from '../../lib/i18n/language.ts';
import type { Addressing, Entry } from '../../lib/publishing/feeds/document.ts';
import { readerWords, saidOf, titleOf } from '../../lib/publishing/feeds/entry-text.ts';

/** An update for a feed reader, which has none of our styles and scripts: all of its words, in plain HTML. */
export const drawContent = (entry: Entry, at: Addressing): string =>
  leanMarkup(renderToStaticMarkup(<FeedContent entry={entry} at={at} />));

type Props = { entry: Entry; at: Addressing };

function FeedContent({ entry, at }: Props) {
  const { update, coverage } = entry;
  const { doubt, notes, source } = saidOf(entry);
  const content = (
    <>
      {doubt && (
        <p>
          <strong>{doubt}</strong>
        </p>
      )}
      {update.body.map((block, index) => (
        <BlockOf key={keyOf(index)} block={block} entry={entry} at={at} />
      ))}
      {!saysSomething(entry) && <p>{titleOf(entry)}</p>}
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

/** Blocks have no names of their own: they are where they are. */
const keyOf = (index: number) => `${index}`;

/** A photo alone is no words: who cannot see it is told what it shows. */
const saysSomething = ({ update }: Entry) =>
  update.body.some(
    (block) =>
      block.type !== 'photo' || update.photos.some(({ id, caption }) => id === block.photo && caption),
  );

function BlockOf({ block, entry, at }: Props & { block: Block }) {
  if (block.type === 'link') return <LinkLines {...block} />;
  const photos = entry.update.photos;
  const draw = (id: string) => {
    const photo = photos.find((one) => one.id === id);
    return photo && <Figure photo={photo} language={entry.coverage.language} at={at} />;
  };
  return <Body body={[block]} photo={draw} />;
}

/** Its parts stand under one another also where nothing says how they look. */
function LinkLines({ url, title, description, site }: Link) {
  return (
    <p>
      <a href={url}>{title}</a>
      {description && (
        <>
          <br />
          {description}
        </>
      )}
      <br />
      <cite>{site ?? displayUrl(url)}</cite>
    </p>
  );
}

type FigureProps = { photo: ReaderPhoto; language: string; at: Addressing };

function Figure({ photo: { id, prints, alt, caption, credit }, language, at }: FigureProps) {
  const [, width] = PHOTO_WIDTHS;
  const print = renditionFor(prints, width);
  return (
    <figure>
      {/* Of what is not lazy React writes a link to fetch it soon before all the rest. */}
      <img
        src={at(photoPath(id, width))}
        width={print?.width}
        height={print?.height}
        alt={alt}
        loading="lazy"
      />
      {(caption || credit) && (
        <figcaption>
          {caption} {credit && <cite>{readerWords(language).photoBy(credit)}</cite>}
        </figcaption>
      )}
    </figure>
  );
}
