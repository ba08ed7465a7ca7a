import { describe } from 'vitest';
import { newStorePlace } from '../support/store-place.ts';
import { jobsContract } from './contract.ts';

describe('jobs of a store in SQLite', () => {
  jobsContract(newStorePlace);
});
