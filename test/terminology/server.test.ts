// https://hl7.org/fhir/R4/valueset-operation-validate-code.html, held against a server that speaks it
import { describe, expect, it } from 'vitest';
import type { Question } from '../../src/terminology/question.ts';
import { createTerminologyServer } from '../../src/terminology/server.ts';
import { result, terminologyServer } from '../support/terminology-server.ts';

const question = (code = 'a', more: Partial<Question> = {}): Question => ({
  valueSet: 'https://example.org/ValueSet/v',
  system: 'https://example.org/system',
  code,
  ...more,
});

function clock() {
  let time = 0;
  return { now: () => time, pass: (milliseconds: number) => (time += milliseconds) };
}

const open = (url: string, more: { readonly timeout?: number; readonly now?: () => number } = {}) =>
  createTerminologyServer({ url, timeout: 5_000, ...more });

describe('a terminology server', () => {
  it('is sent a ValueSet, a system and a code, and nothing else', async () => {
    const there = await terminologyServer({ in: ['a'] });
    const server = open(there.url);
    const asked = question('a', { valueSet: 'https://example.org/ValueSet/v|1.2' });
    expect(await server.ask(asked)).toBe('in');
    expect(there.received.map(({ path, query }) => [path, query])).toEqual([
      [
        '/r4/ValueSet/$validate-code',
        {
          url: 'https://example.org/ValueSet/v',
          valueSetVersion: '1.2',
          system: 'https://example.org/system',
          code: 'a',
        },
      ],
    ]);
  });

  it.each<[string, object, string]>([
    ['true', result(true), 'in'],
    ['false', result(false, { name: 'message', valueString: 'The code was not found in the value set' }), 'out'],
    ['false without a word', result(false), 'out'],
    [
      'false for a system that it does not know',
      result(false, { name: 'x-caused-by-unknown-system', valueCanonical: 'x' }),
      'unsure',
    ],
    [
      'false, and says so in words alone',
      result(false, { name: 'message', valueString: "CodeSystem is unknown and can't be validated: x" }),
      'unsure',
    ],
    [
      'false with an issue of what it did not find',
      result(false, { name: 'issues', resource: { issue: [{ code: 'not-found' }] } }),
      'unsure',
    ],
    [
      'false with an issue of the code',
      result(false, {
        name: 'issues',
        resource: { issue: [{ code: 'code-invalid', details: { coding: [{ code: 'not-in-vs' }] } }] },
      }),
      'out',
    ],
    ['something else', { resourceType: 'OperationOutcome' }, 'unsure'],
    ['nothing of FHIR', ['x'], 'unsure'],
  ])('says %s', async (_title, body, answer) => {
    const there = await terminologyServer({ body });
    expect(await open(there.url).ask(question())).toBe(answer);
  });

  it.each<[number, string]>([
    [404, 'unsure'],
    [422, 'unsure'],
    [302, 'unreachable'],
    [401, 'unreachable'],
    [500, 'unreachable'],
    [503, 'unreachable'],
  ])('answers %i: that is %s', async (status, answer) => {
    const there = await terminologyServer({ status });
    expect(await open(there.url).ask(question())).toBe(answer);
  });

  it('that answers no JSON, or more than a code needs, is as good as none', async () => {
    const there = await terminologyServer({ text: '<html>' });
    expect(await open(there.url).ask(question())).toBe('unreachable');
    there.behave({ body: result(true, { name: 'message', valueString: 'x'.repeat(300_000) }) });
    expect(await open(there.url).ask(question())).toBe('unreachable');
  });

  it('that says nothing is not waited for', async () => {
    const there = await terminologyServer('silence');
    const server = open(there.url, { timeout: 50 });
    // More than it is asked at a time: those that wait have no more time than the others.
    const answers = await Promise.all(Array.from({ length: 30 }, (_, at) => server.ask(question(`c${at}`))));
    expect(new Set(answers)).toEqual(new Set(['unreachable']));
  });

  it.each<[string, Partial<Question>]>([
    ['a code with a name in it that is too long', { code: 'x'.repeat(65) }],
    ['a text in place of a code', { code: 'The patient said that it hurts a lot' }],
    ['a code with other letters', { code: 'Zoë' }],
    ['a system that is no URI', { system: 'mrn' }],
    ['no system', { system: '' }],
    ['a system with spaces', { system: 'urn:x Ann Smith' }],
  ])('is not sent %s', async (_title, more) => {
    const there = await terminologyServer({ in: [] });
    expect(await open(there.url).ask(question('a', more))).toBe('unsure');
    expect(there.received).toEqual([]);
  });

  it('is asked once for the same, and again when that is a day old', async () => {
    const there = await terminologyServer({ in: ['a'] });
    const { now, pass } = clock();
    const server = open(there.url, { now });
    expect(server.known(question())).toBeUndefined();
    expect(await Promise.all([server.ask(question()), server.ask(question())])).toEqual(['in', 'in']);
    expect(await server.ask(question())).toBe('in');
    expect(server.known(question())).toBe('in');
    expect(there.received).toHaveLength(1);
    there.behave({ in: [] });
    pass(24 * 3_600_000);
    expect(server.known(question())).toBeUndefined();
    expect(await server.ask(question())).toBe('out');
  });

  it('that fails three times is left alone, longer each time, until it answers', async () => {
    const there = await terminologyServer({ status: 500 });
    const { now, pass } = clock();
    const server = open(there.url, { now });
    const ask = async (count: number): Promise<number> => {
      const before = there.received.length;
      for (let turn = 0; turn < count; turn++) await server.ask(question(`c${there.received.length}${turn}`));
      return there.received.length - before;
    };
    expect(await ask(10)).toBe(3);
    pass(9_999);
    expect(await ask(5)).toBe(0);
    pass(1);
    expect(await ask(5)).toBe(1);
    pass(10_000);
    expect(await ask(5)).toBe(0);
    pass(10_000);
    there.behave({ in: [] });
    expect(await ask(5)).toBe(5);
  });

  it('that does not exist is no error', async () => {
    expect(await open('http://127.0.0.1:1/r4').ask(question())).toBe('unreachable');
  });
});
