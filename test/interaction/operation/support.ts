import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { readEvents } from '../../../src/audit/read-events.ts';
import { auditOf } from '../../support/audit-of.ts';
import type { Answer, Served } from '../../support/serve.ts';

/** The interface with every operation. */
export const flags = ['--definitions', join(import.meta.dirname, '../../fixtures/operations')];

/** Calls an operation with a resource as the body. */
export const post = (
  server: Served,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  server.ask('POST', path, {
    headers: { 'Content-Type': 'application/fhir+json', ...headers },
    body: JSON.stringify(body),
  });

export const parameters = (...parameter: object[]): object => ({
  resourceType: 'Parameters',
  ...(parameter.length === 0 ? {} : { parameter }),
});

/** The parts of returned Parameters as `name=value`, those with parts as `name(part=value …)`. */
export function printed({ json }: Answer): string {
  expect(json).toMatchObject({ resourceType: 'Parameters' });
  return printedParts(json.parameter);
}

interface Part {
  readonly name: string;
  readonly part?: readonly Part[];
}

function printedParts(parts: readonly Part[] = []): string {
  return parts
    .map(({ name, part, ...value }) => {
      if (part !== undefined) return `${name}(${printedParts(part)})`;
      const [given] = Object.values(value);
      return `${name}=${typeof given === 'string' ? given : JSON.stringify(given)}`;
    })
    .join(' ');
}

/** The audit events of a request, as soon as there are as many. */
export const eventsOf = ({ running }: Served, requestId: string, count = 1): Promise<readonly unknown[]> =>
  vi.waitFor(
    async () => {
      const found: unknown[] = [];
      for await (const { text } of readEvents(auditOf(running.engine.store)))
        if (text.includes(`"${requestId}"`)) found.push(JSON.parse(text));
      expect(found).toHaveLength(count);
      return found;
    },
    { timeout: 20_000 },
  );
