import { describe } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { redefineContract } from './contract-redefine.ts';

describe('MongoDB', () => {
  redefineContract(newMongoPlace);
});
