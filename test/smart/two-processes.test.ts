import { describe } from 'vitest';
import { contractOfTwoProcesses } from './contract-two-processes.ts';

describe('two processes on SQLite', () => {
  contractOfTwoProcesses();
});
