import { describe } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { leakProperty } from './support/leak.ts';
import { anyOperations } from './support/requests.ts';

describe('records without access leak nowhere, on MongoDB', () => {
  leakProperty(true, newMongoPlace, { usual: 10 });
  leakProperty(true, newMongoPlace, { usual: 4, joined: true });
  leakProperty(true, newMongoPlace, { usual: 4, several: true });
  leakProperty(true, newMongoPlace, { usual: 4, joined: true, requests: anyOperations });
});
