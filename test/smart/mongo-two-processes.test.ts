import { describe } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { contractOfTwoProcesses } from './contract-two-processes.ts';

describe('two processes on MongoDB', () => {
  contractOfTwoProcesses(() => newMongoPlace());
});
