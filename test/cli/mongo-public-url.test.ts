import { describe } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { publicUrlOf } from './public-url-of.ts';

describe('MongoDB', () => {
  publicUrlOf(newMongoPlace);
});
