import { accountList } from './account-list.ts';

/** A table of the users, or JSON with all of their properties except the digests of their passwords. */
export const command = accountList({
  of: 'users',
  read: registry => registry.users(),
  columns: {
    NAME: ({ name }) => name,
    PARTITIONS: ({ partitions }) =>
      partitions.map(({ id, fhirUser }) => (fhirUser === undefined ? id : `${id} (${fhirUser})`)).join(', '),
  },
  json: ({ name, partitions }) => ({ name, partitions }),
});
