import { accentStyle, isColourStyle } from './colours.ts';
import { Constants, type Enums } from './database.types.ts';

/* The look of all pages, as one style: colours, fonts, and the layout of logo and menu. */

export type SiteFont = Enums<'site_font'>;
export const SITE_FONTS: readonly SiteFont[] = Constants.public.Enums.site_font;

/** A link of the site. The address of a sponsor may be missing. */
export type SiteLink = { label: string; url: string };
export type SiteSponsor = { label: string; url?: string };

/** Identity of the site, chosen at /desk/site/masthead. Images are names. */
export type SiteIdentity = {
  logo: string | null;
  /** The logo of the dark scheme. Without one, the dark scheme shows `logo` on paper. */
  logo_dark: string | null;
  /** The icon. Without one it is made from the logo. */
  icon: string | null;
  menu: SiteLink[];
  newspaper_link: SiteLink | null;
  support_link: SiteLink | null;
  sponsor: SiteSponsor | null;
  text_font: SiteFont;
  headline_font: SiteFont;
};

/** Maximum number of links in the menu. The database has the same limit. */
export const MENU_LINKS = 7;

/** Stacks of fonts that devices have already, so that no page loads one. `serif` is that of src/layouts/styles/tokens.css. */
export const FONT_STACKS: Record<SiteFont, string> = {
  serif: 'ui-serif,Charter,"Iowan Old Style","Source Serif 4",Georgia,serif',
  old_style: '"Iowan Old Style","Palatino Linotype",Palatino,"URW Palladio L",P052,serif',
  sans: 'ui-sans-serif,system-ui,sans-serif',
  humanist: 'Seravek,"Gill Sans Nova",Ubuntu,Calibri,"DejaVu Sans",sans-serif',
};

/** Returns the CSS that replaces the default fonts; '' if the site has chosen none. */
function fontStyle({ text_font, headline_font }: Pick<SiteIdentity, 'text_font' | 'headline_font'>): string {
  const text = text_font === 'serif' ? '' : `html:root{--serif:${FONT_STACKS[text_font]}}`;
  const headlines =
    headline_font === text_font ? '' : `h1,h2,h3,.nameplate{font-family:${FONT_STACKS[headline_font]}}`;
  return text + headlines;
}

/**
 * Layout of a logo. On a phone it leaves room for the links beside it. In the dark scheme a logo without a dark one stands
 * on paper, because its colours are made for that.
 */
export const LOGO_STYLE =
  '.masthead .logo{align-self:center;padding:0}.logo img{display:block;block-size:2rem;max-inline-size:min(44vw,18rem);object-fit:contain;object-position:0}[dir=rtl] .logo img{object-position:100%}@media(prefers-color-scheme:dark){.logo a>img{padding:.2rem .4rem;background:#fdfbf6}}';

/** Layout of the menu: one row, which scrolls where it is too narrow. */
export const MENU_STYLE =
  '.masthead .menu{flex-basis:100%;min-inline-size:0;overflow-x:auto;white-space:nowrap}';

/** The links that the row under the masthead shows, the newspaper first. */
export function menuLinks({
  newspaper_link,
  menu,
}: Pick<SiteIdentity, 'newspaper_link' | 'menu'>): SiteLink[] {
  return [...(newspaper_link ? [newspaper_link] : []), ...menu];
}

type Look = SiteIdentity & { accent: string; accent_dark: string };

/** Returns the style of a site: '' where all is as in the style sheets. */
export function lookStyle(site: Look): string {
  const hasMenu = menuLinks(site).length > 0 || site.support_link !== null;
  return accentStyle(site) + identityStyle(site.logo !== null, hasMenu) + fontStyle(site);
}

/** What the look adds to a page, for an estimate of the page's size. Empty for a site without a look of its own. */
export const lookParts = (site: Look): unknown[] =>
  [lookStyle(site), site.logo, site.logo_dark, ...menuLinks(site), site.support_link, site.sponsor].filter(
    Boolean,
  );

const identityStyle = (hasLogo: boolean, hasMenu: boolean) =>
  (hasLogo ? LOGO_STYLE : '') + (hasMenu ? MENU_STYLE : '');

const FONT_STYLES = SITE_FONTS.flatMap((text_font) =>
  SITE_FONTS.map((headline_font) => fontStyle({ text_font, headline_font })),
);
const IDENTITY_STYLES = [true, false].flatMap((hasLogo) =>
  [true, false].map((hasMenu) => identityStyle(hasLogo, hasMenu)),
);
/** Styles that may follow the colours, the longest first. */
const ENDS = IDENTITY_STYLES.flatMap((identity) => FONT_STYLES.map((fonts) => identity + fonts)).sort(
  (a, b) => b.length - a.length,
);

/** Whether a style sets only what this module writes, so that it is safe to include. */
export function isLookStyle(style: string): boolean {
  const end = ENDS.find((one) => style.endsWith(one)) ?? '';
  const colours = style.slice(0, style.length - end.length);
  return style !== '' && (colours === '' || isColourStyle(colours));
}

/* Images of the site: logos, and the icons that are made from them. Their names tell hash, size and format. */

export type SiteImage = { name: string; hash: string; width: number; height: number; format: 'png' | 'svg' };

const NAME = /^([0-9a-f]{32})-([1-9]\d{0,3})x([1-9]\d{0,3})\.(png|svg)$/;

/** Reads the name of an image; null if it is none. */
export function siteImageOf(name: string | null | undefined): SiteImage | null {
  const [, hash, width, height, format] = NAME.exec(name ?? '') ?? [];
  if (!name || !hash) return null;
  return { name, hash, width: Number(width), height: Number(height), format: format as SiteImage['format'] };
}

/** Returns the name of an image. @param hash SHA-256 of its content, in hexadecimal */
export const siteImageName = (
  hash: string,
  { width, height, format }: Pick<SiteImage, 'width' | 'height' | 'format'>,
): string => `${hash.slice(0, 32)}-${width}x${height}.${format}`;

/** Path of an image of the site. */
export const siteImagePath = (name: string): string => `/site-images/${name}`;

/** Sizes in pixels of the square icons: browser tabs, phones, installed sites. */
export const ICON_SIZES = [48, 192, 512] as const;
type IconSize = (typeof ICON_SIZES)[number];

/** Returns the path of the site's icon in a size: of its own icon, or of the logo. Undefined if it has neither. */
export function iconPath(
  { icon, logo }: { icon: string | null; logo: string | null },
  size: IconSize,
): string | undefined {
  const image = siteImageOf(icon ?? logo);
  return image
    ? siteImagePath(siteImageName(image.hash, { width: size, height: size, format: 'png' }))
    : undefined;
}
