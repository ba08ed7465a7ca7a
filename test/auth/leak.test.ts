import { describe } from 'vitest';
import { newStorePlace } from '../support/store-place.ts';
import { leakProperty } from './support/leak.ts';

describe('what nobody may see leaks nowhere, with the shipped rules', () => {
  leakProperty(false, newStorePlace);
});
describe('what nobody may see leaks nowhere, with rules of every kind', () => {
  leakProperty(true, newStorePlace);
});
describe('what nobody may see leaks through no chain, `_has` or include', () => {
  leakProperty(true, newStorePlace, { joined: true });
});
