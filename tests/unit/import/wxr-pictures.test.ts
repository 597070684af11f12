import { describe, expect, test } from 'vitest';
import { textFromWordPress } from '../../../src/lib/cli/import/wordpress-body.ts';
import { addAttachment, noAttachments } from '../../../src/lib/cli/import/wordpress-pictures.ts';
import { type Block, blockText } from '../../../src/lib/domain/body/blocks.ts';
import { LIMITS } from '../../../src/lib/domain/limits.ts';

const BASE = 'https://old.example/2015/01/storm/';
const AT = '2015-01-10T12:00:00Z';

const attachments = noAttachments();
for (const [id, name, alt] of [
  ['7', 'quay.jpg', 'The quay from the library'],
  ['8', 'mill-scaled.jpg', ''],
  ['9', 'menu.pdf', 'A menu'],
] as const) {
  const url = `https://old.example/files/${name}`;
  addAttachment(attachments, { id, url, alt, caption: `Caption of ${id}`, credit: `Photographer ${id}` });
}

const read = (html: string) => textFromWordPress(html, BASE, AT, attachments);

/** The blocks as texts. A photo is the alt text of its picture in brackets. */
function told(html: string, isThere: (alt: string) => boolean = () => true): string {
  const { body, pictures } = read(html);
  const there = (pictures?.pictures ?? []).filter(({ alt }) => isThere(alt));
  const text = (block: Block) => (block.type === 'photo' ? `[${block.photo}]` : blockText(block));
  const shown = pictures ? pictures.bodyWith(new Map(there.map((one) => [one, one.alt]))) : body;
  return shown.map(text).join(' | ');
}

describe('the pictures of a text', () => {
  test.for([
    ['<p>One <b>two</b> <img src="a.jpg" alt="A"> three</p>', 'One two | [A] | three'],
    ['One\n<img src="a.jpg" alt="A">\ntwo', 'One | [A] | two'],
    [
      '<div><figure><img src="a.jpg" alt="A"><figcaption>Under <i>it</i></figcaption></figure></div>two',
      '[A] | two',
    ],
    [
      '[caption id="attachment_1" width="300"]<a href="a.jpg"><img src="a-300x200.jpg" alt="A" /></a> Under it[/caption] two',
      '[A] | two',
    ],
    ['<a href="https://old.example/a.jpg"><img src="a.jpg" alt="A"></a>', '[A]'],
    ['<a href="https://old.example/x/" rel="attachment wp-att-5"><img src="a.jpg" alt="A"></a>', '[A]'],
    [
      '<a href="https://other.example/story"><img src="a.jpg" alt="A"></a>',
      '[A] | https://other.example/story',
    ],
    ['<ul><li>one <img src="a.jpg" alt="A"></li><li>two</li></ul>end', 'one\ntwo | [A] | end'],
    ['<blockquote>Said <img src="a.jpg" alt="A"></blockquote>', 'Said | [A]'],
    [
      '<figure class="wp-block-gallery"><figure><img src="a.jpg" alt="A"><figcaption>1</figcaption></figure><figure><img src="b.jpg" alt="B"></figure><figcaption>Both</figcaption></figure>',
      '[A] | [B] | Both',
    ],
    ['One [gallery ids="7, 9,8"] two', 'One | [The quay from the library] | [Caption of 8] | two'],
    ['<img src="a.jpg" alt="A">and <img src="a.jpg" alt="A"> again', '[A] | and A again'],
    ['<img src="a.jpg" alt="A"><img src="a.jpg" alt="B">', '[A] | [B]'],
    ['So sad <img class="emoji" src="/cry.png" alt="😢">', 'So sad 😢'],
    ['<span class="liveblog-command type-key"><img src="a.jpg" alt="A"></span>Text', 'Text'],
    ['<img src="data:image/png;base64,AAAA" alt="A">', 'A'],
    [
      '<video src="https://v.example/a.mp4"><img src="a.jpg" alt="A"></video>',
      'https://v.example/a.mp4 | [A]',
    ],
  ] as const)('of %j are in their places: %j', ([html, text]) => {
    expect(told(html)).toBe(text);
  });

  test('stay links with their caption when they cannot be had', () => {
    const html =
      '<figure><img src="a.jpg" alt="A"><figcaption>Under it</figcaption></figure><p>x <img src="b.jpg" alt="B"> y</p>';
    expect(told(html, () => false)).toBe('A | Under it | x B y');
    expect(told(html, (alt) => alt === 'B')).toBe('A | Under it | x | [B] | y');
  });

  test('have the texts of the text, then those of the media library, and its original', () => {
    const pictureOf = (html: string) => read(html).pictures?.pictures[0];
    const quay = 'https://old.example/files/quay.jpg';
    expect(pictureOf('<img class="alignleft wp-image-7" src="/files/quay-300x200.jpg" alt="Water">')).toEqual(
      {
        urls: [quay, 'https://old.example/files/quay-300x200.jpg'],
        alt: 'Water',
        caption: undefined,
        credit: 'Photographer 7',
      },
    );
    // The same file without its number, and the number of another site.
    expect(pictureOf('<img src="http://old.example/files/quay-300x200.jpg">')?.urls[0]).toBe(quay);
    expect(pictureOf('<img class="wp-image-7" src="https://other.example/cat.jpg" alt="Cat">')).toMatchObject(
      {
        urls: ['https://other.example/cat.jpg'],
        credit: undefined,
      },
    );
    const long = 'word '.repeat(200);
    const cut = pictureOf(`<figure><img src="a.jpg" alt="${long}"><figcaption>${long}</figcaption></figure>`);
    expect([...(cut?.alt ?? '')].length).toBeLessThanOrEqual(LIMITS.alt);
    expect([...(cut?.caption ?? '')].length).toBeLessThanOrEqual(LIMITS.caption);
  });

  test('without a description stay links, because readers see no photo without one', () => {
    const { pictures } = read('<img src="a.jpg" title="IMG_2034"> <img src="b.jpg" title="The new bridge">');
    expect(pictures?.left).toEqual([{ url: `${BASE}a.jpg`, problem: 'undescribed' }]);
    expect(pictures?.pictures.map(({ alt }) => alt)).toEqual(['The new bridge']);
  });

  test('beyond the number of blocks stay links', () => {
    const many = Array.from({ length: 60 }, (_, n) => `<img src="${n}.jpg" alt="Picture ${n}">`).join('');
    const { pictures } = read(many);
    const all = new Map(pictures?.pictures.map((one) => [one, one.alt]));
    expect(pictures?.bodyWith(all).length).toBeLessThanOrEqual(LIMITS.body_blocks);
    expect(pictures?.left).toContainEqual({ url: `${BASE}59.jpg`, problem: 'too_many_blocks' });
    expect((pictures?.left.length ?? 0) + all.size).toBe(60);
  });

  test('stay links in a text that has too many blocks itself', () => {
    const many = Array.from({ length: 60 }, (_, n) => `<p>${n} <img src="${n}.jpg" alt="Picture ${n}"></p>`);
    expect(read(many.join('')).pictures?.pictures).toEqual([]);
  });

  test('of a deeply nested text are refused like the text', () => {
    expect(() => read(`${'<b>'.repeat(5_000)}<img src="a.jpg" alt="A">`)).toThrow();
  });
});
