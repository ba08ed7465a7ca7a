/** Pages for browsers, below `{base}/{partition}`; those that begin with `//` are below the root. */
const pageCases = [
  '//',
  '',
  '/Patient',
  '/Observation?_count=50',
  '/Observation?_count=200',
  '/Observation?_count=50&_view=json',
  '/Patient/{patient}',
  '/Patient/{patient}?_view=json',
  '/Patient/{patient}?_view=check',
  '//explorer/demo/sign-in',
  '//explorer/demo/types/Patient',
  '//explorer/demo/types/Observation',
  '//explorer/demo/overview/Patient/{patient}',
  '//explorer/demo/indexes',
  '//explorer/demo/indexes?type=Observation',
  '//explorer/demo/profiles',
  '//explorer/demo/profile?url=Observation',
  '//explorer/demo/explain?query=Observation%3Fcode%3D8302-2',
] as const;

/** Interfaces whose pages are looked at, with the settings of the server and the pages. */
export const pageInterfaces = [
  ['the shipped interface', [], pageCases],
  ['all of R4', ['--interface', 'r4'], [...pageCases, '//explorer/demo/exports']],
] as const;
