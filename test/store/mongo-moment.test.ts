import { describe } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { momentContract } from './contract-moment.ts';

describe('a moment of MongoDB', () => {
  momentContract(newMongoPlace);
});
