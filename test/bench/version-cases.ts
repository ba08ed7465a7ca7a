import type { JoinCase, JoinedRequest } from './join-cases.ts';

/** An update beside a create of the same record. */
export const updateCase = { name: 'update to create', most: 1.2 } as const;

/** The history of a record that was updated often, and of a type, whose page 1,000 is compared with page 1. */
export const recordHistory = {
  name: 'page 1,000 to page 1 of the history of a record',
  most: 1.2,
  /** Versions of a page, as many as of a type: with fewer the token of a page, which all have, is all that counts. */
  count: 20,
  versions: 20_002,
} as const;

export const historyCases: readonly JoinCase[] = [
  {
    name: 'page 1,000 to page 1 of the history of a type',
    most: 1.2,
    requests: (_, ask) => deepPageOf('/r4/demo/Observation/_history?_count=20', ask),
  },
];

/** All of them, for their budgets. */
export const versionCases: readonly { readonly name: string; readonly most: number }[] = [
  updateCase,
  recordHistory,
  ...historyCases,
];

/** Walks to page 1,000, which is compared with page 1. Throws Error where the history has fewer pages. */
export async function deepPageOf(
  first: string,
  ask: (path: string) => Promise<object>,
): Promise<readonly JoinedRequest[]> {
  let path = first;
  for (let page = 1; page < 1_000; page += 1) {
    const { link } = (await ask(path)) as { link: readonly { relation: string; url: string }[] }; // a Bundle
    const next = link.find(({ relation }) => relation === 'next')?.url;
    if (next === undefined) throw new Error(`${first} has only ${page} pages`);
    path = next.replace(/^[a-z]+:\/\/[^/]+/, '');
  }
  return [{ path, plain: [first] }];
}
