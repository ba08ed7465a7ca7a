import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';

const types: Readonly<Record<string, string>> = {
  'style.css': 'text/css; charset=utf-8',
  'picker.js': 'text/javascript; charset=utf-8',
  'mark.svg': 'image/svg+xml',
};

/** A static file of the pages. */
export interface Asset {
  readonly bytes: Buffer;
  readonly type: string;
  /** Part of its URL, so that a new version has another URL. */
  readonly version: string;
}

const read = new Map<string, Asset>();

const prefix = '/auth/assets/';

/** The path of a static file, with its version. */
export const assetLink = (name: string): string => linkTo(name, assetOf(name));

/** The path of the logo: the one of the settings, or the default. */
export const logoLink = (logo: Asset | undefined): string =>
  logo === undefined ? assetLink('mark.svg') : linkTo('logo', logo);

const linkTo = (name: string, asset: Asset | undefined): string => `${prefix}${name}?v=${asset?.version ?? ''}`;

export const assetFrom = (bytes: Buffer, type: string): Asset => ({
  bytes,
  type,
  version: hash('sha256', bytes, 'hex').slice(0, 12),
});

/**
 * Answers with the file; returns false if there is none of that name. Browsers cache it, since another version has
 * another URL.
 */
export function sendAsset(
  path: string,
  logo: Asset | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const name = path.startsWith(prefix) ? path.slice(prefix.length) : '';
  const asset = name === 'logo' ? logo : assetOf(name);
  if (asset === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return false;
  response.writeHead(200, {
    'Content-Type': asset.type,
    'Content-Length': asset.bytes.length,
    'Cache-Control': 'public, max-age=31536000, immutable',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
  });
  response.end(asset.bytes);
  return true;
}

/** Read once, at its first use. */
function assetOf(name: string): Asset | undefined {
  const type = Object.hasOwn(types, name) ? types[name] : undefined;
  if (type === undefined) return undefined;
  let asset = read.get(name);
  if (asset === undefined) {
    const bytes = readFileSync(new URL(`./assets/${name}`, import.meta.url));
    asset = assetFrom(bytes, type);
    read.set(name, asset);
  }
  return asset;
}
