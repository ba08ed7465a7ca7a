import { describe } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { meaningContract } from './contract-meaning.ts';

describe('MongoDB', () => {
  meaningContract(newMongoPlace);
});
