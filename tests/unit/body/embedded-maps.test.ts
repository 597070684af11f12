import { describe, expect, test } from 'vitest';
import { bodyFromHtml } from '../../../src/lib/cli/import/read-feed.ts';
import { bodyFromWordPress } from '../../../src/lib/cli/import/wordpress-body.ts';
import { embeddedPlace } from '../../../src/lib/domain/body/html.ts';

const OPEN_STREET_MAP =
  'https://www.openstreetmap.org/export/embed.html?bbox=-0.4500%2C53.6850%2C-0.4300%2C53.6950&layer=mapnik';
const GOOGLE =
  'https://www.google.com/maps/embed?pb=!1m18!1m12!1m3!1d2480.1!2d-0.4400123!3d53.690017!2m3!1f0!2f0!3f0!3m2!1i1024!2i768!4f13.1!3m3!1m2!1s0x0%3A0x0!2sSchool!5e0';
const HALL = { type: 'map', latitude: 53.69, longitude: -0.44 };

describe('an embedded map', () => {
  test.for<[string, object]>([
    [`${OPEN_STREET_MAP}&marker=53.69123%2C-0.44321`, { latitude: 53.69123, longitude: -0.44321, zoom: 15 }],
    [OPEN_STREET_MAP, { latitude: 53.69, longitude: -0.44, zoom: 15 }],
    [
      'https://www.openstreetmap.org/export/embed.html?bbox=-10,40,10,60&marker=53.69,-0.44',
      { latitude: 53.69, longitude: -0.44, zoom: 5 },
    ],
    [
      'https://www.openstreetmap.org/export/embed.html?marker=53.69,-0.44',
      { latitude: 53.69, longitude: -0.44 },
    ],
    [GOOGLE, { latitude: 53.69002, longitude: -0.44001 }],
    [
      'https://maps.google.com/maps?q=53.69,-0.44&z=15&output=embed',
      { latitude: 53.69, longitude: -0.44, zoom: 15 },
    ],
    ['https://maps.google.co.uk/maps?ll=53.69,-0.44&output=embed', { latitude: 53.69, longitude: -0.44 }],
    ['//www.google.es/maps/embed/v1/place?key=x&q=53.69,-0.44', { latitude: 53.69, longitude: -0.44 }],
    [
      'https://www.google.com/maps/embed/v1/view?key=x&center=53.69,-0.44&zoom=14',
      { latitude: 53.69, longitude: -0.44, zoom: 14 },
    ],
  ])('has the place in its address: %s', ([address, place]) => {
    expect(embeddedPlace(address, 'School hall')).toEqual({ type: 'map', name: 'School hall', ...place });
  });

  test.for([
    'https://www.google.com/maps/embed?pb=!1m18!1m12',
    'https://maps.google.com/maps?q=School+hall&output=embed',
    'https://www.openstreetmap.org/export/embed.html?bbox=0,0',
    'https://www.openstreetmap.org/export/embed.html?bbox=9,1,8,2',
    'https://www.openstreetmap.org/export/embed.html?bbox=NaN,NaN,NaN,NaN',
    'https://www.openstreetmap.org/export/embed.html?marker=95,0',
    'https://www.openstreetmap.org.evil.example/export/embed.html?marker=53.69,-0.44',
    'https://google.com.evil.example/maps?q=53.69,-0.44',
    'https://www.google.com/search?q=53.69,-0.44',
    'https://map.example/?marker=53.69,-0.44',
    'javascript:53.69,-0.44',
    '53.69,-0.44',
    '',
  ])('is no place without coordinates, or of another site: %s', (address) => {
    expect(embeddedPlace(address, 'x')).toBeUndefined();
  });

  test('is named after its coordinates if it has no title, and not longer than a name may be', () => {
    expect(embeddedPlace(GOOGLE, '')?.name).toBe('53.69002, -0.44001');
    expect([...(embeddedPlace(GOOGLE, 'hall '.repeat(40))?.name ?? '')].length).toBeLessThanOrEqual(80);
  });
});

test('a feed keeps an embedded map as a map', () => {
  const html = `<p>Beds<iframe title=" School \u202e hall " src="${OPEN_STREET_MAP.replaceAll('&', '&amp;')}"></iframe>tonight</p><iframe src="https://map.example/"></iframe>`;
  expect(bodyFromHtml(html, undefined)).toEqual([
    { type: 'paragraph', runs: [{ text: 'Beds' }] },
    { ...HALL, name: 'School hall', zoom: 15 },
    { type: 'paragraph', runs: [{ text: 'tonight' }] },
  ]);
});

test('a map in a list is a link to it', () => {
  expect(bodyFromHtml(`<ul><li><iframe title="Hall" src="${GOOGLE}"></iframe></li></ul>`, undefined)).toEqual(
    [
      {
        type: 'list',
        items: [
          [
            {
              text: 'Hall',
              link: 'https://www.openstreetmap.org/?mlat=53.69002&mlon=-0.44001#map=16/53.69002/-0.44001',
            },
          ],
        ],
      },
    ],
  );
});

test('an export of WordPress keeps an embedded map as a map, and other frames as links', () => {
  const frame = `<iframe width="600" src="${GOOGLE.replaceAll('&', '&amp;')}"></iframe>`;
  expect(
    bodyFromWordPress(
      `Beds\n${frame}\n<iframe src="https://map.example/x" title="A map"></iframe>`,
      undefined,
    ),
  ).toEqual([
    { type: 'paragraph', runs: [{ text: 'Beds' }] },
    { type: 'map', name: '53.69002, -0.44001', latitude: 53.69002, longitude: -0.44001 },
    { type: 'paragraph', runs: [{ text: 'A map', link: 'https://map.example/x' }] },
  ]);
});
