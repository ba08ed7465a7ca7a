import { describe } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { historyContract } from './contract-history.ts';

describe('MongoDB', () => {
  historyContract(newMongoPlace);
});
