import { describe, expect, test } from 'vitest';
import { parseCoordinates, parseGeoUri } from '../../../src/lib/domain/body/coordinates.ts';
import { geoUri, isOnEarth, openStreetMapUrl } from '../../../src/lib/domain/body/places.ts';

describe('parseCoordinates', () => {
  test.for([
    '',
    'Quay Street',
    '53.69',
    '53.69, north',
    '95, 10',
    '10, 181',
    '53.69, -0.44, 12',
    '-0.44°W 53.69°N x',
    'geo:53.69',
    'geo:91,0',
    'https://www.openstreetmap.org/node/1',
    'https://www.openstreetmap.org/#map=16/95/10',
    'https://maps.app.goo.gl/abc',
    'javascript:53.69,-0.44',
    `53.69, ${'9'.repeat(3_000)}`,
  ])('refuses %j', (text) => {
    expect(parseCoordinates(text)).toBeNull();
  });

  const HALL = { latitude: 53.69012, longitude: -0.44213 };
  test.for<[string, object]>([
    ['53.69012, -0.44213', HALL],
    [' 53.69012 -0.44213 ', HALL],
    ['53.69012,−0.44213', HALL],
    ['53,69012; -0,44213', HALL],
    ['53,69012 -0,44213', HALL],
    ['53.69012° N, 0.44213° W', HALL],
    ['53.690119999, -0.442130001', HALL],
    ['53°41\'24.43"N 0°26\'31.67"W', HALL],
    ['40° 25′ 0″ N, 3° 42′ 0″ O', { latitude: 40.41667, longitude: -3.7 }],
    ['0, -0.000001', { latitude: 0, longitude: 0 }],
    ['geo:53.69012,-0.44213', HALL],
    ['geo:53.69012,-0.44213,12;u=35', HALL],
    ['geo:53.69012,-0.44213?z=15', { ...HALL, zoom: 15 }],
    ['geo:53.69012,-0.44213?z=99', { ...HALL, zoom: 18 }],
    ['https://www.openstreetmap.org/?mlat=53.69012&mlon=-0.44213#map=17/53.7/-0.4', { ...HALL, zoom: 17 }],
    ['https://www.openstreetmap.org/#map=17/53.69012/-0.44213', { ...HALL, zoom: 17 }],
    ['https://www.openstreetmap.org/search?query=hall#map=17.25/53.69012/-0.44213', { ...HALL, zoom: 17 }],
    [
      'https://www.google.com/maps/place/Hall/@53.7,-0.4,17z/data=!3m1!4b1!4m6!3m5!8m2!3d53.69012!4d-0.44213',
      { ...HALL, zoom: 17 },
    ],
    ['https://www.google.co.uk/maps/@53.69012,-0.44213,15.5z?hl=en', { ...HALL, zoom: 16 }],
    ['https://maps.google.com/?q=53.69012,-0.44213&z=12', { ...HALL, zoom: 12 }],
    ['https://www.google.com/maps/search/?api=1&query=53.69012%2C-0.44213', HALL],
    ['https://www.google.com/maps/search/53.69012,+-0.44213', HALL],
    ['https://maps.apple.com/?ll=53.69012,-0.44213&q=Hall', HALL],
  ])('reads %s', ([text, expected]) => {
    expect(parseCoordinates(text)).toEqual(expected);
  });

  test('never returns a negative zero, which JSON writes as zero', () => {
    expect(Object.is(parseCoordinates('-0.000001, 0')?.latitude, 0)).toBe(true);
  });
});

test('a geo URI is read back as the same place', () => {
  const place = { latitude: -0.00001, longitude: 179.99999, zoom: 3 };
  expect(geoUri(place)).toBe('geo:-0.00001,179.99999?z=3');
  expect(parseGeoUri(geoUri(place))).toEqual(place);
  expect(parseGeoUri(geoUri({ latitude: 1, longitude: 2 }))).toEqual({ latitude: 1, longitude: 2 });
});

test('a geo URI outside of the world is read, so that its text is refused and kept', () => {
  const place = parseGeoUri('geo:95,200');
  expect(place).toEqual({ latitude: 95, longitude: 200 });
  expect(place && isOnEarth(place)).toBe(false);
});

test('the address of OpenStreetMap has a marker', () => {
  expect(openStreetMapUrl({ latitude: 53.69, longitude: -0.44 })).toBe(
    'https://www.openstreetmap.org/?mlat=53.69&mlon=-0.44#map=16/53.69/-0.44',
  );
});
