import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Exchange } from './load.ts';
import { create } from './load.ts';

interface Outcome {
  readonly resourceType: string;
  readonly issue: readonly { readonly code: string; readonly diagnostics: string }[];
}

/** Codes of the refusals among them; each must be 503 with Retry-After and an OperationOutcome, within the time. */
export function refusals(exchanges: readonly Exchange[], longest: number): ReadonlySet<string> {
  const codes = new Set<string>();
  expect(exchanges.filter(({ status }) => ![200, 201, 503].includes(status))).toEqual([]);
  const refused = exchanges.filter(({ status }) => status === 503);
  expect(refused.filter(({ milliseconds }) => milliseconds > longest)).toEqual([]);
  for (const { retryAfter, text } of refused) {
    expect(Number(retryAfter)).toBeGreaterThan(0);
    const { resourceType, issue } = JSON.parse(text) as Outcome;
    expect([resourceType, issue.length]).toEqual(['OperationOutcome', 1]);
    codes.add(issue[0]?.code ?? '');
  }
  return codes;
}

/**
 * Every create sent again gets the answer that was acknowledged, or makes its record now; there is one record for each.
 */
export async function noneLostOrDoubled(exchanges: readonly Exchange[], base: string): Promise<void> {
  const creates = exchanges.filter(({ what }) => what === 'create');
  const queue = [...creates];
  const ids = new Map<string, number>();
  const again = async (): Promise<void> => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const number = next.number ?? -1;
      const { status, text } = await create(base, number);
      expect([status, text]).toEqual([201, next.status === 201 ? next.text : text]);
      ids.set((JSON.parse(text) as { id: string }).id, number);
    }
  };
  await Promise.all(Array.from({ length: 8 }, again));
  expect(ids.size).toBe(new Set(creates.map(({ number }) => number)).size);
}

/** What `/readyz` says. */
export async function readiness(url: string): Promise<{ readonly status: number; readonly said: string }> {
  const response = await fetch(`${url}/readyz`);
  const body = (await response.json()) as Outcome & { readonly status?: string };
  return { status: response.status, said: body.status ?? body.issue[0]?.diagnostics ?? '' };
}

/** Waits until `/readyz` answers 200; rejects after so many milliseconds. */
export async function ready(url: string, longest = 20_000): Promise<void> {
  const started = performance.now();
  for (;;) {
    const { status, said } = await readiness(url);
    if (status === 200) return;
    if (performance.now() - started > longest) throw new Error(`Not ready after ${longest} ms: ${said}`);
    await setTimeout(50);
  }
}
