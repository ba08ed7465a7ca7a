import { describe } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { publicUrlContract } from './contract-public-url.ts';

describe('MongoDB', () => {
  publicUrlContract(newMongoPlace);
});
