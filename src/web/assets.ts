import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';

const types: Readonly<Record<string, string>> = {
  'style.css': 'text/css; charset=utf-8',
  'picker.js': 'text/javascript; charset=utf-8',
  'mark.svg': 'image/svg+xml',
};

interface Asset {
  readonly bytes: Buffer;
  readonly type: string;
  /** Part of its link, so that a new version is another one. */
  readonly version: string;
}

const read = new Map<string, Asset>();

const prefix = '/auth/assets/';

/** The path of a file that pages need, with its version. */
export const assetLink = (name: string): string => `${prefix}${name}?v=${assetOf(name)?.version ?? ''}`;

/** Answers with the file; false where there is none of that name. Browsers keep it, since another version has another link. */
export function sendAsset(path: string, request: IncomingMessage, response: ServerResponse): boolean {
  const asset = path.startsWith(prefix) ? assetOf(path.slice(prefix.length)) : undefined;
  if (asset === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return false;
  response.writeHead(200, {
    'Content-Type': asset.type,
    'Content-Length': asset.bytes.length,
    'Cache-Control': 'public, max-age=31536000, immutable',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
  });
  response.end(asset.bytes);
  return true;
}

/** Read once, when it is first asked for. */
function assetOf(name: string): Asset | undefined {
  const type = Object.hasOwn(types, name) ? types[name] : undefined;
  if (type === undefined) return undefined;
  let asset = read.get(name);
  if (asset === undefined) {
    const bytes = readFileSync(new URL(`./assets/${name}`, import.meta.url));
    asset = { bytes, type, version: hash('sha256', bytes, 'hex').slice(0, 12) };
    read.set(name, asset);
  }
  return asset;
}
