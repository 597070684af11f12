/** The browsers and systems that people know by name; those that call themselves by another's come before it. */
const BROWSERS: [name: string, mark: RegExp][] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|Chromium|CriOS|HeadlessChrome)\//],
  ['Safari', /\bVersion\/\S+.*\bSafari\//],
];
const SYSTEMS: [name: string, mark: RegExp][] = [
  ['iPhone', /\b(iPhone|iPod)\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Mac', /\bMac(intosh| OS X)\b/],
  ['Linux', /\bLinux\b/],
];

/** In characters: no browser says as much of itself, and whoever asks writes there what they like. */
const LONGEST = 400;

/** The browser and the system behind a User-Agent, by the names that people know; undefined what cannot be told. */
export function deviceOf(userAgent: string): { browser?: string; system?: string } {
  const said = userAgent.slice(0, LONGEST);
  const named = (names: [string, RegExp][]) => names.find(([, mark]) => mark.test(said))?.[0];
  return { browser: named(BROWSERS), system: named(SYSTEMS) };
}
