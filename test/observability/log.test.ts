import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/observability/log.ts';
import type { LogLevel } from '../../src/observability/log.ts';

const line = {
  method: 'GET',
  route: '/r4/:partition/:type/:id',
  interaction: 'read',
  status: 200,
  complete: true,
  milliseconds: 1.234,
  requestId: 'r-1',
  client: '127.0.0.1',
};

function written(level: LogLevel, isTTY = false): string[] {
  const lines: string[] = [];
  const log = createLog(level, { write: text => lines.push(text), isTTY }, () => 0);
  log.request(line);
  log.fault(new Error('broken'), 'r-2');
  log.notice('ready');
  log.refused('not reloaded');
  return lines;
}

/** What is written of a fault. */
function faultOf(error: unknown): string {
  const lines: string[] = [];
  createLog('error', { write: text => lines.push(text) }).fault(error, 'r-3');
  return (JSON.parse(lines[0] ?? '') as { error: string }).error;
}

describe('the format', () => {
  it.each([
    ['auto', true, 'text'],
    ['auto', false, 'json'],
    ['json', true, 'json'],
    ['text', false, 'text'],
  ] as const)('%s with a terminal %s is %s', (format, isTTY, expected) => {
    const lines: string[] = [];
    createLog('info', { write: text => lines.push(text), isTTY }, () => 0, format).notice('ready');
    const json = `${JSON.stringify({ time: '1970-01-01T00:00:00.000Z', level: 'notice', text: 'ready' })}\n`;
    expect(lines).toEqual([expected === 'json' ? json : '00:00:00 ready\n']);
  });
});

describe('log', () => {
  it('writes one JSON line a request', () => {
    expect(JSON.parse(written('info')[0] ?? '')).toEqual({
      time: '1970-01-01T00:00:00.000Z',
      level: 'info',
      method: 'GET',
      route: '/r4/:partition/:type/:id',
      interaction: 'read',
      status: 200,
      ms: 1.2,
      requestId: 'r-1',
      client: '127.0.0.1',
    });
  });

  it('writes a short line on a terminal', () => {
    expect(written('info', true)[0]).toBe('00:00:00 GET /r4/:partition/:type/:id 200 1.2 ms r-1\n');
  });

  it('leaves out what the JSON parser quotes, which may be a record', () => {
    const lines: string[] = [];
    try {
      JSON.parse('{"family":"Tremblay" oops');
    } catch (error) {
      createLog('error', { write: text => lines.push(text) }).fault(error, 'r-3');
    }
    expect(lines[0]).toMatch(/SyntaxError .*left out.*log\.test\.ts/);
    expect(lines[0]).not.toContain('Tremblay');
  });

  it('names the causes of a fault that its message does not contain', () => {
    const disk = new Error('ENOSPC: no space left on device, write');
    const error = new Error('The audit log cannot be written', { cause: new Error('It failed', { cause: disk }) });
    expect(faultOf(error)).toMatch(
      /The audit log cannot be written\n +at [^]*\nCaused by: Error: It failed\n[^]*\nCaused by: Error: ENOSPC: no /,
    );
    expect(faultOf(new Error('It failed: ENOSPC: no space left on device, write', { cause: disk }))).not.toContain(
      'Caused by',
    );
  });

  it('leaves out what was thrown and is no error, which may be a record', () => {
    expect(faultOf({ family: 'Tremblay' })).toBe('A value that is not an error was thrown (object); it is left out');
    expect(faultOf('Tremblay')).toBe('A value that is not an error was thrown (string); it is left out');
  });

  it.each(['info', 'error', 'off'] as const)('writes at level %s why the server ends', level => {
    const lines: string[] = [];
    createLog(level, { write: text => lines.push(text) }, () => 0).fatal('The server ends.', new Error('a mistake'));
    const [line] = lines.map(text => JSON.parse(text));
    expect(line).toEqual({
      time: '1970-01-01T00:00:00.000Z',
      level: 'fatal',
      text: 'The server ends.',
      error: expect.stringMatching(/^Error: a mistake\n +at /),
    });
  });

  it('writes faults alone at level error, and nothing when off', () => {
    expect(written('error').map(text => JSON.parse(text).level)).toEqual(['error', 'error']);
    expect(written('off')).toEqual([]);
  });
});
