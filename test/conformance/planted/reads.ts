import { html, isRead, patient, read, rewritten } from './kinds.ts';
import type { Planted } from './kinds.ts';

/** Faults of reads, errors, formats and metadata. */
export const readFaults: readonly Planted[] = [
  {
    kind: 'an unknown modifier is accepted',
    areas: ['errors'],
    types: patient,
    found: ['modifier.unknown'],
    ...rewritten(/:qzxj[^=]*=/, '='),
  },
  {
    kind: 'a read answers another record',
    ...read,
    found: ['read.record'],
    request: asked => {
      if (isRead(asked) && !asked.path.includes('qzxj')) asked.path = 'Patient/p2';
    },
  },
  {
    kind: 'a read answers other content',
    ...read,
    found: ['read.record'],
    answer: (given, asked) => {
      if (isRead(asked)) given.text = given.text.replace('"gender":"', '"gender":"fe');
    },
  },
  {
    kind: 'an ETag names another version',
    ...read,
    found: ['read.etag'],
    answer: (given, asked) => {
      if (isRead(asked) && given.status === 200) given.headers['etag'] = 'W/"999"';
    },
  },
  {
    kind: 'Last-Modified is another time',
    ...read,
    found: ['read.last-modified'],
    answer: (given, asked) => {
      if (isRead(asked) && given.status === 200) given.headers['last-modified'] = new Date(0).toUTCString();
    },
  },
  {
    kind: 'an unknown id is 200',
    ...read,
    found: ['read.unknown'],
    request: asked => {
      if (isRead(asked) && asked.path.includes('qzxj')) asked.path = 'Patient/p2';
    },
  },
  {
    kind: 'an unknown version is 200',
    ...read,
    found: ['vread.unknown'],
    request: asked => {
      asked.path = asked.path.replace('_history/qzxj-no-such-id', '_history/1');
    },
  },
  {
    kind: 'If-None-Match is ignored',
    ...read,
    found: ['conditional-read.none-match'],
    request: asked => {
      delete asked.headers['if-none-match'];
    },
  },
  {
    kind: 'If-Modified-Since is ignored',
    ...read,
    found: ['conditional-read.modified-since'],
    request: asked => {
      delete asked.headers['if-modified-since'];
    },
  },
  {
    kind: 'an error is HTML',
    ...read,
    found: ['negotiation.media-type'],
    answer: given => {
      if (given.status === 404) html(given);
    },
  },
  {
    kind: 'an error has no OperationOutcome',
    ...read,
    found: ['error.outcome'],
    answer: given => {
      if (given.status === 404) given.text = '{"message":"no"}';
    },
  },
  {
    kind: 'an unknown type is an empty searchset',
    areas: ['errors'],
    types: patient,
    found: ['error.unknown-type'],
    answer: (given, { path }) => {
      if (path === 'QzxjNoSuchType')
        Object.assign(given, { status: 200, text: '{"resourceType":"Bundle","type":"searchset"}' });
    },
  },
  {
    kind: 'an unknown parameter is accepted',
    areas: ['errors'],
    types: patient,
    found: ['error.unknown-parameter'],
    ...rewritten(/qzxj-no-such-parameter=1/, ''),
  },
  {
    kind: 'a malformed date is accepted',
    areas: ['errors'],
    types: patient,
    found: ['error.value'],
    ...rewritten(/[^?&]+=qzxj-no-date/, ''),
  },
  {
    kind: '_format is ignored',
    areas: ['negotiation'],
    types: patient,
    found: ['negotiation.format'],
    answer: (given, { path }) => {
      if (path.includes('_format')) html(given);
    },
  },
  {
    kind: 'a declared format is not served',
    areas: ['negotiation'],
    types: patient,
    found: ['metadata.format'],
    answer: (given, { path }) => {
      if (path === 'metadata') given.text = given.text.replace('"format":[', '"format":["ttl",');
    },
  },
  {
    kind: 'the statement is not of R4',
    areas: [],
    types: patient,
    found: ['metadata.statement'],
    answer: (given, { path }) => {
      if (path === 'metadata') given.text = given.text.replace('"4.0.1"', '"5.0.0"');
    },
  },
  {
    kind: 'SMART is declared, and its metadata are missing',
    areas: [],
    types: patient,
    found: ['smart.configuration'],
    answer: (given, { path }) => {
      if (path === 'metadata')
        given.text = given.text.replace(
          '"mode":"server"',
          '"mode":"server","security":{"service":[{"coding":[{"code":"SMART-on-FHIR"}]}]}',
        );
    },
  },
];
