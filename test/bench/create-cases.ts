import type { RequestCase } from './cases.ts';
import { counterMark } from './protocol.ts';

/**
 * Creates go to a store of their own, since they change what they find; each sends other bytes, so that all are
 * written.
 */
export const createCases: readonly RequestCase[] = [
  { ...pictures(10_000), name: 'Media create, 10 KB', rate: 800 },
  { ...pictures(5_000_000), name: 'Media create, 5 MB', connections: [1, 4] },
];

/** The record that the creates are about. */
export const subject = { resourceType: 'Patient', id: 'pictured', name: [{ family: 'Pictured' }] };

function pictures(bytes: number): Omit<RequestCase, 'name'> {
  return {
    ofFloor: undefined,
    subjects: ['service'],
    status: 201,
    requests: () => [
      {
        path: '/r4/demo/Media',
        method: 'POST',
        headers: { 'Content-Type': 'application/fhir+json' },
        body: JSON.stringify({
          resourceType: 'Media',
          status: 'completed',
          subject: { reference: `${subject.resourceType}/${subject.id}` },
          content: { contentType: 'image/png', data: png(bytes) },
        }),
      },
    ],
  };
}

/** Base64 of so many bytes that begin as a picture does, with a place for a number. */
function png(bytes: number): string {
  const head = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64').replaceAll('=', '');
  const length = Math.ceil(bytes / 3) * 4;
  return `${head}A${counterMark}`.padEnd(length, 'abcdefgh');
}
