import { describe } from 'vitest';
import { newPlace } from '../store/support/fixture.ts';
import { publicUrlOf } from './public-url-of.ts';

describe('SQLite', () => {
  publicUrlOf(newPlace);
});
