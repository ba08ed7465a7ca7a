// What an explanation shows of a command to MongoDB: parameters, and no value.
import { expect, it } from 'vitest';
import { withoutValues } from '../../src/store/mongo/trace.ts';

const names = new Set(['code', 'patient+code', 'onset~']);

it.each([
  [
    { find: 'Observation', filter: { t: 'k1|code|718-7' } },
    { find: 'Observation', filter: { t: '?|code|?' } },
  ],
  [
    { filter: { t: { $in: ['k1|patient+code|p1 a', 'k1|patient+code|p1 b', 'k1|code|x'] } } },
    { filter: { t: { $in: ['?|patient+code|? (2 values)', '?|code|?'] } } },
  ],
  [{ filter: { t: 'k1|*' } }, { filter: { t: '?|*' } }],
  // A value may look like a term, of a parameter that there is or of none.
  [
    { filter: { t: 'k1|secret|x', s: 'k2|code|x', 'o.name': 'Roy|code|x' } },
    { filter: { t: '?', s: '?', 'o.name': '?' } },
  ],
  [
    { filter: { $and: [{ s: { $elemMatch: { $regex: '^k1\\|code\\|.*roy', $options: 's' } } }] } },
    { filter: { $and: [{ s: { $elemMatch: { $regex: '?', $options: '?' } } }] } },
  ],
  [
    { filter: { d: { $elemMatch: { k: 'k1|onset~|', lo: { $gte: 5, $lt: 7 } } }, text: { $exists: true }, n: null } },
    {
      filter: { d: { $elemMatch: { k: '?|onset~|?', lo: { $gte: '?', $lt: '?' } } }, text: { $exists: true }, n: '?' },
    },
  ],
  [
    { filter: { _id: 'k1/p1' }, projection: { text: 1 }, sort: { _id: 1 }, limit: 21, hint: '_id_' },
    { filter: { _id: '?' }, projection: { text: 1 }, sort: { _id: 1 }, limit: 21, hint: '_id_' },
  ],
])('%j has placeholders', (command, shown) => {
  expect(withoutValues(command, 'k1', names)).toEqual(shown);
});
