/** The parts of a run, in a module of their own that the command line loads before the tester. */
export const areas = [
  'read',
  'search',
  'sort',
  'include',
  'chain',
  'filter',
  'compartment',
  'operation',
  'paging',
  'errors',
  'negotiation',
] as const;

export type Area = (typeof areas)[number];
