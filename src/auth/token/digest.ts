import { hash } from 'node:crypto';

/** What a token is known by where it is kept: whoever reads a store or a heap cannot use it. SHA-256, base64url. */
export const digestOf = (token: string): string => hash('sha256', token, 'base64url');
