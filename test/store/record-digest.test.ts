import { describe, expect, it } from 'vitest';
import { recordDigest } from '../../src/store/record/digest.ts';
import type { KeptVersion } from '../../src/store/port/transfer.ts';

const carried = { path: 'Basic.content', digest: 'ab', size: 3, contentType: 'image/gif' };
const version: KeptVersion = {
  type: 'Basic',
  id: 'a',
  version: 2,
  lastUpdated: 1_000,
  text: '{"resourceType":"Basic"}',
  attachments: [carried],
};

describe('recordDigest', () => {
  it('is SHA-256 of all that is kept, always the same', () => {
    expect(recordDigest(1, version)).toMatch(/^[\w-]{43}$/);
    expect(recordDigest(1, version)).toBe(recordDigest('1', { ...version }));
  });

  it.each<[what: string, other: Partial<KeptVersion>]>([
    ['type', { type: 'Media' }],
    ['id', { id: 'b' }],
    ['version', { version: 3 }],
    ['time', { lastUpdated: 1_001 }],
    ['text', { text: '{"resourceType":"Basic" }' }],
    ['deletion', { text: undefined }],
    ['empty text', { text: '' }],
    ['attachments', { attachments: [] }],
    ['order of attachments', { attachments: [{ ...carried, size: 4 }, carried] }],
    ['path of an attachment', { attachments: [{ ...carried, path: 'Basic.other' }] }],
    ['digest of an attachment', { attachments: [{ ...carried, digest: 'ac' }] }],
    ['size of an attachment', { attachments: [{ ...carried, size: 4 }] }],
    ['content type of an attachment', { attachments: [{ ...carried, contentType: 'image/png' }] }],
  ])('is another by another %s', (_, other) => {
    expect(recordDigest(1, { ...version, ...other })).not.toBe(recordDigest(1, version));
  });

  it('is another in another partition', () => {
    expect(recordDigest(2, version)).not.toBe(recordDigest(1, version));
  });

  it('of a deletion is not that of an empty text', () => {
    const none = { ...version, attachments: [] };
    expect(recordDigest(1, { ...none, text: undefined })).not.toBe(recordDigest(1, { ...none, text: '' }));
  });
});
