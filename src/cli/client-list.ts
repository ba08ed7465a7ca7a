import { accountList } from './account-list.ts';

/** A table of the clients, or JSON with all of their properties except the digests of their secrets. */
export const command = accountList({
  of: 'clients',
  read: registry => registry.clients(),
  columns: {
    NAME: ({ name }) => name,
    KIND: ({ kind }) => kind,
    FLOWS: ({ flows }) => flows.join(', '),
    PARTITIONS: ({ partitions }) => partitions.join(', '),
    'REDIRECT URIS': ({ redirectUris }) => redirectUris.join(', '),
    SECRETS: ({ kind, secretDigests }) => (kind === 'symmetric' ? String(secretDigests.length) : ''),
  },
  json: ({ secretDigests, ...client }) => ({ ...client, secrets: secretDigests.length }),
});
