import type { StoredVersion } from '../../../store/port/records.ts';

/** The latest records of each group, while records are added in the order of the newest first. */
export interface Groups {
  /** `keys` are those of the codings of the record: records with a common one belong together, and so on. */
  add(record: StoredVersion, keys: readonly string[]): void;
  /** The groups in the order of their newest records, each with the newest first. */
  read(): readonly (readonly StoredVersion[])[];
}

interface Group {
  /** The group into which it was merged. */
  into: Group | undefined;
  /** Records with their place in the order, the newest first. */
  latest: readonly { readonly at: number; readonly record: StoredVersion }[];
}

/**
 * Groups records by equivalent codings, at most `max` records in a group: a record with two codings joins the groups of
 * both. A record without any is a group of its own. https://hl7.org/fhir/R4/observation-operation-lastn.html
 */
export function createGroups(max: number): Groups {
  const byKey = new Map<string, Group>();
  const groups = new Set<Group>();
  let count = 0;
  const rootOf = (group: Group): Group => {
    let root = group;
    while (root.into !== undefined) root = root.into;
    return root;
  };
  const merge = (group: Group, other: Group): void => {
    if (group === other) return;
    other.into = group;
    groups.delete(other);
    group.latest = [...group.latest, ...other.latest].toSorted((a, b) => a.at - b.at).slice(0, max);
    other.latest = [];
  };
  return {
    add(record, keys) {
      const known = keys.flatMap(key => byKey.get(key) ?? []).map(rootOf);
      const [group = { into: undefined, latest: [] }, ...others] = known;
      groups.add(group);
      for (const other of others) merge(group, rootOf(other));
      if (group.latest.length < max) group.latest = [...group.latest, { at: count, record }];
      for (const key of keys) byKey.set(key, group);
      count += 1;
    },
    read: () =>
      [...groups]
        .toSorted((a, b) => (a.latest[0]?.at ?? 0) - (b.latest[0]?.at ?? 0))
        .map(({ latest }) => latest.map(({ record }) => record)),
  };
}
