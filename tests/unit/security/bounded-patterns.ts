import { LIMITS } from '../../../src/lib/domain/limits.ts';

/** The slowest text for a pattern: what repeats, and what surrounds it. */
type Attack = readonly [before: string, again: string, after: string];

/** A pattern that is slow on long texts, and why its input is limited. */
type Bounded = { most: number; why: string; attack: Attack };

const OWN_TEXT = 'what somebody writes, in their own browser';
const OWN_PAGE = 'pages of ours: a < of somebody stands in attributes alone, in a few hundred characters';
const OWN_FILE = 'files of this project';
const HEADER = 'a part of a head, of which Node takes 16 KB and no line feeds';
const REPEATS = 'repeats so often at most, whatever it is given';

/* Reported by recheck, with its attacks. Other patterns must be safe at any length. */
export const BOUNDED: Record<string, Bounded> = {
  '/^[^\\S\\n]*>[^\\S\\n]*(?:—|―|--)?[^\\S\\n]*$/': bound(LIMITS.body_characters, OWN_TEXT, [
    '>',
    '\t',
    '\0',
  ]),
  '/[\\p{L}\\p{N}\\p{M}’-]*$/u': bound(LIMITS.body_characters, OWN_TEXT, ['', '-', '\0']),
  '/\\[([^\\]\\n]{0,2000})\\]\\((?:<[^>\\n]{0,2048}>|[^)\\s]{0,2048})\\)/g': bound(50_000, REPEATS, [
    '',
    '[\t',
    '',
  ]),
  '/\\{\\{ *if eq \\.Data\\.(\\w+) "([^"]*)" *\\}\\}(.*?)\\{\\{ *end *\\}\\}/gs': bound(20_000, OWN_FILE, [
    '',
    '{{ if eq .Data.a "" }}',
    '',
  ]),
  '/\\n*$/': bound(LIMITS.body_characters, OWN_TEXT, ['', '\n', '\0']),
  '/(?:^|;)\\s*(?:display\\s*:\\s*none|visibility\\s*:\\s*hidden|mso-hide\\s*:\\s*all|mso-list\\s*:\\s*ignore)/i':
    bound(100_000, 'one text of an import; recheck comes to no end', [';', ' ', 'display']),
  '/[\\s,;:–—-]+$/': bound(LIMITS.standfirst, 'a line that was cut to what a list shows', ['', '\t', '\0\t']),
  '/[\\s,;:.–—、，。；：-]+$/u': bound(1_500, 'a line of a brief, which has so many bytes', [
    '',
    '\t',
    '\0\t',
  ]),
  '/\\s+$/': bound(LIMITS.body_characters, 'a body, as the database takes it', ['', '\t', '\0\t']),
  '/<style.*?<\\/style>/gs': bound(50_000, OWN_PAGE, ['', '<style', '']),
  '/<(script|style)\\b[^>"]*(?:"[^"]*"[^>"]*)*>([\\s\\S]*?)<\\/\\1>|<\\/?[a-z][^>"]*(?:"[^"]*"[^>"]*)*>/g':
    bound(10_000, OWN_PAGE, ['', '<style\0p', '']),
  '/%.*$/': bound(1_000, HEADER, ['', '%', '\n%']),
  '/(?<!\\[)\\[(\\/?)(?:caption|wp_caption|embed)\\b[^\\]]{0,2000}\\](?!\\])/gi': bound(100_000, REPEATS, [
    '_',
    '[EMBED[_',
    '',
  ]),
  '/(?<!\\[)\\[(video|audio|playlist|gallery|youtube|vimeo|tweet|instagram|facebook|soundcloud|liveblog_key_events)\\b([^\\]]{0,2000})\\](?:\\s*\\[\\/\\1\\])?(?!\\])/gi':
    bound(100_000, REPEATS, ['U', '[VIDEO\0V', '']),
  '/<!--[\\s\\S]{0,4000}?-->|<\\?[\\s\\S]{0,4000}?\\?>/g': bound(64 * 1024, REPEATS, ['', '><!--<', '>']),
  '/^\\uFEFF?\\s*(?:<!DOCTYPE[\\s\\S]*?)?<rss\\b[^<>]*["\']http:\\/\\/wordpress\\.org\\/export\\/\\d/i':
    bound(64 * 1024, 'the beginning of a file; recheck comes to no end', ['<!DOCTYPE', '<rss "http', '']),
  '/(<p id="saved"[^>]*?)\\shidden(?:="")?(?=[\\s>])/': bound(10_000, OWN_PAGE, ['', '<p id="saved"n', '>']),
  '/<main[^>]*\\sid="coverage"[^>]*>/': bound(2_000, OWN_PAGE, ['<main', '\tid="coverage"', '']),
  '/(<p id="saved"[^>]*>)/': bound(10_000, OWN_PAGE, ['', '<p id="saved"', '']),
  '/<html[^>]*>/': bound(10_000, OWN_PAGE, ['', '<html', '']),
  '/(<p id="status"[^>]*><strong) class="(?:live|paused|scheduled)">[^<]*<\\/strong>/': bound(
    10_000,
    OWN_PAGE,
    ['', '<p id="status"', ''],
  ),
  '/<article[^>]*>/g': bound(10_000, OWN_PAGE, ['', '<article', '']),
  '/<div[^>]*\\sdata-changes[^>]*>/': bound(2_000, OWN_PAGE, ['<div', '\tdata-changes', '']),
  '/\\bVersion\\/\\S+.*\\bSafari\\//': bound(400, 'the beginning of a User-Agent', [
    '',
    '/Version/\0',
    '////',
  ]),
  '/[^\\s<>,;:"()]+@[^\\s<>,;:"()]+\\.[^\\s<>,;:"().]+/': bound(LIMITS.contact, 'the contact of the site', [
    '.',
    '@\0',
    '',
  ]),
  '/\\?.*$/': bound(1_000, HEADER, ['', '?', '\n?']),
  '/[?].*$/': bound(1_000, HEADER, ['', '?', '\n?']),
  '/\\/+$/': bound(1_000, 'a setting', ['', '/', '\0/']),
  '/(?:\\d+(?:\\.\\d*)?|\\.\\d+)[a-zµμ]+/g': bound(1_000, 'asked for by the secret key alone', [
    '',
    '0',
    '\0',
  ]),
  '/^[^\\p{Cc}]*\\S[^\\p{Cc}]*$/u': bound(1_000, OWN_FILE, ['', '!', '\t']),
  '/^\\s*(text\\/html|[^;]*xml)/i': bound(16_000, 'a header that a function of ours has set', ['', '\t', '']),
  '/\\{\\{(.*?)\\}\\}/gs': bound(10_000, OWN_FILE, ['', '{{', '']),
  '/<!--(?!.*-->)|<(style|script|title)\\b(?!.*<\\/\\1>)/is': bound(10_000, OWN_FILE, ['', '<!-->', '']),
  '/^.*<body[^>]*>/is': bound(10_000, OWN_FILE, ['', '<BODY', '']),
  '/<!--.*?-->/gs': bound(10_000, OWN_FILE, ['', '<!--', '']),
  '/<a\\b[^>]*\\shref="([^"]*)"[^>]*>(.*?)<\\/a>/g': bound(2_000, OWN_FILE, [
    'f<a=e\n',
    '\thref=""0',
    '</a>',
  ]),
  '/<[^>]*>/g': bound(10_000, OWN_FILE, ['', '<', '']),
  '/\\b([a-z][a-z0-9+.-]{1,20}:\\/\\/)(?!USER:PASSWORD@|role:password@)[^\\s/@]{1,300}@/gi': bound(
    50_000,
    REPEATS,
    ['', 'A+', '\0A+\0'],
  ),
  "/[\\p{L}\\p{N}._%+'-]{1,64}@[\\p{L}\\p{N}-]{1,63}(?:\\.[\\p{L}\\p{N}-]{1,63}){1,8}/gu": bound(
    50_000,
    REPEATS,
    ['', '-.', ''],
  ),
  '/\\beyJ[\\w-]{8,4000}\\.[\\w-]{1,4000}(?:\\.[\\w-]{0,4000})?/g': bound(50_000, REPEATS, [
    '',
    'eyJ-',
    '\0',
  ]),
  '/(\\/auth\\/[^\\s?#"\']{0,100})\\?[^\\s"\']{1,4000}/g': bound(50_000, REPEATS, ['/', '/auth', '\0']),
  '/^ +| +$/gm': bound(10_000, OWN_FILE, ['\0', ' ', '\0 ']),
};

function bound(most: number, why: string, attack: Attack): Bounded {
  return { most, why, attack };
}

export const attackOf = ({ most, attack: [before, again, after] }: Bounded): string =>
  before + again.repeat(Math.ceil(most / again.length)) + after;
