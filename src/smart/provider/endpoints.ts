import type { Rate } from '../../limits/token-buckets.ts';

/** Paths below the issuer, with the methods that they accept. */
export const endpoints = {
  '/authorize': ['GET', 'POST'],
  '/authorize/:uid': ['GET'],
  '/token': ['POST'],
  '/introspect': ['POST'],
  '/revoke': ['POST'],
  '/userinfo': ['GET', 'POST'],
  '/jwks': ['GET'],
} as const;

export type Endpoint = keyof typeof endpoints;

/**
 * The rate limit on authorization requests of one network: a hospital begins fewer. The store has each request that
 * waits for its user, and anyone may begin one, so that a flood would fill the disk.
 */
export const authorizeRate: Rate = { capacity: 300, perSecond: 30 };
