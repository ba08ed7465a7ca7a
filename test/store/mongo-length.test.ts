import { describe } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { lengthContract } from './contract-length.ts';

describe('MongoDB', () => {
  lengthContract(newMongoPlace);
});
