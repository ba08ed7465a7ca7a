import { describe } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { wordsContract } from './contract-words.ts';

describe('MongoDB', () => {
  wordsContract(newMongoPlace);
});
