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
  return lines;
}

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

  it('writes faults alone at level error, and nothing when off', () => {
    expect(written('error').map(text => JSON.parse(text).level)).toEqual(['error']);
    expect(written('off')).toEqual([]);
  });
});
