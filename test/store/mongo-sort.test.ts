import { describe } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { sortContract } from './contract-sort.ts';

describe('MongoDB', () => {
  sortContract(newMongoPlace);
});
