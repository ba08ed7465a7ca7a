import { hash } from 'node:crypto';

/** What a token is known by where it is kept for longer than its connection is open: whoever reads a store cannot use it. SHA-256, base64url. */
export const digestOf = (token: string): string => hash('sha256', token, 'base64url');
