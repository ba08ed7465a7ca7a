import { describe } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { jobsContract } from './contract.ts';

describe('jobs of a store in MongoDB', () => {
  jobsContract(newMongoPlace);
});
