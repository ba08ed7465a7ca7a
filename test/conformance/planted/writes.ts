import { inBundle, isRead, observation, write } from './kinds.ts';
import type { Planted } from './kinds.ts';

/** Faults of writes. */
export const writeFaults: readonly Planted[] = [
  {
    kind: 'a create is 200',
    ...write,
    found: ['write.create'],
    answer: (given, { method }) => {
      if (method === 'POST' && given.status === 201) given.status = 200;
    },
  },
  {
    kind: 'a create has no Location',
    ...write,
    found: ['write.create'],
    answer: given => {
      delete given.headers['location'];
    },
  },
  {
    kind: 'an update is not done',
    ...write,
    found: ['write.update'],
    request: asked => {
      if (asked.method === 'PUT' && !asked.path.includes('?')) asked.method = 'GET';
    },
  },
  {
    kind: 'If-Match is ignored',
    ...write,
    found: ['write.if-match'],
    request: asked => {
      delete asked.headers['if-match'];
    },
  },
  {
    kind: 'an earlier version has the current content',
    ...write,
    found: ['write.vread'],
    request: asked => {
      asked.path = asked.path.replace(/\/_history\/.+/, '');
    },
  },
  {
    kind: 'the history lacks a version',
    ...write,
    found: ['write.history'],
    answer: (given, { path }) => {
      if (path.endsWith('/_history')) given.text = given.text.replace('"versionId":"1"', '"versionId":"0"');
    },
  },
  {
    kind: 'a conditional create makes a second record',
    ...write,
    found: ['write.conditional-create'],
    request: asked => {
      delete asked.headers['if-none-exist'];
    },
  },
  {
    kind: 'a conditional update makes a second record',
    ...write,
    found: ['write.conditional-update'],
    request: asked => {
      if (asked.method === 'PUT' && asked.path.includes('?')) Object.assign(asked, { method: 'POST', path: 'Patient' });
    },
  },
  {
    kind: 'a conditional delete does nothing',
    ...write,
    found: ['write.conditional-delete'],
    request: asked => {
      if (asked.method === 'DELETE' && asked.path.includes('?')) asked.method = 'GET';
    },
  },
  {
    kind: 'a deleted record is read',
    ...write,
    found: ['write.delete'],
    answer: (given, asked) => {
      if (isRead(asked) && given.status === 410) given.status = 200;
    },
  },
  {
    kind: 'a deleted record is found',
    ...write,
    found: ['write.delete'],
    answer: inBundle(bundle => {
      if ((bundle.entry ?? []).length === 0)
        bundle.entry = [{ fullUrl: '', resource: { resourceType: 'Patient', id: 'x' }, search: { mode: 'match' } }];
    }, /identifier=/),
  },
  {
    kind: 'a batch fails as a whole',
    ...write,
    found: ['write.batch'],
    answer: (given, { body }) => {
      if (body.includes('"type":"batch"')) given.status = 400;
    },
  },
  {
    kind: 'a transaction leaves references',
    types: observation,
    areas: [],
    write: true,
    found: ['write.transaction'],
    request: asked => {
      if (asked.path === '') asked.body = asked.body.replace(/"fullUrl":"urn:uuid:/g, '"fullUrl":"urn:uuid:0');
    },
  },
  {
    kind: 'a transaction does a part',
    types: observation,
    areas: [],
    write: true,
    found: ['write.transaction'],
    request: asked => {
      asked.body = asked.body.replace(/,"ifMatch":"[^}]*"(?=})/, '');
    },
  },
];
