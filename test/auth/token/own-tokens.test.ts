import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TokenRefused } from '../../../src/auth/claims.ts';
import { digestOf } from '../../../src/auth/token/digest.ts';
import { issueToken, tokenCollection } from '../../../src/auth/token/own-tokens.ts';
import type { TokenGrant } from '../../../src/auth/token/own-tokens.ts';
import type { DocumentStore } from '../../../src/store/port/documents.ts';
import { serve } from '../../support/serve.ts';
import type { Served } from '../../support/serve.ts';
import { baseOf, verifying } from './support/verifier.ts';

let server: Served;
let tokens: DocumentStore;
beforeAll(async () => {
  server = await serve();
  tokens = server.running.engine.store.documents(tokenCollection);
});
afterAll(() => server.close());

const grant = (more: Partial<TokenGrant> = {}): TokenGrant => ({
  client: 'app',
  subject: 'u1',
  scope: 'patient/Patient.rs',
  patient: 'p1',
  audience: baseOf('clinic'),
  issued: Date.now(),
  expires: Date.now() + 3_600_000,
  ...more,
});

describe('a token of our own', () => {
  it('says what it was granted, and is kept by its digest alone', async () => {
    const token = await issueToken(tokens, grant());
    expect(token).toMatch(/^crs_[A-Za-z0-9_-]{43}$/);
    expect(await tokens.get(token)).toBeUndefined();
    expect(JSON.stringify(await tokens.get(digestOf(token)))).not.toContain(token);
    const { verify } = verifying([], { tokens });
    const claims = await verify(token, 'clinic');
    expect(claims).toMatchObject({
      client: 'app',
      subject: 'u1',
      scope: 'patient/Patient.rs',
      patient: 'p1',
      partition: 'clinic',
    });
    expect(verify(token, 'clinic')).toBe(claims); // at once, and the same: what follows from claims is kept with them
    await expect(verify(token, 'lab')).rejects.toThrow(TokenRefused);
  });

  it('is never the same twice', async () => {
    const made = await Promise.all(Array.from({ length: 200 }, () => issueToken(tokens, grant())));
    expect(new Set(made).size).toBe(200);
  });

  it('works at once, also where it was asked for before it was there', async () => {
    const { verify } = verifying([], { tokens });
    const token = `crs_${'b'.repeat(43)}`;
    await expect(verify(token, 'clinic')).rejects.toThrow(TokenRefused);
    await tokens.put(digestOf(token), grant());
    expect((await verify(token, 'clinic')).client).toBe('app');
  });

  it('that was revoked is refused within ten seconds', async () => {
    const { verify, clock } = verifying([], { tokens });
    const token = await issueToken(tokens, grant());
    await verify(token, 'clinic');
    await tokens.delete(digestOf(token));
    clock.now += 9_999;
    await verify(token, 'clinic');
    clock.now += 1;
    await expect(verify(token, 'clinic')).rejects.toThrow('has expired or was revoked');
  });

  it('that has expired is refused, also where it is remembered', async () => {
    const { verify, clock } = verifying([], { tokens });
    const token = await issueToken(tokens, grant({ expires: clock.now + 2_000 }));
    await verify(token, 'clinic');
    clock.now += 2_000;
    await expect(verify(token, 'clinic')).rejects.toThrow(TokenRefused);
  });

  it('that has expired is removed from memory within ten seconds, although it is not sent again', async () => {
    const { verify, clock } = verifying([], { tokens });
    const token = await issueToken(tokens, grant({ expires: clock.now + 2_000 }));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      await verify(token, 'clinic');
      clock.now += 1_999;
      vi.advanceTimersByTime(10_000);
      expect(vi.getTimerCount()).toBe(1); // it is still remembered
      clock.now += 1;
      vi.advanceTimersByTime(10_000);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each<[title: string, audience: string]>([
    ['another partition', baseOf('lab')],
    ['another service', 'https://other.example/r4/clinic'],
    ['another service whose address is as long', 'https://ehr.another/r4/clinic'],
    ['an address that begins alike', 'https://ehr.example.evil/r4/clinic'],
    ['a path below the partition', `${baseOf('clinic')}/Patient`],
    ['nothing', ''],
  ])('for %s is refused', async (_, audience) => {
    const { verify } = verifying([], { tokens });
    await expect(verify(await issueToken(tokens, grant({ audience })), 'clinic')).rejects.toThrow(TokenRefused);
  });

  it('that differs in one character, or is the digest of one, is refused', async () => {
    const { verify } = verifying([], { tokens });
    const token = await issueToken(tokens, grant());
    const last = token.endsWith('A') ? 'B' : 'A';
    for (const wrong of [
      token.slice(0, -1) + last,
      token.toLowerCase(),
      token.slice(4),
      digestOf(token),
      `${token}=`,
    ]) {
      await expect(verify(wrong, 'clinic')).rejects.toThrow(TokenRefused);
    }
  });
});
