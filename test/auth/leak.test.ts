import { describe } from 'vitest';
import { newStorePlace } from '../support/store-place.ts';
import { leakProperty } from './support/leak.ts';

describe('records without access leak nowhere, with the shipped rules', () => {
  leakProperty(false, newStorePlace);
});
describe('records without access leak nowhere, with rules of every kind', () => {
  leakProperty(true, newStorePlace);
});
describe('records without access leak through no chain, `_has` or include', () => {
  leakProperty(true, newStorePlace, { joined: true });
});
