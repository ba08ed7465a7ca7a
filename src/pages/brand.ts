import { readSetting } from '../config/named-file.ts';
import { assetFrom } from './assets.ts';
import type { Asset } from './assets.ts';

/** The product name and logo of the pages; undefined for the defaults. */
export interface Brand {
  readonly name: string | undefined;
  readonly logo: Asset | undefined;
}

/** Largest logo, in bytes. */
const largest = 1_000_000;

/**
 * Reads the logo that the settings name. Throws Error, as a sentence, if it cannot be read or is not an SVG or PNG
 * image.
 */
export function readBrand({ productName, logo }: { productName: string | undefined; logo: string | undefined }): Brand {
  if (logo === undefined) return { name: productName, logo: undefined };
  const bytes = readSetting('logo', logo);
  const type = typeOf(bytes);
  if (type === undefined || bytes.length > largest)
    throw new Error(`The logo \`${logo}\` is not an SVG or PNG image of up to 1 MB; name another one with \`--logo\`.`);
  return { name: productName, logo: assetFrom(bytes, type) };
}

/** The media type, from the first bytes; an SVG may begin with a declaration, comments and a document type. */
function typeOf(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))) return 'image/png';
  const start = /^\ufeff?\s*(?:<\?xml[^>]*\?>\s*|<!--[^]*?-->\s*|<!DOCTYPE[^>]*>\s*)*<svg[\s>]/i;
  return start.test(bytes.subarray(0, 4096).toString()) ? 'image/svg+xml' : undefined;
}
