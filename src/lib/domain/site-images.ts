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
