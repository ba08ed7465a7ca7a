import { describe } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { indexUsageContract } from './contract-index-usage.ts';

describe('MongoDB', () => {
  indexUsageContract(newMongoPlace);
});
