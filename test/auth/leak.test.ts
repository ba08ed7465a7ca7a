import { describe } from 'vitest';
import { newStorePlace } from '../support/store-place.ts';
import { leakFault, leakProperty } from './support/leak.ts';
import { plantForgetting, plantWithoutCriteria } from './support/plant.ts';
import {
  anyContained,
  anyHierarchical,
  anyListed,
  anyNear,
  anyOperations,
  anyStored,
  anyTransactions,
  anyWorded,
} from './support/requests.ts';

/** Without these nothing could leak through a search. */
const needed = ['match', 'include', 'omitted', 'GET 200'];

describe('records without access leak nowhere, with the shipped rules', () => {
  leakProperty(false, newStorePlace);
});
describe('records without access leak nowhere, with rules of every kind', () => {
  leakProperty(true, newStorePlace);
});
describe('records without access leak through no chain, `_has` or include', () => {
  leakProperty(true, newStorePlace, { joined: true, usual: 7 });
});
describe('records without access leak through no search of several types or of a compartment', () => {
  leakProperty(true, newStorePlace, { several: true, usual: 7 });
});
describe('records without access leak through no full-text search and no score', () => {
  leakProperty(true, newStorePlace, { joined: true, requests: anyWorded, usual: 7 });
});
describe('records without access leak through no search parameter that a client has stored', () => {
  leakProperty(true, newStorePlace, { joined: true, requests: anyStored, usual: 10, isDefining: true, needed });
});
describe('a search by a stored parameter that forgets whose records they are', () => {
  leakFault(newStorePlace, plantForgetting('search'), { joined: true, requests: anyStored, isDefining: true });
});
describe.each(['search', 'count'] as const)('a full-text %s that forgets whose records they are', method => {
  leakFault(newStorePlace, plantForgetting(method), { joined: true, requests: anyWorded });
});
describe('records without access leak through no transaction', () => {
  leakProperty(true, newStorePlace, { requests: anyTransactions, usual: 12, needed: ['match', 'create 200'] });
});
describe('a transaction whose searches forget whose records they are', () => {
  leakFault(newStorePlace, plantForgetting('search', 'Communication'), { requests: anyTransactions });
});
describe('a search of lists for their items that forgets whose lists they are', () => {
  leakFault(newStorePlace, plantForgetting('search', 'List'), {
    joined: true,
    types: ['List', 'Condition'],
    requests: anyListed,
  });
});
describe('a search of encounters for those below another that forgets whose they are', () => {
  leakFault(newStorePlace, plantForgetting('search', 'Encounter'), {
    joined: true,
    types: ['Encounter', 'Condition'],
    requests: anyHierarchical,
  });
});
describe('a search of positions that forgets whose they are', () => {
  leakFault(newStorePlace, plantWithoutCriteria('Location'), { joined: true, types: ['Location'], requests: anyNear });
});
describe('records without access leak through no contained resource', () => {
  leakProperty(true, newStorePlace, { joined: true, usual: 7, requests: anyContained });
});
describe('a search of contained resources that forgets whose their containers are', () => {
  leakFault(newStorePlace, plantWithoutCriteria('Location'), {
    joined: true,
    types: ['Location'],
    requests: anyContained,
  });
});
describe.each(['search', 'count'] as const)('a %s of several types that forgets whose records they are', method => {
  leakFault(newStorePlace, plantForgetting(method), { several: true });
});
describe('records without access leak through no operation', () => {
  leakProperty(true, newStorePlace, { joined: true, usual: 7, requests: anyOperations });
});
describe('operations that forget whose records they return', () => {
  leakFault(newStorePlace, plantForgetting('search'), { joined: true, requests: anyOperations });
});
