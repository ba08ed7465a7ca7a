import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';

const types: Readonly<Record<string, string>> = {
  'style.css': 'text/css; charset=utf-8',
  'explorer.css': 'text/css; charset=utf-8',
  'record.css': 'text/css; charset=utf-8',
  'overview.css': 'text/css; charset=utf-8',
  'definitions.css': 'text/css; charset=utf-8',
  'explorer.js': 'text/javascript; charset=utf-8',
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

/** The static files below one path. */
export interface Assets {
  /** The path of a file, with its version. */
  link(name: string): string;
  /** The path of the logo: the one of the settings, or the default. */
  logo(logo: Asset | undefined): string;
  /**
   * Answers with the file; returns false if there is none of that name. Browsers cache it, since another version has
   * another URL.
   */
  send(path: string, logo: Asset | undefined, request: IncomingMessage, response: ServerResponse): boolean;
}

const read = new Map<string, Asset>();

/** The static files below a path that ends with a slash. */
export function assetsBelow(prefix: string): Assets {
  const linkTo = (name: string, asset: Asset | undefined): string => `${prefix}${name}?v=${asset?.version ?? ''}`;
  const link = (name: string): string => linkTo(name, assetOf(name));
  return {
    link,
    logo: logo => (logo === undefined ? link('mark.svg') : linkTo('logo', logo)),
    send(path, logo, request, response) {
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
    },
  };
}

export const assetFrom = (bytes: Buffer, type: string): Asset => ({
  bytes,
  type,
  version: hash('sha256', bytes, 'hex').slice(0, 12),
});

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
