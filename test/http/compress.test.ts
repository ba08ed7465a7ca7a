// https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { compress, encodingFor } from '../../src/http/answer/respond.ts';

describe('encodingFor', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br', 'br'],
    ['GZIP, Deflate', 'gzip'],
    ['br, gzip, deflate', 'gzip'],
    ['br;q=1, gzip;q=0.5', 'br'],
    ['gzip;q=0, br', 'br'],
    ['gzip;q=0', undefined],
    ['*', 'gzip'],
    ['*;q=0', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['deflate, zstd', undefined],
    ['gzip;q=x', undefined],
  ])('%s → %s', (accept, encoding) => {
    expect(encodingFor(accept)).toBe(encoding);
  });
});

describe('compress', () => {
  it('makes what the decoders read', async () => {
    const text = JSON.stringify({ family: 'Lefebvre-Côté', given: Array.from({ length: 500 }, () => 'Zoë') });
    expect(gunzipSync(await compress(text, 'gzip')).toString()).toBe(text);
    expect(brotliDecompressSync(await compress(text, 'br')).toString()).toBe(text);
  });
});
