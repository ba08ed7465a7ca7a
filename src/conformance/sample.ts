import { ask } from './checks/answer.ts';
import type { Context } from './context.ts';
import type { Known } from './records.ts';
import type { DeclaredType } from './statement.ts';

/** Takes up to `most` records of a type through the server's own search, page by page. */
export async function takeSample(context: Context, { name }: DeclaredType, most: number): Promise<void> {
  const count = Math.min(most, 100);
  const mostPages = Math.ceil(most / count) + 2; // a server may lower the size of a page
  const { matches } = await ask(context, name, [['_count', String(count)]], { findings: context.findings, mostPages });
  const found: Known[] = [];
  for (const resource of matches.slice(0, most)) {
    if (resource['resourceType'] !== name) continue;
    const known = context.records.add(resource);
    if (known !== undefined) found.push(known);
  }
  context.sample.set(name, found);
}
